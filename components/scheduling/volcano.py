"""Volcano: a batch scheduler of its own, with gangs, queues and the network's topology."""

from typing import Any, Literal

import pulumi
import pulumi_kubernetes as k8s
import yaml

from bedplate.components.chart import Chart
from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.namespace import namespace
from bedplate.components.readiness import timeouts
from bedplate.components.scheduling.topology import SchedulerSection
from bedplate.components.section import Seconds

CHART = Chart.of("volcano")
ADMISSION_PORT = 8443
CONTAINERS = ("scheduler_main", "controller_main", "admission_main", "admission_init")
"""As the chart's keys of their security contexts begin."""


class VolcanoSection(SchedulerSection):
    """Volcano places the jobs that ask for it; everything else stays with the cluster's own scheduler."""

    kind: Literal["volcano"]
    ready_timeout: Seconds = 600
    """How long the admission webhook may take to listen."""


class Volcano(Component[VolcanoSection], token="bedplate:scheduling:Volcano"):
    """Installs scheduler, controllers and admission; a hook Job of the chart makes the webhooks' certificate."""

    def _declare(self, args: Args[VolcanoSection], child: pulumi.ResourceOptions) -> dict[str, Any]:
        home = namespace(CHART.namespace, "baseline", child)
        place = home.metadata.name
        release = CHART.release("volcano", args, namespace=place, values=helm_values(args), opts=child)
        admission_listens(release, args.section.ready_timeout, child)
        return {"namespace": place}


def admission_listens(release: k8s.helm.v3.Release, timeout: int, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """A gate that the chart lacks: the rollout of a readiness probe, patched into the admission Deployment.

    Without one (1.15.1) it is available before it listens, and every Queue made meanwhile is refused.
    """
    return k8s.apps.v1.DeploymentPatch(
        "volcano-admission-listens",
        metadata={
            "name": release.name.apply(lambda name: f"{name}-admission"),
            "namespace": release.namespace,
            "annotations": {"pulumi.com/patchForce": "true"},
        },
        spec={
            "template": {
                "spec": {
                    "containers": [
                        {
                            "name": "admission",
                            "readiness_probe": {"tcp_socket": {"port": ADMISSION_PORT}, "period_seconds": 2},
                        }
                    ]
                }
            }
        },
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(custom_timeouts=timeouts(timeout))),
    )


def helm_values(args: Args[VolcanoSection]) -> dict[str, Any]:
    """The chart reads `basic` and `custom` only (1.15.1).

    It takes the scheduler's configuration as a string and the controllers' as a mapping: of the latter it makes YAML
    itself (templates/scheduler.yaml and controllers.yaml), and a string of YAML is no configuration to them.
    """
    scheduler = yaml.safe_dump(scheduler_configuration(args), sort_keys=False)
    rights = security(args.facts.platform)
    return {"custom": {"scheduler_config_override": scheduler, **controller_configuration(args), **rights}}


def security(platform: str) -> dict[str, Any]:
    """The chart names a user, an SELinux level and DAC_OVERRIDE, of which OpenShift's `restricted-v2` admits none.

    Nobody binds the controllers to laxer constraints: they make the pods of teams' jobs, which would have them too.
    """
    if platform != "openshift":
        return {}
    pod = {"seccompProfile": {"type": "RuntimeDefault"}}
    container = {"runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    pods = dict.fromkeys(("scheduler_sc", "controller_sc", "admission_sc"), pod)
    return pods | dict.fromkeys((f"{part}_csc" for part in CONTAINERS), container)


def scheduler_configuration(args: Args[VolcanoSection]) -> dict[str, Any]:
    """Gangs, priorities and quota first, then placement.

    `capacity` and not the default `proportion`, so that a team's part is an amount and lent parts are reclaimed. It
    stands in the first tier: the first that finds victims is the only one that is asked. `gangreclaim` takes lent parts
    back a job at a time and not pod by pod, which would stop many jobs for one; `gangpreempt` lets the more urgent of a
    team's jobs go first (both with `capacity` in the first tier: volcano-sh/volcano 1.15.1, test/e2e/gangevict).

    Without `overcommit`: it keeps whatever asks for more than 1.2 times the cluster less what is used from being
    enqueued at all, and only what is enqueued is reclaimed for (overcommit.go, gangreclaim.go at 1.15.1).
    """
    placement: list[dict[str, Any]] = [{"name": "drf", "enablePreemptable": False}]
    placement += [{"name": plugin} for plugin in ("predicates", "nodeorder", "binpack")]
    if has_domains(args.facts):
        placement.append({"name": "network-topology-aware"})
    first = [{"name": "priority"}, {"name": "gang", "enablePreemptable": False}, {"name": "conformance"}]
    return {
        "actions": "enqueue, allocate, backfill, gangreclaim, gangpreempt",
        "tiers": [{"plugins": [*first, {"name": "capacity"}]}, {"plugins": placement}],
    }


def controller_configuration(args: Args[VolcanoSection]) -> dict[str, Any]:
    """Discovery of HyperNodes from the labels, unless the profile names the domains itself.

    The list form of levels, which every release since 1.12 reads (Volcano, HyperNode auto discovery).
    """
    topology = args.facts.scheduler.topology
    if topology is None or not has_domains(args.facts) or args.section.topology.domains:
        return {}
    levels = [{"nodeLabel": level} for level in topology.levels]
    source = {"source": "label", "enabled": True, "config": {"networkTopologyTypes": {"network": levels}}}
    return {"controller_config_override": {"networkTopologyDiscovery": [source]}}


def has_domains(facts: Facts) -> bool:
    """Some level above the node is known."""
    return bool(facts.scheduler.topology and len(facts.scheduler.topology.levels) > 1)
