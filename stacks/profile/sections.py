"""Sections that no component has: scheduler and job controllers, what the site runs, and changes on purpose."""

from typing import Annotated, Literal

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

Release = Annotated[str, Field(pattern=r"^v?[0-9]+(\.[0-9]+)+([-+].+)?$")]


class Running(Section):
    """Something that others install, look after and upgrade."""

    version: Release | None = None
    """The release that runs, where it is known: what is too old for this cluster is then refused."""


class DevicePlugin(Running):
    """NVIDIA's device plugin, by a chart of the site's or the GPU Operator."""

    renames_shared: bool = False
    """Its `renameByDefault`: a share of a GPU is called `nvidia.com/gpu.shared`, as ours does. By default, as by
    NVIDIA's, it is `nvidia.com/gpu`, and the product's label ends in `-SHARED`."""


class SiteSection(Section):
    """What runs on the cluster already and stays the site's."""

    multus: Running | None = None
    """Multus, by RKE2's or k3s' chart, Kubespray's switch or a manifest; the Network Operator then brings none."""
    whereabouts: Running | None = None
    """Whereabouts, for `fabric.ipam.kind: whereabouts`."""
    nfd: Running | None = None
    """Node Feature Discovery: our rules for it are made, and its release stays."""
    device_plugin: DevicePlugin | None = None
    """NVIDIA's device plugin or GPU Operator, as `existingDevicePlugin: true` says without a version."""
    driver: Running | None = None
    """The GPU driver of the node image, with `driverOwner: image` or `cloud`."""


DangerName = Literal[
    "rolls-pods",
    "unknown",
    "refused",
    "evicts-jobs",
    "reloads-drivers-or-network",
    "replaces-nodes",
    "loses-quota",
    "loses-data",
]
"""As `bedplate/review/danger.py` has them, from harmless to final."""


class Acknowledged(Section):
    """One change, or some by a pattern, that `bedplate diff --fail-on` lets pass."""

    change: str = Field(min_length=3, pattern="/")
    """Kind and name of the resource, `Release/gpu-operator`; `*` stands for anything."""
    danger: DangerName
    """The worst that it may do."""
    reason: str = Field(min_length=8)
    """Why, and when: shown in the review."""


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
