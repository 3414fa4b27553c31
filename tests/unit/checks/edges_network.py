"""The cluster's own network, on either side of what is refused."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
KIND = "clusterNetwork.cni"
SIX = {"clusterNetwork.podCidr6": "fd00:10::/48", "clusterNetwork.serviceCidr6": "fd00:96::/112"}


def cni(stack: str, changes: dict[str, Any] | None = None, **said: object) -> dict[str, Any]:
    """A stack on that plug-in."""
    return edited(stack, {KIND: said, **(changes or {})})


ROUTED: dict[str, Any] = {"clusterNetwork.nodeCidrs": ["192.168.20.0/24"], "fabric.ipam.gateway": 1}
EXCLUSIVE = ("clusterNetwork.cni.exclusive = true", "*.cilium_bak", "exclusive: false")
EDGES: dict[str, Case] = {
    "Cilium takes Multus away": refused(cni(ROCE, kind="cilium"), EXCLUSIVE),
    "Cilium leaves Multus alone": taken(cni(ROCE, kind="cilium", exclusive=False)),
    "Cilium without rails": taken(cni(L40S, kind="cilium")),
    "Cilium with verbs alone": taken(
        cni(
            "onprem-h100-ib",
            {"fabric.exposure": "exclusive", "fabric.ipam": GONE, "fabric.numVfs": GONE},
            kind="cilium",
        ),
    ),
    "another plug-in and rails": taken(cni(ROCE, kind="calico")),
    "Flannel keeps no policy": refused(
        cni(L40S, kind="flannel"), ("clusterNetwork.cni.kind = flannel", "keeps no NetworkPolicy", "canal")
    ),
    "Flannel without teams": taken(cni(L40S, {"tenancy": GONE, "serving": GONE, "storage": GONE}, kind="flannel")),
    "Flannel of k3s": taken(cni(L40S, {"platform": "k3s"}, kind="flannel")),
    "Canal": taken(cni(L40S, kind="canal")),
    "both versions of IP": taken(edited(L40S, SIX)),
    "pods among Services by IPv6": refused(
        edited(L40S, {**SIX, "clusterNetwork.serviceCidr6": "fd00:10::/112"}),
        ("clusterNetwork.podCidr6 = fd00:10::/48", "overlaps clusterNetwork.serviceCidr6"),
    ),
    "rails in the nodes' own network": refused(
        edited(ROCE, {"clusterNetwork.nodeCidrs": ["10.64.0.0/16"]}),
        ("fabric.ipam.network = 10.64.0.0/", "holds clusterNetwork.nodeCidrs 10.64.0.0/16", "another range"),
    ),
    "rails within the cloud network that holds the nodes": taken(
        edited(ROCE, {"clusterNetwork.nodeCidrs": ["10.0.0.0/9", "fd00::/64"]})
    ),
    "a route that takes the way to the nodes": refused(
        edited(ROCE, {**ROUTED, "fabric.ipam.routes": ["192.168.0.0/16"]}),
        ("fabric.ipam.routes = 192.168.0.0/16", "the pods' way to the nodes (192.168.20.0/24)"),
    ),
    "a route beside it": taken(edited(ROCE, {**ROUTED, "fabric.ipam.routes": ["192.168.20.128/25"]})),
}
