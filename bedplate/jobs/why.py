"""Why a job is where it is: the first that says something, in the order in which a job passes them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bedplate.cluster.objects import Object, conditions, entries, is_true, labels, message, name, part

from . import kueue, pods, volcano
from .reason import Reason

ENDED = {"Complete": True, "Completed": True, "Succeeded": True, "Failed": False}
REFUSED = re.compile(r"denied|forbidden|exceeded quota|violates PodSecurity", re.IGNORECASE)
NAMESPACE_QUOTA = re.compile(r"exceeded quota: (.*)")


@dataclass(frozen=True)
class Seen:
    """What the cluster shows of a job, and of the rest of its namespace."""

    job: str
    objects: Sequence[Object] = ()
    """Those that carry its name: at most one, where nobody uses a name twice."""
    workloads: Sequence[Object] = ()
    """Kueue's Workloads of the namespace."""
    groups: Sequence[Object] = ()
    """Volcano's PodGroups of the namespace."""
    pods: Sequence[Object] = ()
    events: Sequence[Object] = ()


def why(seen: Seen) -> Reason | None:
    """One sentence; None where no such job exists."""
    if not (seen.objects or seen.pods):
        return None
    return next(filter(None, _reasons(seen)), None) or Reason(
        "starting", "its controller has made no pods yet, and nobody says why"
    )


def _reasons(seen: Seen) -> Iterator[Reason | None]:
    yield from map(_ended, seen.objects)
    own = (obj for obj in seen.workloads if _of(obj, seen.job))
    yield from (kueue.explain(workload) for workload in own if not is_true(workload, "Finished"))
    if not seen.pods:
        yield from (_refused(event) for event in reversed(seen.events) if _about(event, seen.job))
    yield from (volcano.explain(group, seen.events) for group in seen.groups if _of(group, seen.job))
    yield pods.explain(seen.pods, seen.events)
    yield from (_suspended(obj, seen) for obj in seen.objects)


def _of(obj: Object, job: str) -> bool:
    """Whether an object is the job's: operators append a random part to names of their own, and own what they make."""
    return name(obj) == job or any(owner.get("name") == job for owner in entries(obj, "metadata", "ownerReferences"))


def _about(event: Object, job: str) -> bool:
    """A job's controller makes objects whose names begin with the job's."""
    about = str(part(event, "involvedObject").get("name", ""))
    return about == job or about.startswith(f"{job}-")


def _ended(obj: Object) -> Reason | None:
    for condition, well in ENDED.items():
        if is_true(obj, condition):
            text = message(conditions(obj)[condition])
            return Reason("finished", f"it has ended well: {text}" if well else f"it has failed: {text}")
    return None


def _refused(event: Object) -> Reason | None:
    """The API server refuses its pods."""
    text = message(event)
    if event.get("type") != "Warning" or not REFUSED.search(text):
        return None
    if quota := NAMESPACE_QUOTA.search(text):
        return Reason("quota", f"the namespace's own quota is used up: {quota[1]}")
    return Reason("admission", f"its pods are refused: {text}")


def _suspended(obj: Object, seen: Seen) -> Reason | None:
    """Kueue makes a Workload for whatever names a queue; a job that is suspended without one waits for ever."""
    suspended = part(obj, "spec").get("suspend") or part(obj, "spec", "runPolicy").get("suspend")
    if not suspended or seen.workloads:
        return None
    if queue := labels(obj).get("kueue.x-k8s.io/queue-name"):
        return Reason("admission", f"it is suspended, and Kueue has made no Workload for it in queue {queue} yet")
    return Reason("admission", "it is suspended and names no queue, so that nobody will start it")
