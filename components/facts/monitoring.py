"""Facts about monitoring: where metrics are, and who is scraped."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Monitoring:
    """Where metrics are, and what our monitors, rules and dashboards need to be found."""

    namespace: str
    """Where rules and dashboards are made."""
    url: str
    """Prometheus' HTTP API, with its port."""
    exporters: frozenset[str] = frozenset()
    """What is scraped in this cluster: the names of the files in `tests/metrics/`."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels for every ServiceMonitor, PodMonitor and PrometheusRule; none with our own stack, which sees them all."""
    dashboard_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels of ConfigMaps with dashboards; none where nobody shows them."""
    google: str | None = None
    """The cluster's name in Google's managed Prometheus, where that scrapes: it has kinds of its own for all of this,
    and one API for every cluster of the project."""
    profiling: bool = True
    """DCGM reads the profiling counters too."""
    nvlink5: bool = False
    """And Blackwell's of NVLink."""
    volumes: tuple[str, ...] = ()
    """Shared volumes whose driver tells the kubelets how full they are."""
