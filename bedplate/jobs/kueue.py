"""What Kueue says of a job: the conditions of its Workload in one sentence.

Messages as Kueue 0.19 writes them (pkg/scheduler/flavorassigner, pkg/cache/scheduler/tas_flavor_snapshot,
pkg/scheduler/preemption). The reasons of QuotaReserved beyond Pending, Waiting and Inadmissible come with its gate
UnadmittedWorkloadsObservability; without it the message alone tells, so that it is asked first.
"""

import re
from collections.abc import Iterator

from .objects import Cause, Object, Reason, conditions, holds, said

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
    """Why it is not admitted; None where it is, and its pods have the word."""
    known = conditions(workload)
    if workload.get("spec", {}).get("active") is False:
        return _deactivated(known.get("Evicted", {}))
    if holds(workload, "Admitted"):
        return None
    if holds(workload, "QuotaReserved"):
        return _checks(workload)
    waits = _waits(workload, known.get("QuotaReserved", {}))
    return _evicted(known, waits) if holds(workload, "Evicted") else waits


def _deactivated(evicted: Object) -> Reason:
    why = said(evicted) if evicted else "spec.active is false"
    return Reason("gang", f"Kueue has given it up ({why}): cancel it, mend the cause, and submit it again")


def _evicted(known: dict[str, Object], waits: Reason) -> Reason:
    """It ran, and waits again: what it waits for now comes last."""
    reason = str(known["Evicted"].get("reason"))
    if reason == "Preempted":
        by = re.search(r"due to ([^;]+)", said(known.get("Preempted", {})))
        why = f" ({by[1].strip()})" if by else ""
        return Reason("priority", f"it gave way to another job{why}, and waits again: {waits.text}")
    cause, text = EVICTIONS.get(reason, ("admission", f"it was evicted ({said(known['Evicted'])})"))
    return Reason(cause, f"{text}; it waits again: {waits.text}")


def _waits(workload: Object, reserved: Object) -> Reason:
    queue = workload.get("spec", {}).get("queueName", "none")
    if not reserved:
        return Reason("quota", f"Kueue has not come to it yet: other jobs are before it in queue {queue}")
    text = said(reserved)
    for read in (_configuration, _preempting, _large, _placement, _quota):
        if reason := read(text, str(queue)):
            return reason
    return _by_reason(str(reserved.get("reason")), text)


def _configuration(text: str, queue: str) -> Reason | None:
    if gone := GONE.search(text):
        return Reason("admission", f"{gone[0]}: its queue is {queue}; `kubectl get localqueues` lists those there are")
    if stopped := STOPPED.search(text):
        return Reason("admission", f"{stopped[0]}: somebody stopped it, or a flavor or check of it is missing")
    if OTHERS_STARTING.search(text):
        return Reason(
            "gang", "jobs that were admitted before it are still starting, and Kueue lets one start at a time"
        )
    return None


def _preempting(text: str, _queue: str) -> Reason | None:
    if room := MAKING_ROOM.search(text):
        return Reason("priority", f"it is more urgent than {room[1]} other job(s), and waits for them to leave")
    return None


def _large(text: str, _queue: str) -> Reason | None:
    """Only where no other flavor could have it some day."""
    found = TOO_LARGE.search(text)
    if found is None or SHORT.search(text) or PLACE.search(text):
        return None
    resource, flavor, before, asked, most = found.groups()
    more = f" besides {before} of its other pods" if before != "0" else ""
    return Reason(
        "quota", f"it never fits: it asks for {asked} {resource}{more}, and the queue can have {most} of {flavor}"
    )


def _placement(text: str, _queue: str) -> Reason | None:
    if found := PLACE.search(text) or LEVEL.search(text):
        return Reason("topology", f"the quota is there and the nodes are not: {found[0]}")
    return None


def _quota(text: str, queue: str) -> Reason | None:
    if short := list(dict.fromkeys(_missing(text))):
        return Reason("quota", f"queue {queue} has too little left: {', '.join(short)}")
    if found := FLAVOR.search(text):
        return Reason("nodes", f"no pool of the queue takes its pods: {found[0]}")
    return None


def _missing(text: str) -> Iterator[str]:
    """What lacks, GPUs first: the rest follows from them."""
    found = SHORT.findall(text)
    for resource, flavor, more in sorted(found, key=lambda one: not one[0].endswith("/gpu")):
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
"""Reasons of QuotaReserved, where the message is one that we do not know."""


def _by_reason(reason: str, text: str) -> Reason:
    return Reason(CAUSES.get(reason, "quota"), text)


def _checks(workload: Object) -> Reason:
    """Quota is reserved; checks such as a ProvisioningRequest come between it and admission."""
    states = workload.get("status", {}).get("admissionChecks") or ()
    open_ = [check for check in states if check.get("state") != "Ready"]
    if not open_:
        return Reason("admission", "its quota is reserved, and Kueue is about to admit it")
    said_ = "; ".join(f"{check.get('name')} is {check.get('state')}: {said(check)}" for check in open_)
    return Reason("admission", f"its quota is reserved, and an admission check is open: {said_}")
