"""TrainingRuntimes: what a TrainJob that people write by hand runs as, one per pool of GPUs in each team's namespace.

Not ClusterTrainingRuntimes: those could name neither the team's networks nor its queue. Jobs that are rendered from a
job file bring a runtime of their own.
"""

from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, NodePool, TeamFacts
from bedplate.components.names import scoped
from bedplate.components.training.jobs.batch import training_runtime
from bedplate.components.training.trainer import TrainerSection
from bedplate.components.workload.contract import Contract
from bedplate.components.workload.job import TrainingJob


class Runtimes(Component[TrainerSection], token="bedplate:training:Runtimes"):
    """Makes them once the Trainer's webhook answers: its Deployment is available no earlier."""

    def _declare(self, args: Args[TrainerSection], child: pulumi.ResourceOptions) -> None:
        for manifest in runtimes(args):
            place = manifest["metadata"]
            k8s.apiextensions.CustomResource(
                scoped(place["namespace"], place["name"]),
                api_version=manifest["apiVersion"],
                kind=manifest["kind"],
                metadata=place,
                spec=manifest["spec"],
                opts=child,
            )


def runtimes(args: Args[TrainerSection]) -> Iterator[dict[str, Any]]:
    """`torch-<pool>`: whole nodes of the pool with the fabric, in the team's queue, near to each other."""
    for team in args.facts.teams:
        contract = Contract(args.facts, team)
        for pool in whole_pools(args.facts, team):
            job = TrainingJob(
                name=f"torch-{pool.name}",
                team=team.name,
                kind="TrainJob",
                image=args.section.runtime_image,
                command=("python",),
                pool=pool.name,
                nodes=min(2, pool.most),
            )
            yield training_runtime(job, contract)


def whole_pools(facts: Facts, team: TeamFacts) -> list[NodePool]:
    """Pools whose GPUs are neither cut nor shared, and of which the team has a part."""
    return [p for p in facts.gpu_pools if p.most and not p.sliced and team.gpus.get(p.name)]
