"""What jobs read, and what watches them."""

from collections.abc import Callable
from typing import Any, TypeVar

from bedplate.components.facts import Facts
from bedplate.components.observability import (
    alert_rules,
    dcgm_exporter,
    google_monitors,
    keda,
    prometheus_adapter,
    prometheus_stack,
    queue_monitors,
)
from bedplate.components.observability.grafana_dashboards import Dashboards
from bedplate.components.observability.monitoring import AnyMonitoring
from bedplate.components.section import Section
from bedplate.components.storage import drivers, volumes
from bedplate.components.storage.section import StorageSection
from bedplate.stacks.platform.ground import EXISTING, PROMETHEUS_CRDS, TEAMS
from bedplate.stacks.platform.hardware import GPU_OPERATOR
from bedplate.stacks.platform.scheduling import KUEUE, VOLCANO
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.profile import Profile

S = TypeVar("S", bound=Section)


def lustre(profile: Profile, _: Facts) -> drivers.AnyDriver | None:
    """Only the drivers that nobody runs for us."""
    driver = profile.storage.driver if profile.storage else None
    return driver if driver and drivers.DRIVERS[driver.kind].install else None


def storage(profile: Profile, _: Facts) -> StorageSection | None:
    """Storage, if it makes classes or volumes."""
    section = profile.storage
    return section if section and (section.volumes or section.made_classes) else None


def own_monitoring(profile: Profile, _: Facts) -> prometheus_stack.PrometheusStackSection | None:
    """The monitoring section, if it is our own stack."""
    return profile.monitoring if isinstance(profile.monitoring, prometheus_stack.PrometheusStackSection) else None


def scraped(profile: Profile, facts: Facts) -> AnyMonitoring | None:
    """Monitoring, if there is a scheduler or controller to scrape."""
    return profile.monitoring if list(queue_monitors.queue_monitors(facts)) else None


def dashboards(profile: Profile, facts: Facts) -> AnyMonitoring | None:
    """Monitoring, if somebody shows dashboards."""
    return profile.monitoring if facts.monitoring and facts.monitoring.dashboard_labels else None


def told_google(profile: Profile, facts: Facts) -> AnyMonitoring | None:
    """Monitoring, if it is Google's and there is something to tell it."""
    return profile.monitoring if any(google_monitors.manifests(facts)) else None


def autoscaling(kind: type[S]) -> Callable[[Profile, Facts], S | None]:
    """The autoscaling section, if it is of that kind."""
    return lambda p, _: p.autoscaling if isinstance(p.autoscaling, kind) else None


LUSTRE = Step("lustre-csi", drivers.install, lustre)
VOLUMES = Step("volumes", volumes.Volumes, storage, after=(EXISTING, TEAMS, LUSTRE))
MONITORING = Step("monitoring", prometheus_stack.PrometheusStack, own_monitoring, after=(PROMETHEUS_CRDS,))
DCGM_EXPORTER = Step(
    "dcgm-exporter",
    dcgm_exporter.DcgmExporter,
    lambda p, _: p.monitoring and p.monitoring.dcgm_exporter,
    after=(PROMETHEUS_CRDS,),
)
QUEUE_MONITORS = Step("queue-monitors", queue_monitors.QueueMonitors, scraped, after=(PROMETHEUS_CRDS, VOLCANO, KUEUE))
ALERTS = Step("alerts", alert_rules.AlertRules, lambda p, _: p.monitoring, after=(MONITORING,))
DASHBOARDS = Step("dashboards", Dashboards, dashboards, after=(MONITORING,))
KEDA = Step("keda", keda.Keda, autoscaling(keda.KedaSection), after=(PROMETHEUS_CRDS,))
GOOGLE_MONITORS = Step(
    "google-monitors",
    google_monitors.GoogleMonitors,
    told_google,
    after=(EXISTING, GPU_OPERATOR, VOLCANO, KUEUE, KEDA),
)
PROMETHEUS_ADAPTER = Step(
    "prometheus-adapter",
    prometheus_adapter.PrometheusAdapter,
    autoscaling(prometheus_adapter.PrometheusAdapterSection),
    after=(MONITORING,),
)

STEPS: tuple[Step[Any], ...] = (
    *(LUSTRE, VOLUMES, MONITORING, DCGM_EXPORTER, QUEUE_MONITORS, ALERTS, DASHBOARDS, KEDA, GOOGLE_MONITORS),
    PROMETHEUS_ADAPTER,
)
