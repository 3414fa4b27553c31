"""Rails of several kinds of node and their addresses: profiles on either side of a limit, and just beside it."""

import copy
from typing import Any

from tests.unit.checks.case import GONE, edited, refused, taken

ROCE = "onprem-h100-roce"
FOUR = ["ens1np0", "ens2np0", "ens3np0", "ens4np0"]
HALF: dict[str, Any] = {"gpu": "H100", "gpus": 8, "cpus": 64, "memoryGib": 512, "fabrics": ["roce"], "nics": 4}
SECOND: dict[str, Any] = {
    "name": "half",
    "shape": HALF,
    "nodes": 2,
    "selector": {"half": "yes"},
    "rails": FOUR,
    "hcas": ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"],
}
FLEET = {"pools.1.selector": {"half": "no"}, "pools.1.nodes": 8, "pools.2": SECOND}
ROUTED: dict[str, Any] = {
    "networkOperator.sharedPodsPerNode": 1,
    "fabric.ipam.railPrefix": 20,
    "fabric.ipam.nodePrefix": 31,
    "fabric.ipam.gateway": 0,
}
WIDE = {"fabric.ipam.network": "172.16.0.0/12", **ROUTED}


def fleet(base: str = ROCE, **changes: Any) -> dict[str, Any]:
    """Two pools of one fabric, wired differently; `__` for the dots that a keyword cannot hold."""
    return edited(base, {**copy.deepcopy(FLEET), **{path.replace("__", "."): value for path, value in changes.items()}})


def plugged(exposure: str, **devices: int) -> dict[str, Any]:
    """NICs that the site's own device plugin hands out; `_` for the slash that a keyword cannot hold."""
    own = {name.replace("_", "/"): count for name, count in devices.items()}
    change = {"fabric.exposure": exposure, "fabric.existingDevices": own, "fabric.hcas": GONE, "fabric.mtu": GONE}
    around = {"networkOperator": GONE, "fabric.ipam.kind": "whereabouts", "multus": {}, "whereabouts": {}}
    return edited(ROCE, change | around)


def called(names: str, **more: Any) -> dict[str, Any]:
    """The rails so, by their number."""
    return edited(ROCE, {"fabric.rails": [names.format(index) for index in range(8)], "fabric.hcas": GONE, **more})


OLD = {"kubernetesVersion": "1.31", "gpuOperator.version": "v25.10.1"}
NO_PORT = ("fabric.rails = ", "a bond or VLAN, and device plugins know ports alone")
NO_NETWORK = ("fabric.rails = ", "an RDMA device, to which no pod network attaches")


def routed(prefix: int, exposure: Any = "sriov", **more: Any) -> dict[str, Any]:
    """Each node a subnet of its own, of that length."""
    space = {"fabric.ipam.network": "172.16.0.0/12", "fabric.ipam.railPrefix": 16, "fabric.ipam.gateway": 1}
    return edited(
        ROCE, {**space, "fabric.ipam.nodePrefix": prefix, "fabric.exposure": exposure, "fabric.hcas": GONE, **more}
    )


def whole(**more: Any) -> dict[str, Any]:
    """Whole HCAs of InfiniBand for pods, by no name."""
    change = {"fabric.exposure": "exclusive", "fabric.ipam": GONE, "fabric.rails": GONE, "verification": GONE}
    return edited("onprem-h100-ib", {**change, **more})


