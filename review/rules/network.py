"""Drivers of the interfaces, devices of the rails, addresses, and who may talk to whom."""

from collections.abc import Mapping

from review.changes import Change
from review.danger import Danger, Judgement
from review.rules.rule import Rule

OFED = "NVIDIA docs, Network Operator: NVIDIA DOCA-OFED driver upgrade"
SRIOV = "k8snetworkplumbingwg/sriov-network-operator README, draining of nodes"
POLICIES = "Kubernetes docs: network policies"
IPAM = "Mellanox/nvidia-k8s-ipam README, IPPool"
MULTUS = "k8snetworkplumbingwg/multus-cni docs: attachments are made when a pod starts"
PLACED = ("spec.nodeAffinity", "spec.tolerations")
"""Also part of the pods that load the driver (Mellanox/network-operator manifests/state-ofed-driver)."""
PLUGINS = ("spec.rdmaSharedDevicePlugin", "spec.sriovDevicePlugin")


def nic_cluster_policy(change: Change) -> Judgement:
    """One object for the driver, the device plugins and the secondary network."""
    driver = change.resource.inputs.get("spec", {}).get("ofedDriver")
    if change.touches("spec.ofedDriver", *(PLACED if driver else ())) or change.what in ("delete", "replace"):
        return Judgement(Danger.RELOADS, "the network driver is loaded anew: node by node, drained first", OFED)
    if change.touches(*(f"{plugin}.config" for plugin in PLUGINS)):
        reason = (
            "the device plugin starts anew; pods that run keep their devices, renamed resources are asked for in vain"
        )
        return Judgement(Danger.ROLLS_PODS, reason, "Kubernetes docs: device plugins")
    if change.what == "create":
        return Judgement(Danger.NOTHING, "new: no rail is handed out before it is there", OFED)
    return Judgement(Danger.ROLLS_PODS, "operands of the Network Operator roll", OFED)


def virtual_functions(change: Change) -> Judgement:
    """Ports are configured anew, which needs an empty node."""
    if change.what == "create":
        return Judgement(Danger.RELOADS, "ports get virtual functions: nodes are drained one after the other", SRIOV)
    return Judgement(Danger.RELOADS, "ports are configured anew: nodes are drained one after the other", SRIOV)


def addresses(change: Change) -> Judgement:
    """Handed out when a pod starts; what runs keeps its own until the pool goes."""
    if change.what in ("delete", "replace") or change.touches("spec.subnet", "spec.perNodeBlockSize"):
        reason = "blocks of nodes are handed out anew: a new pod may get an address that a running one still has"
        return Judgement(Danger.RELOADS, reason, IPAM)
    return Judgement(Danger.NOTHING, "only pods that start later see it", IPAM)


def attachment(change: Change) -> Judgement:
    """A network of the rails in a namespace."""
    if change.what == "delete":
        reason = "pods that run keep their interface; those that start later do not start"
        return Judgement(Danger.EVICTS_JOBS, reason, MULTUS)
    return Judgement(Danger.NOTHING, "only pods that start later see it", MULTUS)


def policy(change: Change) -> Judgement:
    """They add up, and the one without rules closes; they hold for connections that are there, with most plugins."""
    spec = change.resource.inputs.get("spec", {})
    allows = bool(spec.get("ingress") or spec.get("egress"))
    if change.what == ("create" if allows else "delete"):
        return Judgement(Danger.NOTHING, "more is allowed than before: policies add up", POLICIES)
    reason = "what only it allows is cut, also of what runs" if allows else "all that no other policy allows is cut"
    return Judgement(Danger.RELOADS, reason, POLICIES)


RULES: Mapping[str, Rule] = {
    "NicClusterPolicy": nic_cluster_policy,
    "NicNodePolicy": nic_cluster_policy,
    "SriovNetworkNodePolicy": virtual_functions,
    "SriovNetworkPoolConfig": attachment,
    "IPPool": addresses,
    "CIDRPool": addresses,
    "MacvlanNetwork": attachment,
    "HostDeviceNetwork": attachment,
    "SriovNetwork": attachment,
    "SriovIBNetwork": attachment,
    "NetworkAttachmentDefinition": attachment,
    "NetworkPolicy": policy,
    "Network": attachment,
    "GKENetworkParamSet": attachment,
}
