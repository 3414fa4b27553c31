"""LeaderWorkerSet: groups of pods that serve one model together.

Not for training: its pods restart for ever, also after success (kubernetes-sigs/lws#570).
"""

from typing import Any

import pulumi

from bedplate.components.chart import Chart
from bedplate.components.facts import Args
from bedplate.components.namespace import namespace
from bedplate.components.section import HelmSection

CHART = Chart.of("lws")


class LeaderWorkerSetSection(HelmSection):
    """The LeaderWorkerSet controller; presence installs it."""


class LeaderWorkerSet(pulumi.ComponentResource):
    """Installs the controller and its webhooks."""

    def __init__(
        self, name: str, args: Args[LeaderWorkerSetSection], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("bedplate:training:LeaderWorkerSet", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        # The chart sets no seccomp profile (0.10.0), which `restricted` asks for.
        home = namespace(CHART.namespace, "baseline", child)
        CHART.release("leader-worker-set", args, namespace=home.metadata.name, values=helm_values(args), opts=child)
        self.register_outputs({})


def helm_values(args: Args[LeaderWorkerSetSection]) -> dict[str, Any]:
    """Volcano is the one gang scheduler that it makes PodGroups for (chart 0.10.0); Kueue works on its pods itself."""
    gang = {"gangSchedulingManagement": {"schedulerProvider": "volcano"}}
    return {"enableCertManager": False, **(gang if args.facts.scheduler.kind == "volcano" else {})}
