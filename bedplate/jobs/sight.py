"""What the cluster shows of a team's jobs."""

from collections.abc import Iterable, Sequence

from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.pod import JOB_LABEL

from .kubectl import Kubectl
from .objects import Object, name
from .why import Seen

JOBS = tuple(f"{plural}.{group}" for group, _, plural in (row.admitted for row in KINDS.values()))
"""Every kind of job that we render, as kubectl names it."""
WORKLOADS, GROUPS = "workloads.kueue.x-k8s.io", "podgroups.scheduling.volcano.sh"
BESIDE = (
    "services",
    "configmaps",
    "poddisruptionbudgets.policy",
    "trainingruntimes.trainer.kubeflow.org",
    GROUPS,
)
"""What a job brings and does not own. Not its claim: checkpoints outlive the job."""


def jobs(kubectl: Kubectl, kinds: frozenset[str]) -> list[Object]:
    """Every job of the namespace, without those that another made, such as a TrainJob's JobSet."""
    found = kubectl.items([kind for kind in JOBS if kind in kinds])
    return [one for one in found if not one.get("metadata", {}).get("ownerReferences")]


def seen(kubectl: Kubectl, kinds: frozenset[str], found: Sequence[Object], job: str | None = None) -> list[Seen]:
    """All that `why` asks about each of these jobs, or of one name alone."""
    workloads, groups = (kubectl.items([kind]) if kind in kinds else [] for kind in (WORKLOADS, GROUPS))
    pods = kubectl.items(["pods"], "-l", f"{JOB_LABEL}={job}" if job else JOB_LABEL)
    events = kubectl.items(["events"], "--sort-by=.lastTimestamp")
    all_names = dict.fromkeys(map(name, found))
    names = [job] if job else all_names
    return [
        Seen(
            one,
            [o for o in found if name(o) == one],
            workloads,
            groups,
            _pods(pods, one),
            [event for event in events if not _of_another(event, one, all_names)],
        )
        for one in names
    ]


def _of_another(event: Object, job: str, names: Iterable[str]) -> bool:
    """A job `train-2` has objects that begin with `train-`, too: the longest name of a job is whose it is."""
    about = str(event.get("involvedObject", {}).get("name", ""))
    longer = (other for other in names if other.startswith(f"{job}-"))
    return any(about == other or about.startswith(f"{other}-") for other in longer)


def beside(kubectl: Kubectl, kinds: frozenset[str], job: str) -> list[Object]:
    """What was made with a job, by its label."""
    return kubectl.items([kind for kind in BESIDE if kind in kinds], "-l", f"{JOB_LABEL}={job}")


def reference(one: Object) -> str:
    """An object as kubectl takes it: kind, version, group and name, so that no short name is meant."""
    group, _, version = str(one["apiVersion"]).rpartition("/")
    kind = str(one["kind"])
    return f"{kind}.{version}.{group}/{name(one)}" if group else f"{kind}/{name(one)}"


def _pods(pods: Iterable[Object], job: str) -> list[Object]:
    return [pod for pod in pods if pod.get("metadata", {}).get("labels", {}).get(JOB_LABEL) == job]
