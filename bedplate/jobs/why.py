"""Why a job is where it is: of all who have a say, the first that says something, in the order of a job's way."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import kueue, pods, volcano
from .objects import Object, Reason, conditions, holds, name, owned, said

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
    """Kueue's."""
    groups: Sequence[Object] = ()
    """Volcano's."""
    pods: Sequence[Object] = ()
    events: Sequence[Object] = ()


def why(seen: Seen) -> Reason | None:
    """One sentence; None where no such job exists."""
    if not (seen.objects or seen.pods):
        return None
    return next(_said(seen), None) or Reason("starting", "its controller has made no pods yet, and nobody says why")


def _said(seen: Seen) -> Iterator[Reason]:
    yield from (reason for one in seen.objects if (reason := _ended(one)))
    yield from _found(kueue.explain(one) for one in seen.workloads if _of(one, seen.job) and not holds(one, "Finished"))
    if not seen.pods:
        yield from _found(_refused(event) for event in reversed(seen.events) if _about(event, seen.job))
    yield from _found(volcano.explain(one, seen.events) for one in seen.groups if _of(one, seen.job))
    yield from _found([pods.explain(seen.pods, seen.events)])
    yield from _found(_suspended(one, seen) for one in seen.objects)


def _found(reasons: "Iterator[Reason | None] | list[Reason | None]") -> Iterator[Reason]:
    return (reason for reason in reasons if reason)


def _of(one: Object, job: str) -> bool:
    return owned(one, job) or name(one) == job


def _about(event: Object, job: str) -> bool:
    """A job's controller makes objects whose names begin with the job's."""
    about = str(event.get("involvedObject", {}).get("name", ""))
    return about == job or about.startswith(f"{job}-")


def _ended(one: Object) -> Reason | None:
    for kind, well in ENDED.items():
        if holds(one, kind):
            text = said(conditions(one)[kind])
            return Reason("finished", f"it has ended well: {text}" if well else f"it has failed: {text}")
    return None


def _refused(event: Object) -> Reason | None:
    """The API server would not have its pods."""
    text = said(event)
    if event.get("type") != "Warning" or not REFUSED.search(text):
        return None
    if quota := NAMESPACE_QUOTA.search(text):
        return Reason("quota", f"the namespace's own quota is used up: {quota[1]}")
    return Reason("admission", f"its pods are refused: {text}")


def _suspended(one: Object, seen: Seen) -> Reason | None:
    """Kueue makes a Workload for whatever names a queue; a job that is suspended without one waits for ever."""
    spec = one.get("spec", {})
    if not (spec.get("suspend") or spec.get("runPolicy", {}).get("suspend")) or seen.workloads:
        return None
    queue = one.get("metadata", {}).get("labels", {}).get("kueue.x-k8s.io/queue-name")
    if queue:
        return Reason("admission", f"it is suspended, and Kueue has made no Workload for it in queue {queue} yet")
    return Reason("admission", "it is suspended and names no queue, so that nobody will start it")
