"""Drivers of the interfaces, devices of the rails, addresses, and who may talk to whom."""

from collections.abc import Mapping
from typing import Any

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, nothing, reloads, rolls

OFED = "NVIDIA docs, Network Operator: NVIDIA DOCA-OFED driver upgrade"
OPERANDS = "NVIDIA docs, Network Operator: NicClusterPolicy CRD"
SRIOV = "k8snetworkplumbingwg/sriov-network-operator README, draining of nodes"
POLICIES = "Kubernetes docs: network policies"
IPAM = "Mellanox/nvidia-k8s-ipam README, IPPool"
MULTUS = "k8snetworkplumbingwg/multus-cni docs: attachments are made when a pod starts"
FIRMWARE = "Mellanox/nic-configuration-operator README: NicConfigurationTemplate"

_LOADED = reloads("the network driver is loaded anew: node by node, drained first", OFED)
_ROLL = rolls("operands of the Network Operator roll", OPERANDS)
_RENAMED = rolls(
    "the device plugin starts anew; pods that run keep their devices, renamed resources are asked for in vain",
    "Kubernetes docs: device plugins",
)


def placed(change: Change, _: Field) -> Judgement:
    """Also part of the pods that load the driver (Mellanox/network-operator manifests/state-ofed-driver)."""
    return _LOADED if change.resource.spec.get("ofedDriver") else _ROLL


_IMAGE = "{image,repository,version,imagePullSecrets[]}"
NIC_POLICY = Kind(
    nothing("new: no rail is handed out before it is there", OFED),
    _LOADED,
    {
        **OBJECT,
        "spec.ofedDriver.*": _LOADED,
        "spec.{nodeAffinity.*,nodeSelector.*,tolerations[].key,tolerations[].operator}": placed,
        "spec.tolerations[].{value,effect,tolerationSeconds}": placed,
        "spec.{rdmaSharedDevicePlugin,sriovDevicePlugin}.config": _RENAMED,
        f"spec.{{rdmaSharedDevicePlugin,sriovDevicePlugin,nvIpam}}.{_IMAGE}": _ROLL,
        f"spec.secondaryNetwork.{{cniPlugins,multus,ipoib}}.{_IMAGE}": _ROLL,
        f"spec.nicConfigurationOperator.{{operator,configurationDaemon}}.{_IMAGE}": _ROLL,
        "spec.nicConfigurationOperator.env[].{name,value}": _ROLL,
        "spec.nvIpam.enableWebhook": _ROLL,
    },
)
"""One object for the driver, the device plugins and the secondary network."""

_PORTS = reloads("ports are configured anew: nodes are drained one after the other", SRIOV)
VIRTUAL_FUNCTIONS = Kind(
    reloads("ports get virtual functions: nodes are drained one after the other", SRIOV),
    _PORTS,
    OBJECT,
    otherwise=_PORTS,
)
_NODES = nothing("only how many nodes are configured at a time", SRIOV)
PACE = Kind(_NODES, _NODES, {**OBJECT, "spec.{maxUnavailable,nodeSelector.matchLabels.*}": _NODES})

_FIRMWARE = reloads("interfaces are configured anew: nodes are drained, and restarted for firmware", FIRMWARE)
TEMPLATE = Kind(_FIRMWARE, nothing("interfaces stay as they are", FIRMWARE), OBJECT, otherwise=_FIRMWARE)

_BLOCKS = reloads(
    "blocks of nodes are handed out anew: a new pod may get an address that a running one still has", IPAM
)
_LATER = nothing("only pods that start later see it", IPAM)
ADDRESSES = Kind(
    _LATER,
    _BLOCKS,
    {
        **OBJECT,
        "spec.{subnet,perNodeBlockSize,cidr,perNodeNetworkPrefix}": _BLOCKS,
        "spec.{gateway,gatewayIndex,routes[].dst}": _LATER,
        "spec.nodeSelector.*": reloads("nodes that it leaves out lose their blocks", IPAM),
    },
)
"""Handed out when a pod starts; what runs keeps its own until the pool goes."""

_STARTS = nothing("only pods that start later see it", MULTUS)
ATTACHMENT = Kind(
    _STARTS,
    evicts("pods that run keep their interface; those that start later do not start", MULTUS),
    {
        **OBJECT,
        "spec.{config,ipam,networkNamespace,resourceName,master,mode,mtu,linkState,metaPlugins,spoofChk}": _STARTS,
        "spec.{type,parametersRef.group,parametersRef.kind,parametersRef.name,vpc,vpcSubnet,deviceMode}": _STARTS,
        "metadata.annotations.k8s.v1.cni.cncf.io/resourceName": _STARTS,
    },
    replaced=_STARTS,
)
"""A network of the rails in a namespace."""


def _allows(change: Change) -> bool:
    spec = change.resource.spec
    return bool(spec.get("ingress") or spec.get("egress"))


_MORE = nothing("more is allowed than before: policies add up", POLICIES)
_CUT = reloads("what only it allows is cut, also of what runs", POLICIES)
_CLOSED = reloads("all that no other policy allows is cut", POLICIES)


def policy_comes(change: Change) -> Judgement:
    """The one without rules closes; the one with rules opens."""
    if change.fresh:
        return nothing("its namespace is new: nothing runs there yet", POLICIES)
    return _MORE if _allows(change) else _CLOSED


def policy_goes(change: Change) -> Judgement:
    """What only it allowed is cut; without the one that closes, more is allowed."""
    return _CUT if _allows(change) else _MORE


def peers(change: Change, _: Field) -> Judgement:
    """They add up: a policy that only allows more cuts nothing."""
    old, new = change.specs
    same = all(old.get(key) == new.get(key) for key in ("podSelector", "policyTypes"))
    kept = all(_within(old.get(key) or [], new.get(key) or []) for key in ("ingress", "egress"))
    return _MORE if same and kept else _CUT


def _within(old: list[Any], new: list[Any]) -> bool:
    return all(one in new for one in old)


POLICY = Kind(
    policy_comes,
    policy_goes,
    {
        **OBJECT,
        "spec.{ingress[],egress[]}.ports[].{port,protocol,endPort}": peers,
        "spec.{ingress[].from[],egress[].to[]}.ipBlock.{cidr,except[]}": peers,
        "spec.{ingress[].from[],egress[].to[]}.{namespaceSelector,podSelector}.*": peers,
        "spec.{podSelector.*,policyTypes[]}": peers,
    },
    replaced=lambda change: _CUT if _allows(change) else _CLOSED,
)
"""They hold for connections that are there, with most plugins."""
RULES: Mapping[str, Rule] = {
    "NicClusterPolicy": NIC_POLICY,
    "NicNodePolicy": NIC_POLICY,
    "NicConfigurationTemplate": TEMPLATE,
    "SriovNetworkNodePolicy": VIRTUAL_FUNCTIONS,
    "SriovNetworkPoolConfig": PACE,
    "IPPool": ADDRESSES,
    "CIDRPool": ADDRESSES,
    "NetworkPolicy": POLICY,
    **dict.fromkeys(
        (
            "MacvlanNetwork",
            "HostDeviceNetwork",
            "IPoIBNetwork",
            "SriovNetwork",
            "SriovIBNetwork",
            "NetworkAttachmentDefinition",
            "Network",
            "GKENetworkParamSet",
        ),
        ATTACHMENT,
    ),
}
