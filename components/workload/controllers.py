"""The controllers of jobs: one row for each section of the profile below `training`, with the kinds that it runs.

Plain data of the standard library alone, because the policies read it too, and start without the rest.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Controller:
    """What one section of the profile below `training` runs."""

    api: str
    """Group and version of its kinds."""
    kinds: tuple[str, ...]
    """Those that have pods, also where we render none."""
    beside: tuple[str, ...] = ()
    """Those that only say how others run."""
    brings: tuple[str, ...] = ()
    """Controllers that come with it."""
    capabilities: tuple[str, ...] = ()
    """What pods of its kinds add, as root, beside the fabric's own: the container runtime may not grant it."""

    @property
    def group(self) -> str:
        """API group."""
        return self.api.split("/")[0]

    @property
    def plurals(self) -> tuple[str, ...]:
        """Its kinds as roles and admission name them."""
        return tuple(f"{kind.lower()}s" for kind in (*self.kinds, *self.beside))

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Kueue's integrations of its kinds."""
        return tuple(f"{self.group}/{kind.lower()}" for kind in self.kinds)


CONTROLLERS: Mapping[str, Controller] = {
    "jobset": Controller("jobset.x-k8s.io/v1alpha2", ("JobSet",)),
    "trainer": Controller(
        "trainer.kubeflow.org/v1alpha1", ("TrainJob",), beside=("TrainingRuntime",), brings=("jobset",)
    ),
    "mpiOperator": Controller("kubeflow.org/v2beta1", ("MPIJob",), capabilities=("SYS_CHROOT",)),
    "trainingOperator": Controller("kubeflow.org/v1", ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob")),
    "kuberay": Controller("ray.io/v1", ("RayJob", "RayCluster", "RayService")),
    "leaderWorkerSet": Controller("leaderworkerset.x-k8s.io/v1", ("LeaderWorkerSet",)),
}
"""By the section's key."""


def running(training: Collection[str]) -> tuple[Controller, ...]:
    """Controllers of a cluster with these sections, and what they bring, once each."""
    brought = {other for key in training for other in CONTROLLERS[key].brings}
    return tuple(one for key, one in CONTROLLERS.items() if key in training or key in brought)
