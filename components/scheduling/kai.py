"""KAI: a GPU scheduler of its own, with gangs, two levels of queues, topology and fractions of GPUs."""

from typing import Any, Literal

import pulumi

from components.chart import Chart
from components.facts import Args
from components.namespace import namespace
from components.scheduling.topology import SchedulerSection

# renovate: datasource=docker depName=ghcr.io/kai-scheduler/kai-scheduler/kai-scheduler
CHART = Chart("oci://ghcr.io/kai-scheduler/kai-scheduler", "kai-scheduler", "v0.17.0")


class KaiSection(SchedulerSection):
    """KAI places the jobs that ask for it; everything else stays with the cluster's own scheduler."""

    kind: Literal["kai"]
    gpu_sharing: bool = False
    """Let pods ask for a fraction of a GPU; without memory isolation between them."""


class Kai(pulumi.ComponentResource):
    """Installs the operator; a hook Job of the chart then asks it for the scheduler."""

    namespace: pulumi.Output[str]
    """Where they run."""

    def __init__(self, name: str, args: Args[KaiSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:scheduling:Kai", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        home = namespace("kai-scheduler", "baseline", child)
        self.namespace = home.metadata.name
        CHART.release(name, args, namespace=self.namespace, values=helm_values(args), opts=child)
        self.register_outputs({"namespace": self.namespace})


def helm_values(args: Args[KaiSection]) -> dict[str, Any]:
    """Queues and PriorityClasses are ours: the chart's own would let jobs in without a team."""
    return {
        "global": {"gpuSharing": args.section.gpu_sharing},
        "scheduler": {"placementStrategy": "binpack"},
        "defaultQueue": {"createDefaultQueue": False},
        "defaultPriorityClasses": {"enabled": False},
    }
