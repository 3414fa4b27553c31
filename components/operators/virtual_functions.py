"""What the SR-IOV operator makes of a fabric's ports: virtual functions by rail, on some nodes at a time."""

from collections.abc import Mapping
from typing import Any

from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.operators.network_operator import CHART, NetworkOperatorSection


def virtual_functions(facts: Facts) -> list[dict[str, Any]]:
    """A SriovNetworkNodePolicy per rail: how many virtual functions its port is cut into, and their resource name.

    And per pool where there are several: the operator's selector holds one set of labels.
    """
    several = len(facts.fabric_pools) > 1
    return [
        _node_policy(facts, f"{rail.name}-{pool.name}" if several else rail.name, interface, rail.resource, pool)
        for pool in facts.fabric_pools
        for rail, interface in zip(facts.fabric.rails, pool.interfaces, strict=False)
    ]


def rollout(args: Args[NetworkOperatorSection]) -> list[dict[str, Any]]:
    """A SriovNetworkPoolConfig per pool: by default the operator drains one node of the cluster after the other."""
    return [
        {
            "api_version": "sriovnetwork.openshift.io/v1",
            "kind": "SriovNetworkPoolConfig",
            "metadata": {"name": pool.name, "namespace": CHART.namespace},
            "spec": {
                "maxUnavailable": args.section.at_a_time(pool.nodes),
                "nodeSelector": {"matchLabels": dict(_nics_of(pool))},
            },
        }
        for pool in args.facts.fabric_pools
    ]


def _nics_of(pool: NodePool) -> Mapping[str, str]:
    return {"feature.node.kubernetes.io/pci-15b3.present": "true", **pool.found_by}


def _node_policy(facts: Facts, name: str, interface: str, resource: str, pool: NodePool) -> dict[str, Any]:
    ethernet = facts.fabric.kind == "roce"
    return {
        "api_version": "sriovnetwork.openshift.io/v1",
        "kind": "SriovNetworkNodePolicy",
        "metadata": {"name": name, "namespace": CHART.namespace},
        "spec": {
            "deviceType": "netdevice",
            "isRdma": True,
            "linkType": "eth" if ethernet else "ib",
            **({"mtu": facts.fabric.mtu} if facts.fabric.mtu else {}),
            "nicSelector": {"vendor": "15b3", "pfNames": [interface]},
            "nodeSelector": dict(_nics_of(pool)),
            "numVfs": facts.fabric.num_vfs,
            "priority": 90,
            **({"externallyManaged": True} if facts.fabric.ready_vfs else {}),
            "resourceName": resource.split("/")[1],
        },
    }
