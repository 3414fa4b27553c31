"""Schedulers and the controllers of jobs. Kueue is the last: it watches the kinds of all the others."""

from collections.abc import Callable
from typing import Any, TypeVar

from bedplate.components.facts import Facts
from bedplate.components.scheduling import kai, kai_queues, kueue, kueue_queues, volcano, volcano_queues
from bedplate.components.section import Section
from bedplate.components.training import (
    jobset,
    kuberay,
    leader_worker_set,
    mpi_operator,
    runtimes,
    trainer,
    training_operator,
)
from bedplate.stacks.platform.ground import TEAMS
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.profile import Profile

S = TypeVar("S", bound=Section)


def scheduler(kind: type[S]) -> Callable[[Profile, Facts], S | None]:
    """The scheduling section, if it is of that kind."""
    return lambda p, _: p.scheduling if isinstance(p.scheduling, kind) else None


def queues(kind: type[S]) -> Callable[[Profile, Facts], S | None]:
    """The scheduling section of that kind, if there are teams to have queues."""
    return lambda p, facts: scheduler(kind)(p, facts) if facts.teams else None


def with_whole_gpus(profile: Profile, facts: Facts) -> trainer.TrainerSection | None:
    """The Trainer, if some team has whole GPUs of some pool."""
    section = profile.training.trainer if profile.training else None
    return section if section and any(runtimes.whole_pools(facts, team) for team in facts.teams) else None


VOLCANO = Step("volcano", volcano.Volcano, scheduler(volcano.VolcanoSection))
VOLCANO_QUEUES = Step("volcano-queues", volcano_queues.VolcanoQueues, queues(volcano.VolcanoSection), after=(VOLCANO,))
KAI = Step("kai", kai.Kai, scheduler(kai.KaiSection))
KAI_QUEUES = Step("kai-queues", kai_queues.KaiQueues, queues(kai.KaiSection), after=(KAI,))
JOBSET = Step("jobset", jobset.JobSet, lambda p, _: p.training and p.training.jobset)
TRAINER = Step("trainer", trainer.Trainer, lambda p, _: p.training and p.training.trainer, after=(JOBSET,))
RUNTIMES = Step("runtimes", runtimes.Runtimes, with_whole_gpus, after=(TEAMS, VOLCANO, TRAINER))
KUBERAY = Step("kuberay", kuberay.KubeRay, lambda p, _: p.training and p.training.kuberay, after=(VOLCANO, KAI))
LWS = Step(
    "leader-worker-set",
    leader_worker_set.LeaderWorkerSet,
    lambda p, _: p.training and p.training.leader_worker_set,
    after=(VOLCANO,),
)
TRAINING_OPERATOR = Step(
    "training-operator",
    training_operator.TrainingOperator,
    lambda p, _: p.training and p.training.training_operator,
    after=(VOLCANO,),  # without the PodGroup kind it exits
)
MPI_OPERATOR = Step(
    "mpi-operator",
    mpi_operator.MpiOperator,
    lambda p, _: p.training and p.training.mpi_operator,
    after=(VOLCANO,),
)
KUEUE = Step(
    "kueue",
    kueue.Kueue,
    scheduler(kueue.KueueSection),
    after=(TRAINER, KUBERAY, LWS, TRAINING_OPERATOR, MPI_OPERATOR),
)
KUEUE_QUEUES = Step("kueue-queues", kueue_queues.KueueQueues, queues(kueue.KueueSection), after=(TEAMS, KUEUE))
QUEUES = (VOLCANO_QUEUES, KAI_QUEUES, KUEUE_QUEUES)

STEPS: tuple[Step[Any], ...] = (
    *(VOLCANO, VOLCANO_QUEUES, KAI, KAI_QUEUES, JOBSET, TRAINER, RUNTIMES, KUBERAY, LWS, TRAINING_OPERATOR),
    *(MPI_OPERATOR, KUEUE, KUEUE_QUEUES),
)
