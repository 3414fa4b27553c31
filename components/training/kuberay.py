"""KubeRay: Ray clusters and jobs."""

from typing import Any

import pulumi

from bedplate.components.chart import Chart
from bedplate.components.facts import Args
from bedplate.components.namespace import namespace
from bedplate.components.section import HelmSection

CHART = Chart.of("kuberay-operator")
BATCH_SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
"""Our schedulers by the names that the operator knows them by; Kueue needs none, it suspends the whole job."""


class KubeRaySection(HelmSection):
    """The KubeRay operator; presence installs it."""


class KubeRay(pulumi.ComponentResource):
    """Installs the operator; it has no webhooks."""

    def __init__(self, name: str, args: Args[KubeRaySection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:training:KubeRay", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        home = namespace(CHART.namespace, "restricted", child)
        CHART.release("kuberay", args, namespace=home.metadata.name, values=helm_values(args), opts=child)
        self.register_outputs({})


def helm_values(args: Args[KubeRaySection]) -> dict[str, Any]:
    """`batchScheduler.name` alone: beside the deprecated `enabled: true` it fails (chart 1.7.0)."""
    gang = BATCH_SCHEDULERS.get(args.facts.scheduler.kind)
    return {"batchScheduler": {"name": gang}} if gang else {}
