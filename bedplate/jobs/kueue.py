"""What Kueue says of a job: the conditions of its Workload in one sentence.

Messages as Kueue 0.19 writes them (pkg/scheduler/flavorassigner, pkg/cache/scheduler/tas_flavor_snapshot,
pkg/scheduler/preemption). The reasons of QuotaReserved beyond Pending, Waiting and Inadmissible come with its gate
UnadmittedWorkloadsObservability; without it the message alone tells, so that the message is read first.
"""

import re
from collections.abc import Iterator

from bedplate.cluster.objects import Object, conditions, entries, is_true, message, part

from .reason import MESSAGES, Reason, meant

SHORT = re.compile(r"insufficient unused quota for (\S+) in flavor (\S+), (\S+) more needed")
TOO_LARGE = re.compile(
    r"insufficient quota for (\S+) in flavor (\S+), previously considered podsets requests \((\S+)\)"
    r" \+ current podset request \((\S+)\) > maximum capacity \((\S+)\)"
)
PLACE = re.compile(MESSAGES["place"][0]["pattern"])


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
    cause, text = MESSAGES["evicted"].get(reason, ("admission", f"it was evicted ({message(states['Evicted'])})"))
    return Reason(cause, f"{text}; it waits again: {waits.text}")


def _waits(workload: Object) -> Reason:
    queue = str(part(workload, "spec").get("queueName", "none"))
    if not (reserved := conditions(workload).get("QuotaReserved")):
        return Reason("quota", f"Kueue has not come to it yet: other jobs are before it in queue {queue}")
    text = message(reserved)
    meaning = meant("queue", text, queue=queue) or _large(text) or meant("place", text)
    meaning = meaning or _short(text, queue) or meant("flavor", text)
    return meaning or Reason(MESSAGES["reserved"].get(str(reserved.get("reason")), "quota"), text)


def _large(text: str) -> Reason | None:
    """Only where no other flavor could have it some day."""
    match = TOO_LARGE.search(text)
    if match is None or SHORT.search(text) or PLACE.search(text):
        return None
    resource, flavor, others, request, most = match.groups()
    more = f" besides {others} of its other pods" if others != "0" else ""
    what = f"it asks for {request} {resource}{more}, and the queue can have {most} of {flavor}"
    return Reason("quota", f"it never fits: {what}")


def _short(text: str, queue: str) -> Reason | None:
    missing = ", ".join(dict.fromkeys(_missing(text)))
    return Reason("quota", f"queue {queue} has too little left: {missing}") if missing else None


def _missing(text: str) -> Iterator[str]:
    """Amounts that are missing, GPUs first, because the rest follows from them."""
    for resource, flavor, more in sorted(SHORT.findall(text), key=lambda row: not row[0].endswith("/gpu")):
        yield f"{more} more {resource} of {flavor} needed"


def _checks(workload: Object) -> Reason:
    """Quota is reserved; checks such as a ProvisioningRequest come between it and admission."""
    open_ = [check for check in entries(workload, "status", "admissionChecks") if check.get("state") != "Ready"]
    if not open_:
        return Reason("admission", "its quota is reserved, and Kueue is about to admit it")
    states = "; ".join(f"{check.get('name')} is {check.get('state')}: {message(check)}" for check in open_)
    return Reason("admission", f"its quota is reserved, and an admission check is open: {states}")
