"""Alerts on shared volumes, by what the kubelet asks of the CSI driver of each mount.

How much a file system moves no exporter of a cluster says: the managed ones tell their cloud's own monitoring
(CloudWatch, Cloud Monitoring, Azure Monitor), and of those that read Lustre's clients none is published as an image
(GSI-HPC/lustre_exporter, whamcloud/lustrefs-exporter).
"""

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Alert, Group

FULL = 0.8
"""Until then a larger file system can still be balanced (Lustre wiki, "Handling Full OSTs"); at 97 %, where the
stack's own rule begins, some of its targets have been full for long."""
IN_USE = {
    "SharedVolumeFilling": ("space", "used_bytes", "capacity_bytes"),
    "SharedVolumeManyFiles": ("files", "inodes_used", "inodes"),
}


def storage(facts: Facts) -> tuple[Group, ...]:
    """The profile's volumes whose driver says how full they are."""
    names = "|".join(facts.monitoring.volumes if facts.monitoring else ())
    return (Group("storage", frozenset({"kubelet"}), tuple(_filling(name, names) for name in IN_USE)),) if names else ()


def _filling(name: str, claims: str) -> Alert:
    """Every node that mounts the volume says the same of it."""
    what, used, whole = IN_USE[name]
    of = f'{{persistentvolumeclaim=~"{claims}"}}'
    return Alert(
        name,
        f"max by (namespace, persistentvolumeclaim) (kubelet_volume_stats_{used}{of}"
        f" / (kubelet_volume_stats_{whole}{of} > 0)) > {FULL}",
        "{{ $labels.persistentvolumeclaim }} of {{ $labels.namespace }} has "
        f"{{{{ $value | humanizePercentage }}}} of its {what} in use",
        "Old checkpoints are the usual cause. Delete what nobody needs, or enlarge the file system.",
        hold="30m",
    )
