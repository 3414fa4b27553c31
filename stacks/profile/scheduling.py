"""The sections `scheduling` and `training`: one scheduler, and any of the job controllers."""

from typing import Annotated

from pydantic import Field

from bedplate.components.scheduling.kai import KaiSection
from bedplate.components.scheduling.kueue import KueueSection
from bedplate.components.scheduling.volcano import VolcanoSection
from bedplate.components.section import Section
from bedplate.components.training.jobset import JobSetSection
from bedplate.components.training.kuberay import KubeRaySection
from bedplate.components.training.leader_worker_set import LeaderWorkerSetSection
from bedplate.components.training.mpi_operator import MpiOperatorSection
from bedplate.components.training.trainer import TrainerSection
from bedplate.components.training.training_operator import TrainingOperatorSection

AnyScheduler = Annotated[KueueSection | VolcanoSection | KaiSection, Field(discriminator="kind")]
"""One of them, so that a job has one owner: two would each hold it back for the other."""


class Training(Section):
    """Controllers of distributed jobs; those that are absent are not installed."""

    jobset: JobSetSection | None = None
    """Without it, and with trainer, the Trainer's chart brings its own."""
    trainer: TrainerSection | None = None
    training_operator: TrainingOperatorSection | None = None
    mpi_operator: MpiOperatorSection | None = None
    kuberay: KubeRaySection | None = None
    leader_worker_set: LeaderWorkerSetSection | None = None
    """For serving groups, not for training."""
