"""The kinds of job that we render: one row each, from which whatever else names them follows.

Plain data of the standard library alone, because the policies read it too, and start without the rest.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from bedplate.components.workload.controllers import CONTROLLERS, Controller, running

Kind = Literal["PyTorchJob", "TrainJob", "MPIJob", "JobSet", "Job", "VolcanoJob", "LeaderWorkerSet", "RayJob"]
"""As a job file names it."""
PodGroup = Literal["run-policy", "runtime", "job", "annotation", "labels", "ours"]
"""Who makes Volcano's PodGroup, from what: an operator from `runPolicy.schedulingPolicy`, which knows no topology; the
Trainer from its runtime's policy; Volcano from its own Job; a controller from the job's annotation or labels; we."""
POD_NAME = 63
"""A host name's length."""


@dataclass(frozen=True)
class JobKind:
    """A kind of job that we render."""

    api: str
    """`apiVersion` of its object."""
    object: str
    """`kind` of its object."""
    pod_group: PodGroup
    suffix: str = ""
    """What its controller appends to the job's name for its last pod."""
    limit: int | None = None
    """Longest name that its controller takes, where that is not what pods leave of a host name."""
    torchrun: bool = False
    """Its pods are started alike, each by a launcher of its own."""
    elastic: bool = False
    """Its nodes may come and go."""
    coordinator: bool = False
    """A pod without GPUs starts and watches the others."""
    two_pod_sets: bool = False
    """Its first pod is a set of its own, though it works like the others: Kueue would place the two apart."""
    serves: bool = False
    """Its pods start again after success: for servers."""
    kai: bool = True
    """KAI starts several of its pods as one group (KAI pod grouper)."""
    scheduler: str | None = None
    """The one that brings its controller."""

    @property
    def group(self) -> str:
        """API group."""
        return self.api.split("/")[0]

    @property
    def type_meta(self) -> dict[str, str]:
        """The first two keys of its object."""
        return {"apiVersion": self.api, "kind": self.object}

    @property
    def admitted(self) -> tuple[str, str, str]:
        """Group, version and plural, as the API server's admission matches it."""
        group, version = self.api.split("/")
        return group, version, f"{self.object.lower()}s"

    @property
    def framework(self) -> str | None:
        """Kueue's integration; None where its own scheduler queues it."""
        return None if self.scheduler else f"{self.group}/{self.object.lower()}"

    @property
    def controllers(self) -> tuple[str, ...]:
        """Sections below `training`, one of which brings its controller; none: it is there without."""
        return tuple(key for key in CONTROLLERS if any(self._of(one) for one in running((key,))))

    def _of(self, controller: Controller) -> bool:
        return self.api == controller.api and self.object in controller.kinds

    def longest_name(self, nodes: int) -> int:
        """Of a job with so many nodes."""
        return self.limit or POD_NAME - len(self.suffix.format(last=nodes - 1))


KINDS: Mapping[Kind, JobKind] = {
    "PyTorchJob": JobKind(
        CONTROLLERS["trainingOperator"].api,
        "PyTorchJob",
        "run-policy",
        suffix="-worker-{last}",
        torchrun=True,
        elastic=True,
        two_pod_sets=True,
    ),
    "TrainJob": JobKind(
        CONTROLLERS["trainer"].api, "TrainJob", "runtime", suffix="-node-0-{last}-xxxxx", torchrun=True
    ),
    "MPIJob": JobKind(
        CONTROLLERS["mpiOperator"].api, "MPIJob", "run-policy", suffix="-worker-{last}", coordinator=True
    ),
    "JobSet": JobKind(CONTROLLERS["jobset"].api, "JobSet", "ours", suffix="-node-0-{last}-xxxxx", torchrun=True),
    "Job": JobKind("batch/v1", "Job", "ours", suffix="-{last}-xxxxx", torchrun=True, kai=False),
    "VolcanoJob": JobKind(
        "batch.volcano.sh/v1alpha1", "Job", "job", suffix="-node-{last}", torchrun=True, scheduler="volcano"
    ),
    # Longer names make pods that cannot be created (LWS troubleshooting).
    "LeaderWorkerSet": JobKind(
        CONTROLLERS["leaderWorkerSet"].api, "LeaderWorkerSet", "annotation", limit=51, two_pod_sets=True, serves=True
    ),
    # KubeRay's validation.
    "RayJob": JobKind(CONTROLLERS["kuberay"].api, "RayJob", "labels", limit=47, coordinator=True),
}
TORCHRUN = tuple(kind for kind, row in KINDS.items() if row.torchrun)
"""Those that torchrun starts."""


def runs(training: Collection[str], scheduler: str | None) -> list[str]:
    """Kinds of jobs that somebody runs where these controllers and this scheduler are; servers are none."""
    ours = {
        kind: row.controllers for kind, row in KINDS.items() if not row.serves and row.scheduler in (None, scheduler)
    }
    return [kind for kind, needed in ours.items() if not needed or {*training}.intersection(needed)]
