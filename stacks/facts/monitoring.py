"""Where metrics are in this cluster, and which exporters it has."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import Monitoring
from bedplate.components.observability.google import PROMETHEUS, GooglePrometheusSection
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.observability.prometheus_stack import CHART as STACK
from bedplate.components.observability.prometheus_stack import DASHBOARD_LABELS, URL, PrometheusStackSection
from bedplate.components.operators.gpu_operator import CHART, LABELLED_MONITOR_SINCE
from bedplate.components.storage.drivers import DRIVERS
from bedplate.stacks.profile.profile import Profile

SCHEDULERS = ("kueue", "volcano")
"""Those whose metrics we know; KAI's alerts and panels would be guesses."""


def monitoring(profile: Profile) -> Monitoring | None:
    """None where nobody scrapes."""
    section = profile.monitoring
    if section is None:
        return None
    monitored = Monitoring("", "", frozenset(exporters(profile)), profiling=section.profiling, nvlink5=nvlink5(profile))
    match section:
        case PrometheusStackSection():
            shown = DASHBOARD_LABELS if section.grafana else {}
            ours = replace(monitored, namespace=STACK.namespace, url=URL, dashboard_labels=shown)
            return replace(ours, volumes=measured(profile))
        case ExistingPrometheusSection():
            theirs = replace(monitored, namespace=section.namespace, url=section.url, labels=labels(profile))
            return replace(theirs, dashboard_labels=section.dashboard_labels, volumes=measured(profile))
        case GooglePrometheusSection():
            url = PROMETHEUS.format(project=project(profile, section))
            return replace(monitored, namespace=section.namespace, url=url, google=cluster(profile))


def project(profile: Profile, service: GooglePrometheusSection) -> str | None:
    """Whose metrics they are; None: nothing says it."""
    return service.project or (profile.cloud.project if isinstance(profile.cloud, GcpCloud) else None)


def cluster(profile: Profile) -> str:
    """The label `cluster` of its series: GKE's name for it."""
    return (profile.cloud.cluster if isinstance(profile.cloud, GcpCloud) else None) or profile.name


def nvlink5(profile: Profile) -> bool:
    """Whether some GPU has the fifth NVLink."""
    return any(pool.gpu and pool.gpu.family == "blackwell" for pool in profile.pools)


def measured(profile: Profile) -> tuple[str, ...]:
    """Volumes of the driver, its file systems and its classes, where it answers how full they are."""
    storage = profile.storage
    if storage is None or storage.driver is None or not DRIVERS[storage.driver.kind].measured:
        return ()
    ours = {item.name for item in storage.classes}
    return tuple(volume.name for volume in storage.volumes if volume.file_system or volume.storage_class in ours)


def exporters(profile: Profile) -> Iterator[str]:
    """What is scraped: alerts and dashboards on anything else would be silent for ever."""
    if isinstance(profile.monitoring, ExistingPrometheusSection | GooglePrometheusSection):
        yield from profile.monitoring.exporters
    else:
        yield from ("kube-state-metrics", "node-exporter", "operator-states", "kubelet", "kube-apiserver")
        if profile.monitoring and profile.monitoring.efa_exporter:
            yield "efa"
    yield from sorted({server.exporter for server in profile.servers})
    if profile.gpu_operator:
        yield "dcgm"
        if not labels(profile) or CHART.at(profile.gpu_operator).line >= LABELLED_MONITOR_SINCE:
            yield "gpu-operator"
    elif profile.monitoring and profile.monitoring.dcgm_exporter:
        yield "dcgm"
    kind = profile.scheduling.kind if profile.scheduling else None
    if kind in SCHEDULERS:
        yield str(kind)


def labels(profile: Profile) -> Mapping[str, str]:
    """What the site's Prometheus selects by; our own sees everything."""
    return profile.monitoring.labels if isinstance(profile.monitoring, ExistingPrometheusSection) else {}
