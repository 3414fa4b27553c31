"""What a job's pods say: where they stand still, and how many of them run.

Messages of kube-scheduler (framework/types.go FitError, plugins' reasons), of the kubelet (images/types.go) and of
schedulers that write the same conditions, such as KAI.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from .objects import Cause, Object, Reason, conditions, name, said

IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError")
PROGRAM = ("CrashLoopBackOff", "RunContainerError", "CreateContainerError")
CONFIGURATION = "CreateContainerConfigError"
DENIED = re.compile(r"401|403|unauthorized|denied|forbidden|no basic auth", re.IGNORECASE)
ABSENT = re.compile(r"not found|manifest unknown|404", re.IGNORECASE)
PREEMPTION = re.compile(r"\s*\bpreemption: .*")
UNSCHEDULABLE: tuple[tuple[re.Pattern[str], Cause, str], ...] = (
    (re.compile("persistentvolumeclaim|unbound immediate|volume"), "volume", "its volume is not there"),
    (re.compile("pod group|podgroup|gang|minMember", re.IGNORECASE), "gang", "not all of its pods find a node at once"),
    (re.compile("topology|hyper ?node", re.IGNORECASE), "topology", "no place with its topology is free"),
    (re.compile("quota|over ?limit|non-preemptible", re.IGNORECASE), "quota", "its queue has too little left"),
    (re.compile(""), "nodes", "no node takes its pods"),
)
"""First that fits; schedulers name what lacks in words of their own."""
EVENTS: tuple[tuple[str, Cause], ...] = (
    ("FailedMount", "volume"),
    ("FailedAttachVolume", "volume"),
    ("FailedCreatePodSandBox", "network"),
    ("NetworkNotReady", "network"),
    ("UnexpectedAdmissionError", "nodes"),
)
"""What holds a pod that has a node and no container yet."""


def explain(pods: Sequence[Object], events: Iterable[Object] = ()) -> Reason | None:
    """The worst of them; None where there are none."""
    found = [reason for pod in pods for reason in _containers(pod)]
    found += [reason for pod in pods if (reason := _scheduling(pod))]
    if found:
        return found[0]
    heard = list(events)
    return next((reason for pod in pods if (reason := _starting(pod, heard))), None) or _together(pods)


def _containers(pod: Object) -> Iterator[Reason]:
    status = pod.get("status", {})
    for one in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        waiting = one.get("state", {}).get("waiting", {})
        reason = waiting.get("reason")
        if reason in IMAGE:
            yield Reason("image", f"{one.get('image')} cannot be pulled: {_image(said(waiting))}")
        elif reason == CONFIGURATION:
            yield Reason("program", f"pod {name(pod)} names what is not there: {said(waiting)}")
        elif reason in PROGRAM:
            yield Reason(
                "program", f"container {one.get('name')} of pod {name(pod)} ends at once: {_ended(one, waiting)}"
            )


def _image(text: str) -> str:
    if DENIED.search(text):
        return f"{text} (the registry refuses: does the namespace have its pull secret?)"
    return f"{text} (is the tag right?)" if ABSENT.search(text) else text


def _ended(container: Object, waiting: Object) -> str:
    last = container.get("lastState", {}).get("terminated", {})
    ended = f"{last.get('reason')}, exit code {last.get('exitCode')}; " if last else ""
    return f"{ended}{said(waiting)}"


def _scheduling(pod: Object) -> Reason | None:
    condition = conditions(pod).get("PodScheduled", {})
    if condition.get("status") != "False":
        return None
    text = said(condition)
    if condition.get("reason") == "SchedulingGated":
        gates = ", ".join(str(gate.get("name")) for gate in pod.get("spec", {}).get("schedulingGates") or ())
        cause: Cause = "topology" if "topology" in gates else "admission"
        return Reason(
            cause, f"pod {name(pod)} is held by scheduling gate {gates}: who set it has not assigned its node"
        )
    # What follows says whether other pods could give way, and hides the count of nodes before it.
    short = PREEMPTION.sub("", text).rstrip(".")
    return next(Reason(cause, f"{what}: {short}") for words, cause, what in UNSCHEDULABLE if words.search(short))


def _starting(pod: Object, events: Sequence[Object]) -> Reason | None:
    if pod.get("status", {}).get("phase") != "Pending":
        return None
    about = [one for one in events if one.get("involvedObject", {}).get("name") == name(pod)]
    for reason, cause in EVENTS:
        if heard := next((one for one in reversed(about) if one.get("reason") == reason), None):
            return Reason(cause, f"pod {name(pod)} cannot start: {said(heard)}")
    return None


def _together(pods: Sequence[Object]) -> Reason | None:
    if not pods:
        return None
    phases = [pod.get("status", {}).get("phase") for pod in pods]
    done, runs = phases.count("Succeeded"), phases.count("Running")
    if failed := phases.count("Failed"):
        return Reason("program", f"{failed} of {len(pods)} pods failed: `bedplate job logs` shows what they said")
    if done == len(pods):
        return Reason("finished", "all of its pods have ended well")
    if done + runs == len(pods):
        return Reason("running", f"it runs: {runs} of {len(pods)} pods")
    return Reason("starting", f"{len(pods) - runs - done} of {len(pods)} pods are starting")
