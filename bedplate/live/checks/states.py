"""Objects of ours whose own status says that they do not work: rails' networks, team namespaces, autoscalers."""

from collections.abc import Iterator

from bedplate.cluster.objects import conditions, is_false, message, part, place
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding
from bedplate.live.kinds import (
    ATTACHMENT,
    AUTOSCALER,
    HOST_DEVICE_NETWORK,
    IPOIB_NETWORK,
    MACVLAN_NETWORK,
    NAMESPACE,
    SCALED_OBJECT,
)
from bedplate.live.reading import Observed

NETWORKS = {
    MACVLAN_NETWORK: "macvlanNetworkAttachmentDef",
    IPOIB_NETWORK: "ipoibNetworkAttachmentDef",
    HOST_DEVICE_NETWORK: "hostDeviceNetworkAttachmentDef",
}
"""Kinds of which the operator makes networks, each with the field of its status that names what it made."""
SCALERS = {SCALED_OBJECT: ("Ready",), AUTOSCALER: ("AbleToScale", "ScalingActive")}
"""Kinds by which model servers scale, each with the conditions that must not be false."""
NAMED = "pods that name it in their annotation stay in ContainerCreating"
FIXED = "the server keeps its number of replicas, whatever waits in its queue"


def networks(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Networks of the rails that the operator did not accept, or whose attachment in a namespace is gone."""
    attachments = {place(obj) for obj in observed.of(ATTACHMENT)}
    for kind, field in NETWORKS.items():
        for obj in desired.own(kind, observed):
            status, where = part(obj, "status"), kind.title(obj)
            if status.get("state") != "ready":
                reason = f": {status['reason']}" if status.get("reason") else ""
                yield Finding("networks", where, f"is {status.get('state') or 'without a state'}{reason}", NAMED)
            made = (obj["spec"].get("networkNamespace", "default"), place(obj)[1])
            if status.get(field) and observed.knows(ATTACHMENT) and made not in attachments:
                yield Finding("networks", where, f"its NetworkAttachmentDefinition {'/'.join(made)} is gone", NAMED)


def teams(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Namespaces that are being deleted; `drift` compares their guards as the rest of the plan.

    What the API server's type check writes of a guard is no finding: it warns of every field that only some of a
    guard's kinds have, even behind `has()`, and of a ResourceQuota's `spec.hard`; what a policy does never depends on
    it (kubernetes.io, Validating Admission Policy, Type checking).
    """
    for obj in observed.of(NAMESPACE):
        if place(obj)[1] in desired.homes | desired.teams and part(obj, "status").get("phase") == "Terminating":
            remains = [message(one) for one in conditions(obj).values() if one.get("status") == "True"]
            because = f": {remains[-1]}" if remains else ""
            yield Finding(
                "teams", NAMESPACE.title(obj), f"is being deleted{because}", "nothing can be made in it any more"
            )


def scaling(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """KEDA's objects and autoscalers of model servers that do not scale."""
    for kind, required in SCALERS.items():
        for obj in desired.own(kind, observed):
            for condition in required:
                if is_false(obj, condition):
                    what = f"does not scale: {message(conditions(obj)[condition])}"
                    yield Finding("serving", kind.title(obj), what, FIXED)
