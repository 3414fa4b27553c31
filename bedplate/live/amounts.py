"""What a pod holds of its node: as kube-scheduler counts it, and as Kueue and Volcano do."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from bedplate.cluster.objects import Object, entries, part
from bedplate.components.quantity import amount

Amounts = dict[str, Decimal]
"""By resource, in the resource's own unit: cores, bytes, devices."""
ENDED = ("Succeeded", "Failed")


def holds(pod: Object) -> bool:
    """Whether a pod has a node, and has not ended."""
    return bool(part(pod, "spec").get("nodeName")) and part(pod, "status").get("phase") not in ENDED


def requests(pod: Object) -> Amounts:
    """What all containers side by side request, or an init container that requests more beside the sidecars before it.

    Requests of the whole pod replace that, and what the pod's runtime takes comes on top (k8s.io/component-helpers
    v0.35.4, resource/helpers.go `PodRequests`).
    """
    spec, sidecars, most = part(pod, "spec"), Amounts(), Amounts()
    for container in entries(spec, "initContainers"):
        own = _requests(part(container, "resources"))
        most = greater(most, total((sidecars, own)))
        if container.get("restartPolicy") == "Always":
            sidecars = total((sidecars, own))
    running = total((sidecars, *(_requests(part(container, "resources")) for container in entries(spec, "containers"))))
    return total((greater(running, most) | _requests(part(spec, "resources")), _amounts(part(spec, "overhead"))))


def total(parts: Iterable[Mapping[str, Decimal]]) -> Amounts:
    """The sum of each resource."""
    sums = Amounts()
    for name, number in (item for amounts in parts for item in amounts.items()):
        sums[name] = sums.get(name, Decimal(0)) + number
    return sums


def greater(left: Mapping[str, Decimal], right: Mapping[str, Decimal]) -> Amounts:
    """The greater amount of each resource."""
    none = Decimal(0)
    return {name: max(left.get(name, none), right.get(name, none)) for name in {**left, **right}}


def _requests(resources: Object) -> Amounts:
    """Limits where nothing is requested, as the API server writes it."""
    return _amounts(part(resources, "limits")) | _amounts(part(resources, "requests"))


def _amounts(quantities: Mapping[str, object]) -> Amounts:
    return {name: amount(str(text)) for name, text in quantities.items()}
