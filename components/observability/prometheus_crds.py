"""The Prometheus Operator's CRDs, by themselves and first: every ServiceMonitor of every operator needs them.

kube-prometheus-stack would bring them too, but late, and would never upgrade them.
"""

from typing import Any

import pulumi

from bedplate.components.chart import KEEP, Chart
from bedplate.components.facts import Args
from bedplate.components.namespace import namespace
from bedplate.components.section import HelmSection

CHART = Chart.of("prometheus-operator-crds")


class PrometheusCrdsSection(HelmSection):
    """The CRDs' own release; its version goes with the operator of the stack."""


class PrometheusCrds(pulumi.ComponentResource):
    """ServiceMonitor, PodMonitor, PrometheusRule and their relatives, and the namespace of all monitoring."""

    namespace: pulumi.Output[str]
    """Where Prometheus, Grafana, rules and dashboards are."""

    def __init__(
        self, name: str, args: Args[PrometheusCrdsSection], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("bedplate:observability:PrometheusCrds", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        # The node exporter uses the host's network, processes and file systems.
        home = namespace(CHART.namespace, "privileged", child)
        self.namespace = home.metadata.name
        CHART.release("prometheus-crds", args, namespace=self.namespace, values=helm_values(args), opts=child)
        self.register_outputs({"namespace": self.namespace})


def helm_values(_args: Args[PrometheusCrdsSection]) -> dict[str, Any]:
    """All ten CRDs, to stay when the release goes (chart 31.0.1)."""
    return {"crds": {"annotations": KEEP}}
