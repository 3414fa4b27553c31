"""KAI: a GPU scheduler of its own, with gangs, two levels of queues, topology and fractions of GPUs."""

from typing import Any, Literal

import pulumi

from bedplate.components.chart import Chart
from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.namespace import namespace
from bedplate.components.readiness import gate
from bedplate.components.scheduling.topology import SchedulerSection
from bedplate.components.section import Seconds

CHART = Chart.of("kai-scheduler")
RESERVATIONS = CHART.takes[0]
"""Where pods hold the GPUs whose fractions are handed out. The chart would make the namespace and keep it for ever."""
CONFIG = "kai-config"
"""The object of the hook Job."""


class KaiSection(SchedulerSection):
    """KAI places the jobs that ask for it; everything else stays with the cluster's own scheduler."""

    kind: Literal["kai"]
    ready_timeout: Seconds = 600
    """How long scheduler, binder and webhooks may take."""
    gpu_sharing: bool = False
    """Let pods ask for a fraction of a GPU; without memory isolation between them."""


class Kai(Component[KaiSection], token="bedplate:scheduling:Kai"):
    """Installs the operator; a hook Job of the chart then asks it for the scheduler, whose own status is the gate."""

    def _declare(self, args: Args[KaiSection], child: pulumi.ResourceOptions) -> dict[str, Any]:
        home = namespace(CHART.namespace, "baseline", child)
        place = home.metadata.name
        reservations = namespace(RESERVATIONS, "baseline", child)
        # A data edge: the release goes after both namespaces, and before them when all of it is destroyed.
        there = pulumi.Output.all(place, reservations.metadata.name).apply(lambda names: names[0])
        release = CHART.release("kai", args, namespace=there, values=helm_values(args), opts=child)
        gate(
            "kai-available",
            api_version="kai.scheduler/v1",
            kind="Config",
            # A data edge: the operator makes the object that the gate waits on.
            metadata={"name": release.name.apply(lambda _: CONFIG)},
            condition="condition=Available",
            guards=CHART.guards(args, helm_values(args)),
            timeout=args.section.ready_timeout,
            opts=child,
        )
        return {"namespace": place}


def helm_values(args: Args[KaiSection]) -> dict[str, Any]:
    """Queues and PriorityClasses are ours: the chart's own would let jobs in without a team."""
    return {
        "global": {"gpuSharing": args.section.gpu_sharing, "resourceReservation": {"createNamespace": False}},
        "scheduler": {"placementStrategy": "binpack"},
        "defaultQueue": {"createDefaultQueue": False},
        "defaultPriorityClasses": {"enabled": False},
    }
