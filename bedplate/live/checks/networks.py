"""Networks of the rails: accepted by the operator, and in every team's namespace."""

from collections.abc import Iterator

from bedplate.live.finding import Finding
from bedplate.live.kinds import ATTACHMENT, HOST_DEVICE_NETWORK, IPOIB_NETWORK, MACVLAN_NETWORK
from bedplate.live.reading import Seen, part, place
from bedplate.live.wanted import Wanted

NETWORKS = {
    MACVLAN_NETWORK: "macvlanNetworkAttachmentDef",
    IPOIB_NETWORK: "ipoibNetworkAttachmentDef",
    HOST_DEVICE_NETWORK: "hostDeviceNetworkAttachmentDef",
}
"""Kinds of which the operator makes networks, each with the field of its status that names what it made."""
NAMED = "pods that name it in their annotation stay in ContainerCreating"


def networks(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of every rail and team."""
    there = {place(one) for one in seen.of(ATTACHMENT)}
    for kind, field in NETWORKS.items():
        ours = {one.place for one in wanted.of(kind)}
        for one in (one for one in seen.of(kind) if place(one) in ours):
            status, where = part(one, "status"), f"{kind.kind} {place(one)[1]}"
            if status.get("state") != "ready":
                reason = f": {status['reason']}" if status.get("reason") else ""
                yield Finding("networks", where, f"is {status.get('state') or 'without a state'}{reason}", NAMED)
            made = (one["spec"].get("networkNamespace", "default"), place(one)[1])
            if status.get(field) and seen.knows(ATTACHMENT) and made not in there:
                yield Finding("networks", where, f"its NetworkAttachmentDefinition {'/'.join(made)} is gone", NAMED)
