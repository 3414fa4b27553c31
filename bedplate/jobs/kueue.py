"""What Kueue says of a job: the conditions of its Workload in one sentence.

Messages as Kueue 0.19 writes them (pkg/scheduler/flavorassigner, pkg/cache/scheduler/tas_flavor_snapshot,
pkg/scheduler/preemption). The reasons of QuotaReserved beyond Pending, Waiting and Inadmissible come with its gate
UnadmittedWorkloadsObservability; without it the message alone tells, so that the message is read first.
"""

import re
from collections.abc import Iterator

from bedplate.cluster.objects import Object, conditions, entries, is_true, message, part

from .reason import Cause, Reason

SHORT = re.compile(r"insufficient unused quota for (\S+) in flavor (\S+), (\S+) more needed")
TOO_LARGE = re.compile(
    r"insufficient quota for (\S+) in flavor (\S+), previously considered podsets requests \((\S+)\)"
    r" \+ current podset request \((\S+)\) > maximum capacity \((\S+)\)"
)
PLACE = re.compile(r"topology \"([^\"]+)\" (?:doesn't allow to fit any of|allows to fit only) .*")
LEVEL = re.compile(r"no (?:requested )?topology (?:level|domains at level)[^:]*: .*")
FLAVOR = re.compile(r"untolerated taint .* in flavor \S+|flavor \S+ doesn't match node affinity")
MAKING_ROOM = re.compile(r"Pending the preemption of (\d+) workload\(s\)")
GONE = re.compile(r"(?:Local|Cluster)Queue \S+ (?:doesn't exist|not found)")
STOPPED = re.compile(r"(?:Local|Cluster)Queue \S+ is inactive")
OTHERS_STARTING = re.compile("waiting for all admitted workloads to be in PodsReady condition")
EVICTIONS: dict[str, tuple[Cause, str]] = {
    "PodsReadyTimeout": ("gang", "its pods were not all ready in time, so that Kueue took their place back"),
    "AdmissionCheck": ("admission", "an admission check turned it away"),
    "ClusterQueueStopped": ("admission", "the cluster's queue is stopped"),
    "LocalQueueStopped": ("admission", "the team's queue is stopped"),
    "NodeFailures": ("nodes", "nodes under it failed"),
}


def explain(workload: Object) -> Reason | None:
    """Why a Workload is not admitted; None where it is, so that its pods tell the rest."""
    if part(workload, "spec").get("active") is False:
        return _deactivated(conditions(workload).get("Evicted", {}))
    if is_true(workload, "Admitted"):
        return None
    if is_true(workload, "QuotaReserved"):
        return _checks(workload)
    waits = _waits(workload)
    return _evicted(conditions(workload), waits) if is_true(workload, "Evicted") else waits


def _deactivated(evicted: Object) -> Reason:
    why = message(evicted) if evicted else "spec.active is false"
    return Reason("gang", f"Kueue has given it up ({why}): cancel it, mend the cause, and submit it again")


def _evicted(states: dict[str, Object], waits: Reason) -> Reason:
    """It ran, and waits again: what it waits for now comes last."""
    reason = str(states["Evicted"].get("reason"))
    if reason == "Preempted":
        by = re.search(r"due to ([^;]+)", message(states.get("Preempted", {})))
        why = f" ({by[1].strip()})" if by else ""
        return Reason("priority", f"it gave way to another job{why}, and waits again: {waits.text}")
    cause, text = EVICTIONS.get(reason, ("admission", f"it was evicted ({message(states['Evicted'])})"))
    return Reason(cause, f"{text}; it waits again: {waits.text}")


def _waits(workload: Object) -> Reason:
    queue = part(workload, "spec").get("queueName", "none")
    if not (reserved := conditions(workload).get("QuotaReserved")):
        return Reason("quota", f"Kueue has not come to it yet: other jobs are before it in queue {queue}")
    text = message(reserved)
    for read in (_configuration, _preempting, _large, _placement, _quota):
        if reason := read(text, str(queue)):
            return reason
    return Reason(CAUSES.get(str(reserved.get("reason")), "quota"), text)


def _configuration(text: str, queue: str) -> Reason | None:
    if gone := GONE.search(text):
        return Reason("admission", f"{gone[0]}: its queue is {queue}; `kubectl get localqueues` lists those there are")
    if stopped := STOPPED.search(text):
        return Reason("admission", f"{stopped[0]}: somebody stopped it, or a flavor or check of it is missing")
    if OTHERS_STARTING.search(text):
        text = "jobs that were admitted before it are still starting, and Kueue lets one start at a time"
        return Reason("gang", text)
    return None


def _preempting(text: str, _queue: str) -> Reason | None:
    if room := MAKING_ROOM.search(text):
        return Reason("priority", f"it is more urgent than {room[1]} other job(s), and waits for them to leave")
    return None


def _large(text: str, _queue: str) -> Reason | None:
    """Only where no other flavor could have it some day."""
    match = TOO_LARGE.search(text)
    if match is None or SHORT.search(text) or PLACE.search(text):
        return None
    resource, flavor, others, request, most = match.groups()
    more = f" besides {others} of its other pods" if others != "0" else ""
    what = f"it asks for {request} {resource}{more}, and the queue can have {most} of {flavor}"
    return Reason("quota", f"it never fits: {what}")


def _placement(text: str, _queue: str) -> Reason | None:
    if match := PLACE.search(text) or LEVEL.search(text):
        return Reason("topology", f"the quota is there and the nodes are not: {match[0]}")
    return None


def _quota(text: str, queue: str) -> Reason | None:
    if short := list(dict.fromkeys(_missing(text))):
        return Reason("quota", f"queue {queue} has too little left: {', '.join(short)}")
    if match := FLAVOR.search(text):
        return Reason("nodes", f"no pool of the queue takes its pods: {match[0]}")
    return None


def _missing(text: str) -> Iterator[str]:
    """Amounts that are missing, GPUs first, because the rest follows from them."""
    for resource, flavor, more in sorted(SHORT.findall(text), key=lambda row: not row[0].endswith("/gpu")):
        yield f"{more} more {resource} of {flavor} needed"


CAUSES: dict[str, Cause] = {
    "NoMatchingFlavor": "nodes",
    "WaitingForQuota": "quota",
    "ExceedsMaxQuota": "quota",
    "TopologyPlacementFailed": "topology",
    "WaitingForPreemptedWorkloads": "priority",
    "Misconfigured": "admission",
    "Suspended": "admission",
    "WaitingForPodsReady": "gang",
    "AdmissionGated": "admission",
    "Inadmissible": "admission",
}
"""By reason of QuotaReserved, where the message matches no pattern."""


def _checks(workload: Object) -> Reason:
    """Quota is reserved; checks such as a ProvisioningRequest come between it and admission."""
    open_ = [check for check in entries(workload, "status", "admissionChecks") if check.get("state") != "Ready"]
    if not open_:
        return Reason("admission", "its quota is reserved, and Kueue is about to admit it")
    states = "; ".join(f"{check.get('name')} is {check.get('state')}: {message(check)}" for check in open_)
    return Reason("admission", f"its quota is reserved, and an admission check is open: {states}")
