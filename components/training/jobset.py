"""JobSet: a set of Jobs with one life: they start, fail and restart together."""

from typing import Any

import pulumi

from bedplate.components.chart import Chart
from bedplate.components.facts import Args
from bedplate.components.namespace import namespace
from bedplate.components.section import HelmSection

CHART = Chart.of("jobset")


class JobSetSection(HelmSection):
    """The JobSet controller; presence installs it, once for everyone who needs it."""


class JobSet(pulumi.ComponentResource):
    """Installs the controller and its webhook."""

    def __init__(self, name: str, args: Args[JobSetSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:training:JobSet", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        home = namespace(CHART.namespace, "restricted", child)
        CHART.release("jobset", args, namespace=home.metadata.name, values=helm_values(args), opts=child)
        self.register_outputs({})


def helm_values(_: Args[JobSetSection]) -> dict[str, Any]:
    """The chart's defaults suit; certificates are its own, so that no cert-manager is needed."""
    return {"certManager": {"enable": False}}
