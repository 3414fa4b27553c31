"""Whereabouts: cluster-wide addresses for secondary networks where nv-ipam is not there."""

from typing import Any

import pulumi

from bedplate.components.chart import Chart
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("whereabouts-chart")


class WhereaboutsSection(HelmSection):
    """The IPAM plugin and its reconciler in kube-system; presence installs them."""


class Whereabouts(pulumi.ComponentResource):
    """Hands out one address to one pod, whatever its node."""

    def __init__(self, name: str, args: Args[WhereaboutsSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:network:Whereabouts", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        CHART.release("whereabouts", args, namespace=CHART.namespace, values=helm_values(args), opts=child)
        self.register_outputs({})


def helm_values(args: Args[WhereaboutsSection]) -> dict[str, Any]:
    """The chart's own tag (v0.8.0) lacks the binaries that its templates start."""
    tolerations = [*args.facts.tolerations, {"operator": "Exists", "effect": "NoSchedule"}]
    return {"image": {"tag": f"v{CHART.at(args.section).version}"}, "tolerations": tolerations}
