"""What a pod holds of its node: as kube-scheduler counts it, and as Kueue and Volcano do."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from bedplate.components.quantity import amount
from bedplate.live.reading import Object, entries, part

Amounts = dict[str, Decimal]
OVER = ("Succeeded", "Failed")


def holds(pod: Object) -> bool:
    """It has a node, and has not ended."""
    return bool(part(pod, "spec").get("nodeName")) and part(pod, "status").get("phase") not in OVER


def asked(pod: Object) -> Amounts:
    """Of all containers side by side, or of the one before them that asks for more beside the sidecars before it.

    k8s.io/component-helpers@v0.35.4 resource/helpers.go `PodRequests`: what is said of the whole pod comes instead, and
    what its runtime takes comes on top.
    """
    spec, before, most = part(pod, "spec"), Amounts(), Amounts()
    for one in entries(spec, "initContainers"):
        mine = _requests(part(one, "resources"))
        most = greater(most, total((before, mine)))
        if one.get("restartPolicy") == "Always":
            before = total((before, mine))
    running = total((before, *(_requests(part(one, "resources")) for one in entries(spec, "containers"))))
    return total((greater(running, most) | _requests(part(spec, "resources")), _read(part(spec, "overhead"))))


def total(parts: Iterable[Mapping[str, Decimal]]) -> Amounts:
    """All of them together."""
    found = Amounts()
    for name, number in (item for one in parts for item in one.items()):
        found[name] = found.get(name, Decimal(0)) + number
    return found


def greater(one: Mapping[str, Decimal], other: Mapping[str, Decimal]) -> Amounts:
    """Of each resource the greater amount."""
    none = Decimal(0)
    return {name: max(one.get(name, none), other.get(name, none)) for name in {**one, **other}}


def _requests(resources: Object) -> Amounts:
    """Limits where nothing is requested, as the API server writes it."""
    return _read(part(resources, "limits")) | _read(part(resources, "requests"))


def _read(quantities: Mapping[str, object]) -> Amounts:
    return {name: amount(str(text)) for name, text in quantities.items()}
