"""What the cluster shows of a team's jobs."""

from collections.abc import Iterable, Sequence

from bedplate.cluster.objects import Object, entries, kind, labels, name, part
from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.pod import JOB_LABEL

from .kubectl import Kubectl
from .why import Seen

JOBS = tuple(f"{plural}.{group}" for group, _, plural in (row.admitted for row in KINDS.values()))
"""Every kind of job that we render, as kubectl names it."""
WORKLOADS, GROUPS = "workloads.kueue.x-k8s.io", "podgroups.scheduling.volcano.sh"
BESIDE = ("services", "configmaps", "poddisruptionbudgets.policy", "trainingruntimes.trainer.kubeflow.org", GROUPS)
"""What a job brings and does not own. Not its claim: checkpoints outlive the job."""


def jobs(kubectl: Kubectl, kinds: frozenset[str]) -> list[Object]:
    """Every job of the namespace, without those that another made, such as a TrainJob's JobSet."""
    objects = kubectl.items([plural for plural in JOBS if plural in kinds])
    return [obj for obj in objects if not entries(obj, "metadata", "ownerReferences")]


def seen(kubectl: Kubectl, kinds: frozenset[str], objects: Sequence[Object], job: str | None = None) -> list[Seen]:
    """All that `why` needs to know of each of these jobs, or of one name alone."""
    workloads, groups = (kubectl.items([plural]) if plural in kinds else [] for plural in (WORKLOADS, GROUPS))
    pods = kubectl.items(["pods"], "-l", f"{JOB_LABEL}={job}" if job else JOB_LABEL)
    events = kubectl.items(["events"], "--sort-by=.lastTimestamp")
    names = dict.fromkeys(map(name, objects))
    return [
        Seen(
            shown,
            [obj for obj in objects if name(obj) == shown],
            workloads,
            groups,
            [pod for pod in pods if labels(pod).get(JOB_LABEL) == shown],
            [event for event in events if not _of_another(event, shown, names)],
        )
        for shown in ([job] if job else names)
    ]


def _of_another(event: Object, job: str, names: Iterable[str]) -> bool:
    """Whether an object of a job `train-2` is meant, whose names begin with `train-`, too: the longest name counts."""
    about = str(part(event, "involvedObject").get("name", ""))
    longer = (other for other in names if other.startswith(f"{job}-"))
    return any(about == other or about.startswith(f"{other}-") for other in longer)


def beside(kubectl: Kubectl, kinds: frozenset[str], job: str) -> list[Object]:
    """What was made with a job, by its label."""
    return kubectl.items([plural for plural in BESIDE if plural in kinds], "-l", f"{JOB_LABEL}={job}")


def reference(obj: Object) -> str:
    """An object as kubectl takes it."""
    return f"{kind(obj)}/{name(obj)}"
