"""Google Cloud Managed Service for Prometheus: what its collectors are asked to scrape, and its rules.

The kinds of `monitoring.googleapis.com/v1`, which GKE brings (GoogleCloudPlatform/prometheus-engine v0.17.2). Its
collectors read pods, not Services, and never let a series' own `namespace` win over one that they set themselves.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from bedplate.components.facts import Facts
from bedplate.components.facts.capacity import ResourceName
from bedplate.components.observability import google_kueue
from bedplate.components.observability.alerts.alert import Group
from bedplate.components.observability.dcgm_exporter import CHART as DCGM
from bedplate.components.observability.dcgm_exporter import DcgmExporterSection
from bedplate.components.section import DnsLabel, Section

API = "monitoring.googleapis.com/v1"
PROMETHEUS = "https://monitoring.googleapis.com/v1/projects/{project}/location/global/prometheus"
"""Its query API, which answers for every cluster of the project."""
IDENTITY = "google-monitoring"
"""How ScaledObjects name KEDA's way of asking it."""
STEP = "1m"
"""How often rules are evaluated (ClusterRules, spec.groups.interval)."""


class GooglePrometheusSection(Section):
    """Google Cloud's managed Prometheus on GKE: monitors, alerts and scalers in its own kinds, nothing installed."""

    kind: Literal["google"]
    project: ResourceName | None = None
    """Whose metrics scalers read; absent: `cloud.project`."""
    namespace: DnsLabel = "gmp-system"
    """Where its collectors run; on Autopilot `gke-gmp-system`."""
    exporters: tuple[Literal["kube-state-metrics", "node-exporter"], ...] = ()
    """Which of the usual exporters the site runs and has scraped; alerts on others would be silent. GKE's own package
    of kube-state-metrics has none of the series that our alerts ask for."""
    profiling: bool = True
    """DCGM's profiling counters; Nsight and CUPTI fail beside them on Ampere and older (NVIDIA/DCGM#56)."""
    dcgm_exporter: DcgmExporterSection | None = Field(default=None)
    """GPU metrics where no GPU Operator brings them."""


def monitors(facts: Facts) -> Iterator[dict[str, Any]]:
    """What is scraped besides the servers: GPUs, the operator and the scheduler."""
    scraped = facts.monitoring.exporters if facts.monitoring and facts.monitoring.google else frozenset[str]()
    if "dcgm" in scraped:
        yield _gpus(operator="gpuOperator" in facts.has)
    if "gpu-operator" in scraped:
        yield pod_monitoring({"name": "gpu-operator", "namespace": "gpu-operator"}, {"app": "gpu-operator"}, "metrics")
    if "volcano" in scraped:
        yield pod_monitoring(
            {"name": "volcano-scheduler", "namespace": "volcano-system"}, {"app": "volcano-scheduler"}, 8080
        )
    if "kueue" in scraped and facts.monitoring:
        yield from google_kueue.objects(facts.monitoring.namespace)


def _gpus(*, operator: bool) -> dict[str, Any]:
    """`namespace`, `pod` and `container` are those of the pod that uses the GPU, so the collector adds only the node.

    Nothing but a ClusterPodMonitoring lets a series keep its `namespace` (prometheus-engine examples/nvidia-dcgm).
    """
    picked = {"app": "nvidia-dcgm-exporter"} if operator else {"app.kubernetes.io/name": DCGM.name}
    spec: dict[str, Any] = {
        "selector": {"matchLabels": picked},
        "endpoints": [{"port": "metrics", "interval": "15s"}],
        "targetLabels": {"metadata": ["node"]},
    }
    return {"apiVersion": API, "kind": "ClusterPodMonitoring", "metadata": {"name": "dcgm-exporter"}, "spec": spec}


def pod_monitoring(
    metadata: Mapping[str, Any],
    picked: Mapping[str, str],
    port: str | int,
    dropped: Collection[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Pods of one namespace, by a container's port; with the labels by which queries tell pods and servers apart."""
    service = [{"from": key, "to": "service"} for key in picked if key == "app.kubernetes.io/name"]
    endpoint: dict[str, Any] = {"port": port, "path": "/metrics", "interval": "15s"}
    spec: dict[str, Any] = {
        "selector": {"matchLabels": dict(picked)},
        "endpoints": [endpoint | ({"metricRelabeling": [*dropped]} if dropped else {})],
        "targetLabels": {"metadata": ["pod"], **({"fromPod": service} if service else {})},
    }
    return {"apiVersion": API, "kind": "PodMonitoring", "metadata": dict(metadata), "spec": spec}


def cluster_rules(group: Group) -> dict[str, Any]:
    """A group of alerts, asked of this cluster's series alone."""
    return {
        "api_version": API,
        "kind": "ClusterRules",
        "metadata": {"name": f"bedplate-{group.name}", "labels": {"app.kubernetes.io/part-of": "bedplate"}},
        "spec": {
            "groups": [{"name": f"bedplate-{group.name}", "interval": STEP, "rules": list(map(_rule, group.rules()))}]
        },
    }


def _rule(rule: dict[str, Any]) -> dict[str, Any]:
    """It knows no `keep_firing_for`: what is kept is asked of the time before, too."""
    kept = rule.pop("keep_firing_for", None)
    return rule | ({"expr": f"last_over_time(({rule['expr']})[{kept}:{STEP}])"} if kept else {})


def identity() -> dict[str, Any]:
    """KEDA asks as its own service account, by Workload Identity; it needs roles/monitoring.viewer in the project."""
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ClusterTriggerAuthentication",
        "metadata": {"name": IDENTITY},
        "spec": {"podIdentity": {"provider": "gcp"}},
    }
