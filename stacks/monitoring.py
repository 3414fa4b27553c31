"""Where metrics are in this cluster, and which exporters it has."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from components.observability.monitoring import ExistingPrometheusSection, PrometheusStackSection
from components.observability.prometheus_stack import DASHBOARD_LABELS, NAMESPACE, URL
from components.scraping import Monitoring

if TYPE_CHECKING:
    from stacks.profile import Profile


def monitoring(profile: "Profile") -> Monitoring | None:
    """None where nobody scrapes."""
    match profile.monitoring:
        case PrometheusStackSection() as stack:
            return Monitoring(
                namespace=NAMESPACE,
                url=URL,
                exporters=frozenset(exporters(profile)),
                dashboard_labels=DASHBOARD_LABELS if stack.grafana else {},
                profiling=stack.profiling,
            )
        case ExistingPrometheusSection() as site:
            return Monitoring(
                namespace=site.namespace,
                url=site.url,
                exporters=frozenset(exporters(profile)),
                labels=site.labels,
                dashboard_labels=site.dashboard_labels,
                profiling=site.profiling,
            )
        case None:
            return None


def exporters(profile: "Profile") -> Iterator[str]:
    """What is scraped: alerts and dashboards on anything else would be silent for ever."""
    if isinstance(profile.monitoring, ExistingPrometheusSection):
        yield from profile.monitoring.exporters
    else:
        yield from ("kube-state-metrics", "node-exporter", "operator-states")
    if profile.gpu_operator:
        yield from ("dcgm", "gpu-operator")
    elif profile.monitoring and profile.monitoring.dcgm_exporter:
        yield "dcgm"
