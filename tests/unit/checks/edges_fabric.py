"""The fabric and its addresses: profiles on either side of a limit, and just beside what is refused."""

from typing import Any

from tests.cloud_profiles import eks
from tests.unit.checks.case import GONE, edited, refused, taken

ROCE, IB, L40S = "onprem-h100-roce", "onprem-h100-ib", "inference-l40s"
BARE = {"scheduling": GONE, "training": GONE, "tenancy": GONE, "serving": GONE, "storage": GONE}
HALF: dict[str, Any] = {"gpu": "H100", "gpus": 8, "cpus": 64, "memoryGib": 512, "fabrics": ["roce"], "nics": 4}
WHOLE: dict[str, Any] = {"pools.1.selector": {"half": "no"}}
UNPUBLISHED: dict[str, Any] = {**HALF, "nics": None}

ENV = "fabric.env."
OFF_THE_FABRIC = "it would take all traffic off the fabric"
OWN_HCAS: dict[str, Any] = {
    "fabric.env": {"UCX_NET_DEVICES": "mlx5_0:1"},
    "pools.1.hcas": [f"mlx5_{index}" for index in range(8)],
}


def said(**env: str) -> dict[str, Any]:
    """The site tells all pods so."""
    return edited(IB, {"fabric.env": env})


GRACE: dict[str, Any] = {"gpu": "GB300", "gpus": 4, "cpus": 144, "memoryGib": 960, "arch": "arm64"}
CX8 = {**GRACE, "fabrics": ["infiniband"], "nics": 4, "nicGbps": 800}


