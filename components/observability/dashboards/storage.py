"""Shared volumes: how full they are, as CSI drivers tell the kubelets; what they move only the clouds count."""

from bedplate.components.observability.dashboards.panel import Dashboard, Row, Variable, chart, number

KUBELET = frozenset({"kubelet", "measured-volumes"})
HERE = '{namespace=~"$namespace",persistentvolumeclaim=~"$volume"}'
VOLUME = "{{namespace}} {{persistentvolumeclaim}}"


def each(part: str) -> str:
    """Every node that mounts a volume says the same of it."""
    return one(f"kubelet_volume_stats_{part}{HERE}")


def one(series: str) -> str:
    """Of each volume, whoever says it."""
    return f"max by (namespace, persistentvolumeclaim) ({series})"


VOLUMES = Row(
    "Shared volumes",
    KUBELET,
    (
        number("Fullest", f"max({each('used_bytes')} / ({each('capacity_bytes')} > 0))", "percentunit", 12),
        number("Nodes that mount one", f"count(count by (node) (kubelet_volume_stats_used_bytes{HERE}))", width=12),
        chart("In use", f"{each('used_bytes')} / ({each('capacity_bytes')} > 0)", VOLUME, "percentunit", 12),
        chart("Used", each("used_bytes"), VOLUME, "bytes", 12),
        chart(
            "Written in a day",
            one(f"delta(kubelet_volume_stats_used_bytes{HERE}[1d])"),
            VOLUME,
            "bytes",
            12,
        ),
        chart("Files in use", f"{each('inodes_used')} / ({each('inodes')} > 0)", VOLUME, "percentunit", 12),
    ),
)

STORAGE = Dashboard(
    "bedplate-storage",
    "Shared storage",
    "How full the shared volumes are.",
    (VOLUMES,),
    (
        Variable("namespace", "kubelet_volume_stats_used_bytes", "namespace"),
        Variable("volume", "kubelet_volume_stats_used_bytes", "persistentvolumeclaim", 'namespace=~"$namespace"'),
    ),
)