NO_EGRESS = {f"tenancy.teams.{team}.egress": GONE for team in (0, 1)}
EDGES = {
    "whole HCAs by name, beside those of storage": taken(whole(**{"fabric.rails": [f"ib{n}" for n in range(8)]})),
    "shared HCAs without names, storage's among them": refused(
        whole(**{"fabric.exposure": "shared"}),
        ("fabric.rails = absent", "4 NVIDIA NICs beside the rails", "or their hcas"),
    ),
    "shared HCAs by their own names": taken(
        whole(**{"fabric.exposure": "shared", "fabric.hcas": [f"mlx5_{n}" for n in range(8)]})
    ),
    "shared HCAs of machines without others": taken(
        whole(
            **{
                "fabric.exposure": "shared",
                "pools.1.shape": {
                    "gpu": "H100",
                    "gpus": 8,
                    "cpus": 112,
                    "memoryGib": 2048,
                    "fabrics": ["infiniband"],
                    "nics": 8,
                    "nicGbps": 400,
                },
            }
        )
    ),
    "whole HCAs without names, storage's among them": refused(
        whole(), ("fabric.rails = absent", "4 NVIDIA NICs beside the rails", "ibp24s0")
    ),
    "whole HCAs without names where there are no others": taken(whole(**{"pools.1.shape": "hgx-h100"})),
    "whole HCAs that the site's own plugin hands out": taken(
        whole(**{"networkOperator": GONE, "fabric.existingDevices": {"example.com/hca": 8}})
    ),
    "an address of each rail for every virtual function": taken(routed(28)),
    "virtual functions without an address": refused(
        routed(29), ("fabric.numVfs = 8", "for 5 pods", "use 5, or a shorter nodePrefix")
    ),
    "one virtual function for the one address": taken(routed(31, **{"fabric.numVfs": 1})),
    "two for one": refused(routed(31, **{"fabric.numVfs": 2}), ("fabric.numVfs = 2", "for 1 pods")),
    "more virtual functions than GPUs": taken(routed(28, **{"fabric.numVfs": 16})),
    "virtual functions beyond a block": refused(
        edited(ROCE, {"fabric.ipam.blockSize": 7, "fabric.exposure": "sriov", "fabric.hcas": GONE}),
        ("fabric.numVfs = 8", "for 7 pods", "or a larger blockSize"),
    ),
    "sharers without an address": refused(
        routed(30, "shared"), ("networkOperator.sharedPodsPerNode = 63", "for 1 pods")
    ),
    "one sharer for one address": taken(routed(30, "shared", **{"networkOperator.sharedPodsPerNode": 1})),
    "whole NICs, one address": taken(routed(31, "host-device")),
    "ports that begin with the word": taken(called("bond{}np0")),
    "bonds": refused(called("bond{}"), *[NO_PORT] * 8),
    "VLANs": refused(called("ens{}np0.100"), *[NO_PORT] * 8),
    "bonds that a plugin of the site's knows": taken(
        edited(plugged("shared", rdma_bond=1), {"fabric.rails": [f"bond{index}" for index in range(8)]})
    ),
    "bonds, and the site's plugin beside the operator": refused(
        called("bond{}", **{"fabric.existingDevices": {"rdma/bond": 1}}), ("fabric.existingDevices", "both register")
    ),
    "RDMA devices": refused(called("mlx5_{}"), *[NO_NETWORK] * 8),
    "RDMA devices by the names of their places": refused(called("rocep{}s0"), *[NO_NETWORK] * 8),
    "RDMA devices by the names of their places in another PCI domain": refused(
        called("roceP2p{}s0f0"), *[NO_NETWORK] * 8
    ),
    "network devices by the names of their places in another PCI domain": taken(called("enP2p{}s0f0np0")),
    "RDMA devices of several PCI domains": taken(edited(ROCE, {"fabric.hcas": [f"roceP{i}p3s0f0" for i in range(8)]})),
    "RDMA devices of several PCI domains, in another form": taken(
        edited(ROCE, {"fabric.hcas": [f"ibP{i}p3s0" for i in range(8)]})
    ),
    "a device of the site's for each rail": taken(plugged("host-device", site_nic=8)),
    "a virtual function of the site's for each rail": taken(plugged("sriov", site_vf=8)),
    "a device of the site's too few": refused(
        plugged("host-device", site_nic=7), ("fabric.existingDevices = {'site/nic': 7}", "one for each rail", "count 8")
    ),
    "devices that many pods share, moved into one": refused(
        plugged("sriov", rdma_hca=8), ("fabric.existingDevices.rdma/hca = 8", "many pods share it", "SR-IOV plugin")
    ),
    "a device that many pods share, shared": taken(plugged("shared", rdma_hca=1)),
    "two kinds of node in one fabric": taken(fleet()),
    "two kinds of node, one of them with the fabric's own names": taken(
        fleet(pools__2__rails=None, pools__2__shape={**HALF, "nics": 8}, pools__2__hcas=None)
    ),
    "two kinds of node that only their GPUs tell apart": taken(
        fleet(pools__2__selector=None, pools__2__shape={**HALF, "gpu": "A100-80"}),
    ),
    "two kinds of node with an operator that knows no policies per pool": taken(
        fleet(
            networkOperator={"version": "26.1.2"}, pools__2__selector=None, pools__2__shape={**HALF, "gpu": "A100-80"}
        )
    ),
    "whole NICs of two kinds of node in another order, with a plugin for all": refused(
        fleet(
            fabric__exposure="host-device",
            networkOperator={"version": "26.1.2"},
            pools__2__rails=["ens2np0", *FOUR[:1], *FOUR[2:]],
        ),
        ("pools[2].rails", "ens2np0 is rail 1 of another pool", "a plugin per pool"),
    ),
    "whole NICs of two kinds of node in another order, with a plugin for each": taken(
        fleet(fabric__exposure="host-device", pools__2__rails=["ens2np0", *FOUR[:1], *FOUR[2:]])
    ),
    "whole NICs of two kinds of node in the same order": taken(
        fleet(fabric__exposure="host-device", networkOperator={"version": "26.1.2"})
    ),
    "virtual functions of two kinds of node": taken(
        fleet(fabric__exposure="sriov", fabric__hcas=[], pools__2__hcas=None, verification=GONE)
    ),
    "virtual functions of a pool that only its GPUs tell apart": taken(
        fleet(
            fabric__exposure="sriov",
            fabric__hcas=[],
            pools__2__hcas=None,
            verification=GONE,
            pools__2__selector=None,
            pools__2__shape={**HALF, "gpu": "A100-80"},
        ),
    ),
    "a pool's policy with the longest name": taken(fleet(pools__2__name="a" * 30)),
    "a pool's policy with a longer name": refused(
        fleet(pools__2__name="a" * 31), ("pools[2].name", "takes 30 characters")
    ),
    "virtual functions of a pool with a longer name": taken(
        fleet(
            fabric__exposure="sriov", fabric__hcas=[], pools__2__hcas=None, verification=GONE, pools__2__name="a" * 31
        )
    ),
    "rails of a pool outside the fabric": refused(
        fleet(pools__2__shape={**HALF, "fabrics": []}, pools__2__hcas=None), ("pools[2].rails", "no part of the fabric")
    ),
    "HCAs of a pool outside the fabric": refused(
        fleet(pools__2__shape={**HALF, "fabrics": []}, pools__2__rails=None), ("pools[2].hcas", "no part of the fabric")
    ),
    "as many HCAs as the fabric has, where the pool has fewer": refused(
        fleet(pools__2__hcas=None), ("fabric.hcas", "pool half has 4 HCAs")
    ),
    "NICs that take no part in the fabric": taken(fleet(pools__2__rails=[], pools__2__hcas=None)),
    "a rail twice in one pool": refused(
        fleet(pools__2__rails=[*FOUR[:3], FOUR[0]]), ("pools[2].rails", "listed twice")
    ),
    "a subnet for each node on each rail": taken(edited(ROCE, WIDE)),
    "a subnet for each node, and no more nodes": taken(edited(ROCE, {**WIDE, "pools.1.nodes": 2048})),
    "a subnet for each node, and a node more": refused(
        edited(ROCE, {**WIDE, "pools.1.nodes": 2049}), ("fabric.ipam.nodePrefix = 31", "for each of 2049 nodes")
    ),
    "a subnet for each node as long as the rail's": refused(
        edited(
            ROCE,
            {
                **WIDE,
                "fabric.ipam.railPrefix": 24,
                "fabric.ipam.nodePrefix": 24,
                "fabric.ipam.gateway": 1,
            },
        ),
        ("fabric.ipam.nodePrefix = 24", "does not hold"),
    ),
    "a subnet for each node by whereabouts": refused(
        edited(ROCE, {**WIDE, "fabric.ipam.kind": "whereabouts", "whereabouts": {}}),
        ("fabric.ipam.nodePrefix = 31", "whereabouts has no subnets of nodes"),
    ),
    "a subnet for each node without a way to the others": refused(
        edited(ROCE, {**WIDE, "fabric.ipam.gateway": GONE}), ("fabric.ipam.gateway = absent", "no pod reaches another")
    ),
    "the second address of two as gateway": taken(edited(ROCE, {**WIDE, "fabric.ipam.gateway": 1})),
    "a third address of two as gateway": refused(
        edited(ROCE, {**WIDE, "fabric.ipam.gateway": 2}), ("fabric.ipam.gateway = 2", "a /31 has addresses 0 to 1")
    ),
    "the last address of a subnet as gateway": taken(edited(ROCE, {"fabric.ipam.gateway": 254})),
    "the broadcast address as gateway": refused(
        edited(ROCE, {"fabric.ipam.gateway": 255}), ("fabric.ipam.gateway = 255", "addresses 1 to 254")
    ),
    "the network's own address as gateway": refused(
        edited(ROCE, {"fabric.ipam.gateway": 0}), ("fabric.ipam.gateway = 0", "addresses 1 to 254")
    ),
    "a block that only the gateway is in": refused(
        edited(
            ROCE,
            {
                "fabric.ipam.gateway": 1,
                "fabric.ipam.blockSize": 1,
                "networkOperator.sharedPodsPerNode": 1,
                "pools.1.nodes": 254,
            },
        ),
        ("fabric.ipam.railPrefix", "253 blocks of 1 addresses"),
    ),
    "a block for fewer pods than share a node's rails": refused(
        edited(ROCE, {"fabric.ipam.blockSize": 4}),
        ("networkOperator.sharedPodsPerNode = 63", "addresses on each rail for 4 pods, and others would never start"),
    ),
    "a block for as many pods as may share a node's rails": taken(
        edited(ROCE, {"fabric.ipam.blockSize": 4, "networkOperator.sharedPodsPerNode": 4})
    ),
    "a block that somebody else has": refused(
        edited(ROCE, {"fabric.ipam.exclude": ["10.64.0.0/28"], "pools.1.nodes": 31}),
        ("fabric.ipam.railPrefix", "30 blocks of 8 addresses"),
    ),
    "addresses that no rail has": refused(
        edited(ROCE, {"fabric.ipam.exclude": ["10.99.0.0/28"]}), ("fabric.ipam.exclude[0] = 10.99.0.0/28", "no rail")
    ),
    "routes by the gateway": taken(edited(ROCE, {"fabric.ipam.gateway": 1, "fabric.ipam.routes": ["10.64.0.0/12"]})),
    "routes without a gateway": refused(
        edited(ROCE, {"fabric.ipam.routes": ["10.64.0.0/12"]}), ("fabric.ipam.routes = 10.64.0.0/12", "no gateway")
    ),
    "routes that would take in the pods": refused(
        edited(ROCE, {"fabric.ipam.gateway": 1, "fabric.ipam.routes": ["10.0.0.0/8"]}),
        ("fabric.ipam.routes = 10.0.0.0/8", "the pods' way to clusterNetwork.podCidr"),
    ),
    "a default route": refused(
        edited(
            ROCE, {"fabric.ipam.gateway": 1, "fabric.ipam.routes": ["0.0.0.0/0"], "clusterNetwork": {}, **NO_EGRESS}
        ),
        ("fabric.ipam.routes = 0.0.0.0/0", "the pods' way"),
    ),
    "routes with the first operator that knows them": taken(
        edited(
            ROCE,
            {
                **OLD,
                "fabric.ipam.gateway": 1,
                "fabric.ipam.routes": ["10.64.0.0/12"],
                "networkOperator.version": "25.4.0",
            },
        )
    ),
    "routes with an operator that does not know them": refused(
        edited(ROCE, {**WIDE, **OLD, "networkOperator.version": "25.1.0"}),
        ("networkOperator.version = 25.1.0", "no routes"),
    ),
    "routes of whereabouts with an operator whose IPAM knows none": taken(
        edited(
            ROCE,
            {
                **OLD,
                "fabric.ipam": {
                    "kind": "whereabouts",
                    "network": "10.64.0.0/16",
                    "gateway": 1,
                    "routes": ["10.64.0.0/12"],
                },
                "networkOperator.version": "25.1.0",
                "whereabouts": {},
            },
        )
    ),
    "an operator that knows no routes, and none": taken(edited(ROCE, {**OLD, "networkOperator.version": "25.1.0"})),
    "every node named": taken(edited(ROCE, {**WIDE, "fabric.ipam.hosts": [f"n{i}" for i in range(8)]})),
    "a node that is not named": refused(
        edited(ROCE, {**WIDE, "fabric.ipam.hosts": [f"n{i}" for i in range(7)]}),
        ("fabric.ipam.hosts", "7 names, and the fabric has 8 nodes"),
    ),
    "a node named twice": refused(
        edited(ROCE, {**WIDE, "fabric.ipam.hosts": [*(f"n{i}" for i in range(8)), "n0"]}),
        ("fabric.ipam.hosts", "named twice"),
    ),
    "nodes named where they share a subnet": refused(
        edited(ROCE, {"fabric.ipam.hosts": [f"n{i}" for i in range(8)]}), ("fabric.ipam.hosts", "share one subnet")
    ),
    "as many nodes named as there are subnets": taken(
        edited(ROCE, {**WIDE, "fabric.ipam.railPrefix": 28, "fabric.ipam.hosts": [f"n{i}" for i in range(8)]})
    ),
    "more nodes named than there are subnets": refused(
        edited(ROCE, {**WIDE, "fabric.ipam.railPrefix": 28, "fabric.ipam.hosts": [f"n{i}" for i in range(9)]}),
        ("fabric.ipam.hosts", "a /28 does not hold a /31 for each"),
    ),
}
