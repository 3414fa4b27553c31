"""Volcano: a batch scheduler of its own, with gangs, queues and the network's topology."""

from typing import Any, Literal

import pulumi
import yaml

from components.chart import Chart
from components.facts import Args
from components.namespace import namespace
from components.scheduling.topology import SchedulerSection

# renovate: datasource=helm registryUrl=https://volcano-sh.github.io/helm-charts depName=volcano
CHART = Chart("https://volcano-sh.github.io/helm-charts", "volcano", "1.15.1")


class VolcanoSection(SchedulerSection):
    """Volcano places the jobs that ask for it; everything else stays with the cluster's own scheduler."""

    kind: Literal["volcano"]


class Volcano(pulumi.ComponentResource):
    """Installs scheduler, controllers and admission; a hook Job of the chart makes the webhooks' certificate."""

    namespace: pulumi.Output[str]
    """Where they run."""

    def __init__(self, name: str, args: Args[VolcanoSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:scheduling:Volcano", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        home = namespace("volcano-system", "baseline", child)
        self.namespace = home.metadata.name
        CHART.release(name, args, namespace=self.namespace, values=helm_values(args), opts=child)
        self.register_outputs({"namespace": self.namespace})


def helm_values(args: Args[VolcanoSection]) -> dict[str, Any]:
    """The chart reads `basic` and `custom` only (1.15.1); the scheduler's configuration is a string."""
    return {"custom": {"scheduler_config_override": yaml.safe_dump(scheduler_configuration(args), sort_keys=False)}}


def scheduler_configuration(args: Args[VolcanoSection]) -> dict[str, Any]:
    """Gangs and priorities first, then quota and placement.

    `capacity` and not the default `proportion`, so that a team's part is an amount and lent parts are reclaimed;
    `network-topology-aware` where nodes can be told apart.
    """
    placement = ["overcommit", "drf", "predicates", "capacity", "nodeorder", "binpack"]
    if args.facts.scheduler.topology:
        placement.append("network-topology-aware")
    first = [{"name": "priority"}, {"name": "gang", "enablePreemptable": False}, {"name": "conformance"}]
    return {
        "actions": "enqueue, allocate, backfill, reclaim",
        "tiers": [{"plugins": first}, {"plugins": [{"name": plugin} for plugin in placement]}],
    }
