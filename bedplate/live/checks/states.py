"""Objects of ours whose own status says that they do not work: rails' networks, team namespaces, autoscalers."""

from collections.abc import Iterator

from bedplate.cluster.objects import conditions, is_false, message, part, place
from bedplate.live import kinds
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import ATTACHMENT, AUTOSCALER, NAMESPACE, SCALED_OBJECT
from bedplate.live.reading import Observed

NETWORKS = {
    kinds.MACVLAN_NETWORK: "macvlanNetworkAttachmentDef",
    kinds.IPOIB_NETWORK: "ipoibNetworkAttachmentDef",
    kinds.HOST_DEVICE_NETWORK: "hostDeviceNetworkAttachmentDef",
}
"""Kinds of which the operator makes networks, each with the field of its status that names what it made."""
SCALERS = {SCALED_OBJECT: ("Ready",), AUTOSCALER: ("AbleToScale", "ScalingActive")}
"""Kinds by which model servers scale, each with the conditions that must not be false."""


def networks(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Networks of the rails that the operator did not accept, or whose attachment in a namespace is gone."""
    attachments = {place(obj) for obj in observed.of(ATTACHMENT)}
    for kind, field in NETWORKS.items():
        for obj in desired.own(kind, observed):
            status, where = part(obj, "status"), kind.title(obj)
            if status.get("state") != "ready":
                reason = f": {status['reason']}" if status.get("reason") else ""
                yield finding("networks.state", where, state=status.get("state") or "without a state", reason=reason)
            made = (obj["spec"].get("networkNamespace", "default"), place(obj)[1])
            if status.get(field) and observed.knows(ATTACHMENT) and made not in attachments:
                yield finding("networks.gone", where, attachment="/".join(made))


def teams(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Namespaces that are being deleted; `drift` compares their guards as the rest of the plan.

    What the API server's type check writes of a guard is no finding: it warns of every field that only some of a
    guard's kinds have, even behind `has()`, and of a ResourceQuota's `spec.hard`; what a policy does never depends on
    it (kubernetes.io, Validating Admission Policy, Type checking).
    """
    for obj in observed.of(NAMESPACE):
        if place(obj)[1] in desired.homes | desired.teams and part(obj, "status").get("phase") == "Terminating":
            remains = [
                message(condition) for condition in conditions(obj).values() if condition.get("status") == "True"
            ]
            because = f": {remains[-1]}" if remains else ""
            yield finding("teams.ends", NAMESPACE.title(obj), because=because)


def scaling(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """KEDA's objects and autoscalers of model servers that do not scale."""
    for kind, required in SCALERS.items():
        for obj in desired.own(kind, observed):
            for condition in required:
                if is_false(obj, condition):
                    yield finding("serving.fixed", kind.title(obj), message=message(conditions(obj)[condition]))