def grace(shape: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Four rails on Grace, with the inbox driver."""
    rails = {"fabric.rails": ["ibp3s0", "ibP2p3s0", "ibP16p3s0", "ibP18p3s0"], "networkOperator.ofed": GONE}
    image = {"gpuOperator.umadInImage": True, "verification": GONE}
    return edited(IB, {"pools.1.shape": shape, **rails, **image, **changes})


DATA_DIRECT = ("networkOperator.ofed = absent", "the NICs of pool h100", "Data Direct", "fabric.hostOfed: true")
EDGES = {
    "ConnectX-8 on Grace with the inbox driver": refused(grace(CX8), DATA_DIRECT),
    "ConnectX-8 on Grace with DOCA-OFED": taken(grace(CX8, **{"fabric.hostOfed": True})),
    "ConnectX-8 on Grace with the operator's": taken(grace(CX8, **{"networkOperator.ofed": {}})),
    "ConnectX-8 on Grace through the host": taken(grace(CX8, gpuDirect="none")),
    "ConnectX-7 on Grace": taken(grace({**CX8, "gpu": "GB200", "nicGbps": 799})),
    "ConnectX-8 elsewhere": taken(grace({**CX8, "gpu": "B300", "arch": "amd64"})),
    "a service level, and SHARP": taken(said(NCCL_IB_SL="1", NCCL_COLLNET_ENABLE="1", SHARP_COLL_LOG_LEVEL="3")),
    "variables of libfabric on EFA": taken(edited("eks-p5", {"fabric.env": {"FI_EFA_ENABLE_SHM_TRANSFER": "1"}})),
    "a variable that is no library's": refused(
        said(OMP_NUM_THREADS="8"), (f"{ENV}OMP_NUM_THREADS = 8", "no variable of NCCL")
    ),
    "HCAs by a variable": refused(said(NCCL_IB_HCA="mlx5"), (f"{ENV}NCCL_IB_HCA = mlx5", "use fabric.hcas")),
    "a traffic class by a variable": refused(
        edited(ROCE, {"fabric.env": {"NCCL_IB_TC": "106"}}), (f"{ENV}NCCL_IB_TC = 106", "use fabric.trafficClass")
    ),
    "a traffic class on InfiniBand, where it has no key": taken(said(NCCL_IB_TC="1")),
    "libfabric on InfiniBand": refused(
        said(FI_PROVIDER="verbs"), (f"{ENV}FI_PROVIDER = verbs", "no meaning on infiniband")
    ),
    "a GID index on InfiniBand": refused(said(NCCL_IB_GID_INDEX="3"), (f"{ENV}NCCL_IB_GID_INDEX = 3", "no meaning")),
    "verbs on EFA": refused(
        edited("eks-p5", {"fabric.env": {"NCCL_IB_SL": "1"}}), (f"{ENV}NCCL_IB_SL = 1", "no meaning on efa")
    ),
    "sockets": refused(said(NCCL_NET="Socket"), (f"{ENV}NCCL_NET = Socket", OFF_THE_FABRIC)),
    "no verbs": refused(said(NCCL_IB_DISABLE="1"), (f"{ENV}NCCL_IB_DISABLE = 1", OFF_THE_FABRIC)),
    "verbs, said twice": taken(said(NCCL_IB_DISABLE="0")),
    "UCX over TCP": refused(said(UCX_TLS="tcp,cuda_copy"), (f"{ENV}UCX_TLS = tcp,cuda_copy", OFF_THE_FABRIC)),
    "UCX over verbs": taken(said(UCX_TLS="rc,cuda_copy")),
    "UCX over the node's own network": refused(
        said(UCX_NET_DEVICES="eth0"), (f"{ENV}UCX_NET_DEVICES = eth0", OFF_THE_FABRIC)
    ),
    "UCX over two of the rails": taken(said(UCX_NET_DEVICES="mlx5_0:1,mlx5_1:1")),
    "one list for pools whose HCAs differ": refused(
        edited(ROCE, OWN_HCAS), (f"{ENV}UCX_NET_DEVICES = mlx5_0:1", "one list is not right for all")
    ),
    "a NIC for each rank by its number": refused(
        said(NVSHMEM_ENABLE_NIC_PE_MAPPING="1"), (f"{ENV}NVSHMEM_ENABLE_NIC_PE_MAPPING = 1", "take the first NIC")
    ),
    "the nearest NIC, said": taken(said(NVSHMEM_ENABLE_NIC_PE_MAPPING="0")),
    "one list of NVSHMEM's for pools whose HCAs differ": refused(
        edited(ROCE, {**OWN_HCAS, "fabric.env": {"NVSHMEM_HCA_LIST": "mlx5_0:1"}}),
        (f"{ENV}NVSHMEM_HCA_LIST = mlx5_0:1", "one list is not right for all"),
    ),
    "other variables where HCAs differ": taken(edited(ROCE, {**OWN_HCAS, "fabric.env": {"NCCL_IB_SL": "1"}})),
    "a cache on the nodes, whose policies only warn a team without the fabric": refused(
        edited(ROCE, {"tenancy.confinement": "warn", "tenancy.teams.1.rdma": False}),
        ("tenancy.confinement = warn", "use deny"),
    ),
    "the same with teams that all have the fabric": taken(edited(ROCE, {"tenancy.confinement": "warn"})),
    "rails that nobody may use": refused(
        edited(ROCE, BARE), ("tenancy.teams = absent", "made in the namespaces of teams")
    ),
    "rails that no team may use": refused(
        edited(ROCE, {**BARE, "tenancy": {"teams": [{"name": "research", "rdma": False}]}}),
        ("tenancy.teams = absent", "made in the namespaces of teams"),
    ),
    "whole HCAs, which need no network": taken(
        edited(IB, {**BARE, "verification": GONE, "fabric.exposure": "exclusive", "fabric.ipam": GONE})
    ),
    "whole HCAs that the site's plugin hands out": taken(
        edited(
            IB,
            {
                "fabric.exposure": "exclusive",
                "fabric.existingDevices": {"rdma/hca": 8},
                "fabric.ipam": GONE,
                "networkOperator": GONE,
            },
        )
    ),
    "InfiniBand for verbs alone": taken(
        edited(
            IB,
            {
                "fabric.exposure": "shared",
                "fabric.rails": [],
                "fabric.hcas": [f"mlx5_{n}" for n in range(8)],
                "fabric.ipam": GONE,
            },
        )
    ),
    "nodes with fewer NICs, and no names for them": refused(
        edited(ROCE, {**WHOLE, "pools.2": {"name": "half", "shape": HALF, "nodes": 2, "selector": {"half": "yes"}}}),
        ("fabric.rails", "8 rails, but a node of pool half has 4 NICs", "as pools[2].rails"),
        ("fabric.hcas", "a node of pool half has 4 HCAs"),
    ),
    "nodes with fewer EFA interfaces": taken(
        eks({"name": "p5", "shape": "p5.48xlarge"}, {"name": "p4d", "shape": "p4d.24xlarge"})
    ),
    "nodes with fewer NICs outside the fabric": taken(
        edited(
            ROCE,
            {**WHOLE, "pools.2": {"name": "a3", "shape": {**HALF, "fabrics": []}, "nodes": 2, "selector": {"a": "b"}}},
        )
    ),
    "a number of NICs that nobody published": refused(
        edited(ROCE, {"pools.1.shape": UNPUBLISHED, "pools.2": {"name": "h100b", "shape": "dgx-h100", "nodes": 2}}),
        ("pools[1].shape", "is not published"),
        ("pools[1].selector", "finds the other's nodes"),
        ("pools[2].selector", "finds the other's nodes"),
        ("pools[2].selector", "cannot tell its nodes"),
    ),
    "blocks for every node and no more": taken(edited(ROCE, {"pools.1.nodes": 31})),
    "blocks for one node less": refused(
        edited(ROCE, {"pools.1.nodes": 32}), ("fabric.ipam.railPrefix = 24", "31 blocks", "32 nodes")
    ),
    "subnets for every rail and no more": taken(edited(ROCE, {"fabric.ipam.network": "10.64.0.0/21"})),
    "subnets for one rail less": refused(
        edited(ROCE, {"fabric.ipam.network": "10.64.0.0/22"}),
        ("fabric.ipam.network = 10.64.0.0/22", "8 subnets of /24", "use a larger network or a longer railPrefix"),
    ),
    "an address for a network": refused(
        edited(ROCE, {"fabric.ipam.network": "10.64.0.5"}),
        ("fabric.ipam.network = 10.64.0.5:", "8 subnets of /24", "write its prefix, such as /16"),
    ),
    "a single subnet": taken(
        edited(
            ROCE,
            {
                "fabric.ipam.network": "10.64.0.0/24",
                "fabric.rails": ["ens1np0"],
                "fabric.hcas": ["mlx5_0"],
                "pools.1.shape": {**HALF, "nics": 1},
                "serving": GONE,
            },
        )
    ),
    "OFED on the host": taken(
        edited(IB, {"gpuDirect": "peermem", "fabric.hostOfed": True, "networkOperator.ofed": GONE})
    ),
    "OFED of the operator": taken(edited(IB, {"gpuDirect": "peermem"})),
    "DOCA-OFED beside NVIDIA NICs of which nothing is said": refused(
        edited(IB, {"networkOperator.ofed": {}}),
        ("networkOperator.ofed.primaryNic = absent", "NVIDIA NICs beside the rails", "say other-vendor"),
    ),
    "DOCA-OFED under the node's own network": refused(
        edited(IB, {"networkOperator.ofed": {"primaryNic": "nvidia"}}),
        ("networkOperator.ofed.primaryNic = nvidia", "reloaded under the node", "fabric.hostOfed: true"),
    ),
    "DOCA-OFED where only the rails are NVIDIA's": taken(
        edited(IB, {"networkOperator.ofed": {}, "pools.1.shape": "hgx-a100"})
    ),
}
