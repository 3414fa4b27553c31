"""NetworkAttachmentDefinitions: one per rail in every namespace that runs workloads.

Through the Network Operator's own kinds where it is there (it then owns the NAD), plainly otherwise. Addresses never
come from `host-local`: it hands out the same address on two nodes (k8snetworkplumbingwg/multus-cni#185, #640).
"""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Fabric, Facts, NodePool, Rail
from bedplate.components.operators.network_operator import CHART
from bedplate.components.section import Section

CNI_VERSION = "1.0.0"


class Networks(Component[Section], token="bedplate:network:Networks"):
    """The networks that pods name in their annotation."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for manifest in network_manifests(args.facts):
            k8s.apiextensions.CustomResource(manifest["metadata"]["name"], **manifest, opts=child)


def network_manifests(facts: Facts) -> list[dict[str, Any]]:
    """Every rail in every workload namespace."""
    build = _operator_network if "networkOperator" in facts.has else _plain_network
    return [
        build(facts.fabric, rail, pool, home)
        for home in facts.namespaces
        for pool in wirings(facts)
        for rail in facts.fabric.rails[: len(pool.interfaces)]
    ]


def wirings(facts: Facts) -> list[NodePool]:
    """A pool for each set of networks: one where networks name no device of the node, the pool with the most rails."""
    if facts.fabric.exposure == "shared":
        return list(facts.wirings)
    return sorted(facts.wirings, key=lambda pool: len(pool.interfaces))[-1:]


def ipam(fabric: Fabric, rail: Rail) -> dict[str, Any]:
    """IPAM part of a CNI configuration; empty where pods take no address."""
    own = rail.addresses
    if own is None:
        return {}
    if fabric.ipam == "nv-ipam":
        return {"type": "nv-ipam", "poolName": rail.name, **({"poolType": "cidrpool"} if own.node_prefix else {})}
    # Whereabouts hands the gateway out too, unless it is excluded (pkg/allocate at v0.9.4).
    taken = [str(network) for network in own.exclude] + ([f"{own.router}/32"] if own.router else [])
    routes = [{"dst": str(dst), "gw": str(own.router)} for dst in own.routes]
    return {
        "type": "whereabouts",
        "range": str(own.subnet),
        **({"exclude": taken} if taken else {}),
        **({"gateway": str(own.router)} if own.router else {}),
        **({"routes": routes} if routes else {}),
    }


def _operator_network(fabric: Fabric, rail: Rail, pool: NodePool, home: str) -> dict[str, Any]:
    """The operator's kind for this fabric; SR-IOV kinds live beside the operator, the others have no namespace."""
    group, kind, spec = _operator_spec(fabric, rail, pool.interfaces[rail.index])
    place = {"namespace": CHART.namespace} if kind.startswith("Sriov") else {}
    address = {"ipam": json.dumps(ipam(fabric, rail))} if rail.subnet else {}
    return {
        "api_version": group,
        "kind": kind,
        "metadata": {"name": rail.network(home, fabric.wiring(pool)), **place},
        "spec": {"networkNamespace": home, **spec, **address},
    }


def _operator_spec(fabric: Fabric, rail: Rail, device: str) -> tuple[str, str, dict[str, Any]]:
    ours, sriov = "mellanox.com/v1alpha1", "sriovnetwork.openshift.io/v1"
    resource = {"resourceName": rail.resource.split("/")[1]}
    match fabric.exposure, fabric.kind:
        case "shared", "roce":
            return ours, "MacvlanNetwork", _macvlan(fabric, device)
        case "shared", _:
            return ours, "IPoIBNetwork", {"master": device}
        case "host-device", _:
            return ours, "HostDeviceNetwork", resource
        case _, "roce":
            return sriov, "SriovNetwork", resource | (_oracle(fabric) if fabric.ready_vfs else {"linkState": "enable"})
        case _:
            return sriov, "SriovIBNetwork", resource | {"linkState": "enable"}


def _oracle(fabric: Fabric) -> dict[str, Any]:
    """As Oracle's networks have it: rails of one machine are in one network there, so each must answer for itself.

    (oracle-quickstart/oci-hpc-oke, terraform/files/nvidia-network-operator/sriov-network.yaml)
    """
    arp = {"arp_announce": "2", "arp_filter": "1", "arp_ignore": "1", "rp_filter": "0", "accept_local": "1"}
    sysctl = {f"net.ipv4.conf.all.{name}": value for name, value in arp.items()}
    chained = ({"type": "tuning", "sysctl": sysctl, "mtu": fabric.mtu}, {"type": "rdma"}, {"type": "sbr"})
    return {"spoofChk": "off", "metaPlugins": ", ".join(json.dumps(plugin) for plugin in chained)}


def _plain_network(fabric: Fabric, rail: Rail, pool: NodePool, home: str) -> dict[str, Any]:
    address = {"ipam": ipam(fabric, rail)} if rail.subnet else {}
    name = rail.network(home, fabric.wiring(pool))
    config = {"cniVersion": CNI_VERSION, "name": name, **_plugin(fabric, pool.interfaces[rail.index]), **address}
    # The annotation is how Multus learns the device that the kubelet allocated; shared devices have none to pass on.
    device = {"k8s.v1.cni.cncf.io/resourceName": rail.resource}
    annotations = {} if fabric.exposure == "shared" else {"annotations": device}
    return {
        "api_version": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": home, **annotations},
        "spec": {"config": json.dumps(config)},
    }


def _macvlan(fabric: Fabric, device: str) -> dict[str, Any]:
    """Larger than its master's MTU it cannot be made; without one it takes the master's."""
    return {"master": device, "mode": "bridge", **({"mtu": fabric.mtu} if fabric.mtu else {})}


def _plugin(fabric: Fabric, device: str) -> dict[str, Any]:
    match fabric.exposure, fabric.kind:
        case "shared", "roce":
            return {"type": "macvlan", **_macvlan(fabric, device)}
        case "shared", _:
            return {"type": "ipoib", "master": device}
        case "host-device", _:
            return {"type": "host-device"}
        case _, "roce":
            return {"type": "sriov"}
        case _:
            # Without ib-kubernetes and a subnet manager plug-in the CNI must not wait for a GUID (ib-sriov-cni
            # main.go).
            return {"type": "ib-sriov", "link_state": "enable", "ibKubernetesEnabled": False}
