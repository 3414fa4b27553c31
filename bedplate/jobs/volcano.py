"""What Volcano says of a job: its PodGroup's phase and conditions in one sentence.

Messages as Volcano 1.13 and later write them (pkg/scheduler/plugins/gang, plugins/util FormatResourceNames,
api/job_info.go FitError).
"""

import re
from collections.abc import Iterable

from bedplate.cluster.objects import Object, conditions, is_true, message, name, part

from .reason import MESSAGES, Reason, meant

ORIGIN = re.compile(r"Origin reason is(?: \S+)?: (.*)")
QUOTA = re.compile(MESSAGES["gang"][0]["pattern"])
OVERUSED = re.compile("resource in cluster is overused")


def explain(group: Object, events: Iterable[Object] = ()) -> Reason | None:
    """Why a PodGroup does not run; None where it was scheduled, so that its pods tell the rest."""
    phase = part(group, "status").get("phase")
    if phase in {"Running", "Completed"} or (is_true(group, "Scheduled") and not _stuck(group)):
        return None
    if phase in {None, "", "Pending"}:
        return _not_enqueued(group, events)
    stuck = is_true(group, "Unschedulable")
    return _unschedulable(message(conditions(group)["Unschedulable"])) if stuck else None


def _stuck(group: Object) -> bool:
    """Volcano keeps both conditions: the later one holds."""
    stuck, scheduled = (
        str(part(conditions(group), kind).get("lastTransitionTime", "")) for kind in ("Unschedulable", "Scheduled")
    )
    return is_true(group, "Unschedulable") and stuck > scheduled


def _not_enqueued(group: Object, events: Iterable[Object]) -> Reason:
    """A group in phase Pending has no pods yet: its queue has not let it in."""
    queue = part(group, "spec").get("queue", "default")
    texts = [message(event) for event in events if part(event, "involvedObject").get("name") == name(group)]
    if quota := next((text for text in reversed(texts) if QUOTA.search(text)), None):
        return Reason("quota", f"queue {queue} has too little left for it: {quota}")
    if overused := next((text for text in reversed(texts) if OVERUSED.search(text)), None):
        return Reason("quota", f"the cluster is full, and queue {queue} lets nothing more in: {overused}")
    condition = conditions(group).get("Unschedulable")
    return _unschedulable(message(condition)) if condition else Reason("quota", f"queue {queue} has not let it in yet")


def _unschedulable(text: str) -> Reason:
    origin = ORIGIN.search(text)
    why = origin[1] if origin else text
    return meant("gang", text, why=why) or Reason("gang", why)
