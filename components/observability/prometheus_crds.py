"""The Prometheus Operator's CRDs, by themselves and first: every ServiceMonitor of every operator needs them.

kube-prometheus-stack would bring them too, but late, and would never upgrade them.
"""

from typing import Any

from bedplate.components.chart import KEEP, Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("prometheus-operator-crds")


class PrometheusCrdsSection(HelmSection):
    """The CRDs' own release; its version goes with the operator of the stack."""


class PrometheusCrds(
    Installed[PrometheusCrdsSection],
    token="bedplate:observability:PrometheusCrds",
    release="prometheus-crds",
    level="privileged",
):
    """ServiceMonitor, PodMonitor, PrometheusRule and their relatives, and the namespace of all monitoring."""

    # The node exporter uses the host's network, processes and file systems.


def helm_values(_args: Args[PrometheusCrdsSection]) -> dict[str, Any]:
    """All ten CRDs, to stay when the release goes (chart 31.0.1)."""
    return {"crds": {"annotations": KEEP}}
