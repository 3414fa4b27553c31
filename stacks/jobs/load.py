"""From a job file's mapping to a job that this cluster can run, or to one clear line per fault."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from bedplate.components.facts import Facts
from bedplate.components.workload.job import TrainingJob
from bedplate.stacks.jobs.checks import check_job
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.validation import translated

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
