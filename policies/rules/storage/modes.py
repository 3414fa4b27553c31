"""Whether a claim's class and volume can do what the claim asks for, and its pods can share it."""

from collections import defaultdict

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.pools import together
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.volumes import (
    BLOCK_CLASSES,
    BLOCK_DRIVERS,
    claim,
    of_a_node,
    on_one_node,
    storage_class,
)
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import dig, integer, quantity, text, texts, whole


@rule("STO-707", MANDATORY, also=ADVISORY, on=Stack)
def modes_fit(stack: Stack) -> Complaints:
    """A class that clouds make themselves is known by its name, unless the site has made another of that name."""
    for claim_ in stack.of("PersistentVolumeClaim"):
        shared = "ReadWriteMany" in texts(claim_.spec.get("accessModes")) and claim_.spec.get("volumeMode") != "Block"
        name = text(claim_.spec.get("storageClassName"))
        found = storage_class(stack, name) if name else None
        driver = text(found.props.get("provisioner")) if found else ""
        blocks = driver in BLOCK_DRIVERS or (found is None and name in BLOCK_CLASSES)
        if shared and blocks and whole(claim_.spec) and stack.named("StorageClass"):
            what = f"asks for ReadWriteMany of class {name}, which has block volumes"
            yield Complaint(what, severity=None if driver else ADVISORY, about=claim_)


def _users(stack: Stack) -> dict[str, list[Pod]]:
    """The pods of each claim for one node, by its URN: those that surely meet it, and may be on two nodes."""
    users: dict[str, list[Pod]] = defaultdict(list)
    for pod in stack.pods:
        for name in pod.claims if whole(pod.spec) and not together(pod) else ():
            found = claim(stack, pod.resource.namespace, name)
            if found and whole(found.at("spec")) and of_a_node(found) and on_one_node(stack, found):
                users[found.urn] += [pod] if stack.deployed_together(found, pod.resource) else []
    return users


def _surges(workload: Resource) -> bool:
    """Whether a rollout starts a new pod before the old one is gone."""
    strategy = workload.spec.get("strategy")
    surge = dig(strategy, "rollingUpdate", "maxSurge")
    return whole(strategy) and dig(strategy, "type") != "Recreate" and surge not in (0, "0", "0%")


@rule("STO-708", ADVISORY, on=Stack)
def pods_of_a_volume_meet(stack: Stack) -> Complaints:
    """ReadWriteOnce is for a node: two pods share the volume only where both come to one.

    Two are the replicas of a Deployment, the old and the new pod of its rollout, or pods of two objects. Replicas with
    GPUs are INF-611's.
    """
    users = _users(stack)
    for claim_ in stack.of("PersistentVolumeClaim"):
        pods = users.get(claim_.urn, [])
        owners = sorted({pod.resource.title for pod in pods})
        name = f"claim {claim_.object_name}, which is ReadWriteOnce"
        if len(owners) > 1:
            yield Complaint(f"{' and '.join(owners)} mount {name}", about=claim_)
        for pod in pods if len(owners) == 1 and pods[0].resource.kind == "Deployment" else ():
            count = integer(pod.replicas)
            if count == 1 and _surges(pod.resource):
                yield Complaint(f"starts its new pod beside the old one, and both mount {name}", about=pod.resource)
            elif count and count > 1 and not pod.gpus:
                yield Complaint(f"has {count} replicas, which all mount {name}", about=pod.resource)


@rule("STO-709", MANDATORY, on=Stack)
def claims_can_be_bound(stack: Stack) -> Complaints:
    """ReadWriteOncePod stands alone, and a volume that a claim names has its class, modes, size and kind.

    A volume that names its claim, too, is bound without a look at them (syncUnboundClaim of the same controller).
    """
    for claim_ in stack.of("PersistentVolumeClaim"):
        modes = texts(claim_.spec.get("accessModes"))
        if "ReadWriteOncePod" in modes and len(set(modes)) > 1:
            yield Complaint(f"asks for {', '.join(modes)}: ReadWriteOncePod stands alone", about=claim_)
        name = text(claim_.spec.get("volumeName"))
        volume = stack.find("PersistentVolume", name) if name else None
        known = volume and "claimRef" not in volume.spec and whole(claim_.spec) and whole(volume.spec)
        if volume and known and stack.deployed_together(volume, claim_):
            for what in _misfits(claim_, volume):
                yield Complaint(f"names {volume.title}, {what}", about=claim_)


def _misfits(claim_: Resource, volume: Resource) -> list[str]:
    """Why Kubernetes never binds a claim to a volume: checkVolumeSatisfyClaim of its controller."""
    class_, other = claim_.spec.get("storageClassName"), text(volume.spec.get("storageClassName"))
    lacking = sorted({*texts(claim_.spec.get("accessModes"))} - {*texts(volume.spec.get("accessModes"))})
    size = quantity(dig(claim_.spec, "resources", "requests", "storage"))
    room = quantity(dig(volume.spec, "capacity", "storage"))
    kinds = [text(each.spec.get("volumeMode")) or "Filesystem" for each in (claim_, volume)]
    return [
        *([f"whose class is {other or 'none'}, not {text(class_)}"] if class_ not in (None, other) else []),
        *([f"which has not {', '.join(lacking)}"] if lacking else []),
        *([f"which has {room:f} bytes of {size:f}"] if size and room is not None and size > room else []),
        *([f"whose volumeMode is {kinds[1]}, not {kinds[0]}"] if kinds[0] != kinds[1] else []),
    ]
