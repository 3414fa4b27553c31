"""The sections `monitoring` (our own Prometheus stack, the site's or Google's) and `autoscaling`.

Deliberately small: log collection, tracing and long-term storage are a site's own choice.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.observability.dcgm_exporter import DcgmExporterSection
from bedplate.components.observability.google import GooglePrometheusSection
from bedplate.components.observability.keda import KedaSection
from bedplate.components.observability.prometheus_adapter import PrometheusAdapterSection
from bedplate.components.observability.prometheus_stack import PrometheusStackSection
from bedplate.components.section import DnsLabel, Section


class ExistingPrometheusSection(Section):
    """The site's Prometheus and its operator: we bring monitors, rules and dashboards."""

    kind: Literal["existing"]
    namespace: DnsLabel
    """Where rules and dashboards are made; it exists already."""
    url: str = Field(pattern=r"^https?://[^/\s]+:[0-9]+$")
    """Prometheus' HTTP API as pods reach it, with its port, such as `http://prometheus.monitoring.svc:9090`."""
    labels: Mapping[str, str] = Field(default_factory=dict)
    """What the site's Prometheus selects ServiceMonitors, PodMonitors and PrometheusRules by."""
    dashboard_labels: Mapping[str, str] = Field(default_factory=lambda: {"grafana_dashboard": "1"})
    """What its Grafana's sidecar selects ConfigMaps by."""
    exporters: tuple[Literal["kube-state-metrics", "node-exporter", "kubelet", "kube-apiserver", "efa"], ...] = (
        "kube-state-metrics",
        "node-exporter",
    )
    """Which of the usual exporters it scrapes; alerts on others would be silent. `kubelet` says how full volumes are,
    `kube-apiserver` how full etcd is; `efa` is a node exporter with awslabs' collector `amazonefa`."""
    profiling: bool = True
    """DCGM's profiling counters; Nsight and CUPTI fail beside them on Ampere and older (NVIDIA/DCGM#56)."""
    dcgm_exporter: DcgmExporterSection | None = None
    """GPU metrics where no GPU Operator brings them."""


AnyMonitoring = Annotated[
    PrometheusStackSection | ExistingPrometheusSection | GooglePrometheusSection, Field(discriminator="kind")
]
AnyAutoscaling = Annotated[KedaSection | PrometheusAdapterSection, Field(discriminator="kind")]
"""What gives autoscalers the metrics of Prometheus, one of them."""
