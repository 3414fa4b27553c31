"""What stands on a node: who must go before it can be mended, what each holds, and what keeps it there. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from bedplate.cluster.objects import Object, entries, labels, name, part, place
from bedplate.components.facts.pools import GPU, SLICE
from bedplate.live.amounts import ENDED, requests


def standing(pods: Iterable[Object]) -> list[Object]:
    """Pods that a drain must end: neither of a DaemonSet nor of the kubelet's own files, and not over yet."""
    kept = (pod for pod in pods if part(pod, "status").get("phase") not in ENDED)
    return [pod for pod in kept if owner(pod) not in ("DaemonSet", "Node")]


def owner(pod: Object) -> str:
    """The kind of the controller that would make the pod anew; empty: nobody would."""
    owners: Sequence[Object] = part(pod, "metadata").get("ownerReferences") or ()
    return next((str(one["kind"]) for one in owners if one.get("controller")), "")


def blocked(pods: Sequence[Object], budgets: Sequence[Object]) -> dict[str, list[str]]:
    """By pod that must still go, as `namespace/name`: the budgets that let none go now."""
    closed = [one for one in budgets if not part(one, "status").get("disruptionsAllowed")]
    return {"/".join(place(pod)): [name(one) for one in closed if _selects(one, pod)] for pod in standing(pods)}


def _selects(budget: Object, pod: Object) -> bool:
    """By `policy/v1`: an empty selector selects all of the namespace."""
    selector = part(budget, "spec", "selector")
    equal = part(selector, "matchLabels").items() <= labels(pod).items()
    same = place(budget)[0] == place(pod)[0]
    return same and equal and all(_matches(one, labels(pod)) for one in entries(selector, "matchExpressions"))


def _matches(requirement: Object, own: Mapping[str, str]) -> bool:
    key, values = str(requirement["key"]), requirement.get("values") or ()
    is_there = {"Exists": key in own, "DoesNotExist": key not in own, "In": own.get(key) in values}
    return is_there.get(str(requirement["operator"]), own.get(key) not in values)


def held(pod: Object) -> str:
    """As it is shown: `team/name, 8 GPUs, up to 600 s to end`."""
    gpus = sum(number for key, number in requests(pod).items() if key == GPU or key.startswith(SLICE))
    seconds = part(pod, "spec").get("terminationGracePeriodSeconds")
    parts = [f"{gpus} GPU{'s' if gpus != 1 else ''}"] if gpus else []
    return ", ".join(["/".join(place(pod)), *parts, *([f"up to {seconds} s to end"] if seconds else [])])
