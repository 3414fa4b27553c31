"""What a job's pods say: where they stand still, and how many of them run.

Messages of kube-scheduler (framework/types.go FitError, plugins' reasons), of the kubelet (images/types.go) and of
schedulers that write the same conditions, such as KAI.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from bedplate.cluster.objects import Object, conditions, entries, message, name, part

from .reason import MESSAGES, Reason, meant

IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError")
PROGRAM = ("CrashLoopBackOff", "RunContainerError", "CreateContainerError")
CONFIGURATION = "CreateContainerConfigError"
DENIED = re.compile(r"401|403|unauthorized|denied|forbidden|no basic auth", re.IGNORECASE)
ABSENT = re.compile(r"not found|manifest unknown|404", re.IGNORECASE)
PREEMPTION = re.compile(r"\s*\bpreemption: .*")


def explain(pods: Sequence[Object], events: Iterable[Object] = ()) -> Reason | None:
    """The worst that stops a pod, or how many run; None where there are no pods."""
    kept = list(events)
    stops = chain(
        chain.from_iterable(map(_containers, pods)), map(_scheduling, pods), (_starting(pod, kept) for pod in pods)
    )
    return next(filter(None, stops), None) or _together(pods)


def _containers(pod: Object) -> Iterator[Reason]:
    for status in (*entries(pod, "status", "initContainerStatuses"), *entries(pod, "status", "containerStatuses")):
        waiting = part(status, "state", "waiting")
        reason = waiting.get("reason")
        if reason in IMAGE:
            yield Reason("image", f"{status.get('image')} cannot be pulled: {_image(message(waiting))}")
        elif reason == CONFIGURATION:
            yield Reason("program", f"pod {name(pod)} names what is not there: {message(waiting)}")
        elif reason in PROGRAM:
            why = f"container {status.get('name')} of pod {name(pod)} ends at once: {_ended(status, waiting)}"
            yield Reason("program", why)


def _image(text: str) -> str:
    if DENIED.search(text):
        return f"{text} (the registry refuses: does the namespace have its pull secret?)"
    return f"{text} (is the tag right?)" if ABSENT.search(text) else text


def _ended(status: Object, waiting: Object) -> str:
    last = part(status, "lastState", "terminated")
    ended = f"{last.get('reason')}, exit code {last.get('exitCode')}; " if last else ""
    return f"{ended}{message(waiting)}"


def _scheduling(pod: Object) -> Reason | None:
    condition = conditions(pod).get("PodScheduled", {})
    if condition.get("status") != "False":
        return None
    text = message(condition)
    if condition.get("reason") == "SchedulingGated":
        gates = ", ".join(str(gate.get("name")) for gate in entries(pod, "spec", "schedulingGates"))
        why = f"pod {name(pod)} is held by scheduling gate {gates}: who set it has not assigned its node"
        return Reason("topology" if "topology" in gates else "admission", why)
    # What follows says whether other pods could give way, and hides the count of nodes before it.
    short = PREEMPTION.sub("", text).rstrip(".")
    return meant("unschedulable", short, why=short)


def _starting(pod: Object, events: Sequence[Object]) -> Reason | None:
    if part(pod, "status").get("phase") != "Pending":
        return None
    own = [event for event in reversed(events) if part(event, "involvedObject").get("name") == name(pod)]
    for reason, cause in MESSAGES["events"].items():
        if event := next((event for event in own if event.get("reason") == reason), None):
            return Reason(cause, f"pod {name(pod)} cannot start: {message(event)}")
    return None


def _together(pods: Sequence[Object]) -> Reason | None:
    if not pods:
        return None
    phases = [part(pod, "status").get("phase") for pod in pods]
    done, runs = phases.count("Succeeded"), phases.count("Running")
    if failed := phases.count("Failed"):
        return Reason("program", f"{failed} of {len(pods)} pods failed: `bedplate job logs` shows what they said")
    if done == len(pods):
        return Reason("finished", "all of its pods have ended well")
    if done + runs == len(pods):
        return Reason("running", f"it runs: {runs} of {len(pods)} pods")
    return Reason("starting", f"{len(pods) - runs - done} of {len(pods)} pods are starting")
