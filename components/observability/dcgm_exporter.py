"""DCGM exporter on its own, where no GPU Operator brings one (a cloud that manages driver and device plugin).

Never beside the GPU Operator's: every series would be there twice, and two host engines compete for the profiler.
"""

from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args, Monitoring
from bedplate.components.observability.chart_monitor import chart_monitor
from bedplate.components.observability.dcgm_counters import csv
from bedplate.components.section import HelmSection

CHART = Chart.of("dcgm-exporter")

NODE_LABEL = {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
"""Relabeling that names the node of a target as kube-state-metrics does, so that queries can join on it."""


class DcgmExporterSection(HelmSection):
    """GPU metrics without the GPU Operator."""


class DcgmExporter(
    Installed[DcgmExporterSection],
    token="bedplate:observability:DcgmExporter",
    release="dcgm-exporter",
    level="privileged",
    constraints="privileged",
):
    """Reads every GPU node's counters and health."""

    # It adds SYS_ADMIN for the profiling counters and mounts the kubelet's pod-resources socket.


def helm_values(args: Args[DcgmExporterSection]) -> dict[str, Any]:
    """On GPU nodes of any pool, with our counters (chart 4.8.2)."""
    monitoring = args.facts.monitoring
    return {
        "fullnameOverride": "dcgm-exporter",
        **({"runtimeClassName": args.facts.runtime_class} if args.facts.runtime_class else {}),
        "tolerations": args.facts.tolerations,
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _gpu_nodes(args)}},
        "customMetrics": csv(monitoring or Monitoring("", "")),
        "serviceMonitor": service_monitor(monitoring),
    }


def _gpu_nodes(args: Args[DcgmExporterSection]) -> dict[str, Any]:
    """One term for each GPU pool; terms are alternatives."""
    terms = [
        [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.selector.items())]
        for pool in args.facts.gpu_pools
    ]
    return {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms if term]}


def service_monitor(monitoring: Monitoring | None) -> dict[str, Any]:
    """The keys that the GPU Operator and the exporter's own chart share for the exporter's ServiceMonitor.

    `namespace`, `pod` and `container` shall name the pod that uses the GPU, and be absent on an idle one. So the
    exporter's own are dropped, and its labels win. `node` is ours because the exporter's label for it was renamed
    from `Hostname` to `hostname` (NVIDIA/dcgm-exporter#655).
    """
    drop = {"action": "labeldrop", "regex": "namespace|pod|container"}
    return chart_monitor(monitoring, interval="15s", honorLabels=True, relabelings=[NODE_LABEL, drop])
