"""What cannot work when a job meets a cluster, said before anything waits for ever in a queue.

Each rule is a generator of problems; those that look at the job's place on the cluster run only when the place exists.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from pydantic import ValidationError

from bedplate.components.facts import Facts, NodePool
from bedplate.components.workload.gang import refusal
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.kinds import runs
from bedplate.stacks.jobs.placement import check_placement
from bedplate.stacks.jobs.shape import check_shape
from bedplate.stacks.profile.problem import Problem, ProfileError, problem
from bedplate.stacks.profile.validation import translated


def check_job(job: TrainingJob, facts: Facts) -> Iterator[Problem]:
    """Every fault of a job on a cluster."""
    teams = [team.name for team in facts.teams]
    if job.team not in teams:
        yield problem("job.no-such-team", job.team, teams=_list(teams))
        return
    pool = _pool(job, facts)
    if pool is None:
        reason = "no such pool with GPUs" if job.pool or not facts.gpu_pools else "several pools have GPUs"
        yield problem("job.which-pool", job.pool, reason=reason, pools=_list([pool.name for pool in facts.gpu_pools]))
        return
    yield from chain(
        _starts(job, facts), check_shape(job, job.gpus_per_node or pool.gpus), check_placement(job, facts, pool)
    )


def _list(names: list[str]) -> str:
    return " or ".join(names) or "nothing: there is none"


def _pool(job: TrainingJob, facts: Facts) -> NodePool | None:
    """The pool it names, or the only one there is."""
    named = [pool for pool in facts.gpu_pools if job.pool in (None, pool.name)]
    return named[0] if len(named) == 1 else None


def _starts(job: TrainingJob, facts: Facts) -> Iterator[Problem]:
    """Somebody runs the kind, and starts it whole."""
    if facts.longest_grace and job.grace > facts.longest_grace:
        yield problem("job.grace-too-long", job.grace, facts=facts)
    needed = job.row.controllers
    if needed and not facts.training.intersection(needed):
        ours = _list(runs(facts.training, facts.scheduler.kind))
        yield problem("job.no-controller", job.kind, ours=ours, needed=needed)
    if reason := refusal(job.kind, facts.scheduler, job.nodes):
        fix = (
            "use kind JobSet or TrainJob"
            if facts.scheduler.gangs
            else "add `scheduling` to the profile, or use one node"
        )
        yield problem("job.not-whole", job.kind, reason=reason, fix=fix)
    if job.priority and job.priority not in facts.priority_classes:
        yield problem("job.no-such-priority", job.priority, classes=_list(list(facts.priority_classes)))


GUIDE = "docs/jobs.md"


def load_job(document: Mapping[str, Any], facts: Facts, source: str = "job") -> TrainingJob:
    """A sound job; raises ProfileError with every fault found."""
    try:
        job = TrainingJob.model_validate(document, by_alias=True, by_name=False)
    except ValidationError as error:
        raise ProfileError(translated(error.errors(), TrainingJob, GUIDE), source) from None
    if problems := list(check_job(job, facts)):
        raise ProfileError(problems, source)
    return job
