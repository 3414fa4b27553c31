"""nv-ipam pools, one per rail: equal blocks of a subnet, or a subnet for each node. Only for `ipam: nv-ipam`."""

from ipaddress import IPv4Network
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Addresses, Args, Facts, NodePool, Rail
from bedplate.components.operators.network_operator import CHART
from bedplate.components.section import Section


class IpPools(Component[Section], token="bedplate:network:IpPools"):
    """Addresses of the rails."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for pool in ip_pools(args.facts):
            k8s.apiextensions.CustomResource(f"{pool['metadata']['name']}-pool", **pool, opts=child)


def ip_pools(facts: Facts) -> list[dict[str, Any]]:
    """A pool per rail, in the operator's namespace, where nv-ipam looks for it."""
    return [_pool(facts, rail, rail.addresses) for rail in facts.fabric.rails if rail.addresses]


def _pool(facts: Facts, rail: Rail, own: Addresses) -> dict[str, Any]:
    return {
        "api_version": "nv-ipam.nvidia.com/v1alpha1",
        "kind": "CIDRPool" if own.node_prefix else "IPPool",
        "metadata": {"name": rail.name, "namespace": CHART.namespace},
        "spec": {
            **(_of_nodes(own) if own.node_prefix else _shared(own, facts.fabric.block_size)),
            **({"exclusions": [_range(network) for network in own.exclude]} if own.exclude else {}),
            **({"routes": [{"dst": str(network)} for network in own.routes]} if own.routes else {}),
            "nodeSelector": {
                "nodeSelectorTerms": [_term(pool) for pool in facts.fabric_pools if len(pool.interfaces) > rail.index]
            },
        },
    }


def _shared(own: Addresses, block_size: int) -> dict[str, Any]:
    """One subnet, a block of it for each node; without a gateway nv-ipam hands .1 out like any other."""
    gateway = {"gateway": str(own.router)} if own.router else {}
    return {"subnet": str(own.subnet), "perNodeBlockSize": block_size, **gateway}


def _of_nodes(own: Addresses) -> dict[str, Any]:
    """A subnet for each node; to named ones always the same, so that their switch ports can have its gateway."""
    static = [{"nodeName": host, "prefix": str(own.of_host(index))} for index, host in enumerate(own.hosts)]
    return {
        "cidr": str(own.subnet),
        "perNodeNetworkPrefix": own.node_prefix,
        **({"gatewayIndex": own.gateway} if own.gateway is not None else {}),
        **({"staticAllocations": static} if static else {}),
    }


def _range(network: IPv4Network) -> dict[str, str]:
    return {"startIP": str(network[0]), "endIP": str(network[-1])}


def _term(pool: NodePool) -> dict[str, Any]:
    """Only nodes of the fabric take a block; without a selector the system's nodes would use up addresses too.

    By labels that stay: nv-ipam forgets the block of a node as soon as it lacks one, and gives it to another under the
    pods that run (Mellanox/nvidia-k8s-ipam, controllers/cidrpool). GPU Feature Discovery takes the GPU's product away
    whenever it ends, up to the GPU Operator's v25.10 (NVIDIA/k8s-device-plugin#796).
    """
    labels = pool.found_by.items()
    return {"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in labels]}
