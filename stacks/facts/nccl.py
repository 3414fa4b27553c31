"""The NCCL environment of a fabric: what it needs and nothing else.

Never set here: NCCL_ALGO, NCCL_PROTO, NCCL_MIN/MAX_NCHANNELS, NCCL_BUFFSIZE, NCCL_NTHREADS, NCCL_NET_GDR_LEVEL,
NCCL_CROSS_NIC, NCCL_IB_DISABLE, off OCI NCCL_IB_GID_INDEX and, off Google's PCIe cards, NCCL_P2P_LEVEL: pinned they
cost bandwidth or break (NCCL env documentation; NVIDIA/nccl-tests#212, NVIDIA/nccl#426, #769, #1573).
"""

from collections.abc import Sequence

from bedplate.catalog.gpus import near
from bedplate.stacks.profile.fabrics import Efa, Infiniband, RailFabric, Roce
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile

BOOTSTRAP = {"NCCL_SOCKET_IFNAME": "eth0"}
"""The pod's primary interface; rails are for verbs, not for bootstrap (NVIDIA/aicr fabric-attached-training)."""
OKE = {
    "NCCL_IB_GID_INDEX": "3",
    "NCCL_IB_TC": "41",
    "NCCL_IB_SL": "0",
    "NCCL_IB_TIMEOUT": "22",
    "NCCL_IB_SPLIT_DATA_ON_QPS": "0",
    "NCCL_IB_HCA": "mlx5",
}
"""Oracle's preset for virtual functions (oracle-quickstart/oci-hpc-oke recommended NCCL parameters)."""
OKE_NO_RACKS = {"NCCL_CUMEM_ENABLE": "0"}
"""The same of H100, H200, B200 and B300; NVLink between the nodes of a rack needs it on (NCCL_MNNVL_ENABLE)."""
OKE_AMPERE = {"NCCL_IB_QPS_PER_CONNECTION": "4"}
"""The same of BM.GPU4.8, A100-v2.8 and B4.8."""
AKS = {"NCCL_NET_PLUGIN": "none", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
"""Azure/aks-rdma-infiniband."""
NO_PEER_TO_PEER = {"NCCL_SHM_USE_CUDA_MEMCPY": "1"}
"""Twice the bandwidth between PCIe GPUs of g5 and g6 instances (awslabs/awsome-distributed-ai EFA cheatsheet)."""

CARDS_OF_GOOGLE = {"NCCL_P2P_LEVEL": "SYS"}
"""Cards of a G4 machine reach each other through the processors, which NCCL does not try by itself
(AI-Hypercomputer/gpu-recipes inference/g4/single-host-serving/vllm/README.md)."""


def card_environment(profile: Profile, pool: Pool) -> dict[str, str]:
    """Variables of the pool's nodes that follow from its GPUs and not from the fabric."""
    gpu = near(pool.gpu.product) if pool.gpu else None
    several = pool.hardware is not None and pool.hardware.gpus > 1
    cards = gpu is not None and gpu.form == "pcie" and gpu.family == "blackwell"
    return CARDS_OF_GOOGLE if profile.platform == "gke" and several and cards else {}


def nccl_environment(profile: Profile) -> dict[str, str]:
    """Variables for every container of a job on this cluster; what the site says goes last."""
    derived = _derived(profile)
    return {**derived, **profile.fabric.env} if isinstance(profile.fabric, RailFabric | Efa) else derived


def _derived(profile: Profile) -> dict[str, str]:
    match profile.fabric:
        case Infiniband() as section:
            return {**BOOTSTRAP, **hca_environment(section.hcas), **(AKS if profile.platform == "aks" else {})}
        case Roce() as section:
            return {**BOOTSTRAP, **hca_environment(section.hcas), **_roce(profile, section)}
        case section if section.kind == "efa":
            return BOOTSTRAP
        case section if section.kind in ("tcpxo", "gib"):
            return {}  # the image's own script knows
        case _:
            pcie = profile.platform == "eks" and any(pool.gpu and pool.gpu.family == "ada" for pool in profile.pools)
            return NO_PEER_TO_PEER if pcie else {}


def hca_environment(hcas: Sequence[str]) -> dict[str, str]:
    """`=` makes names exact: a bare `mlx5` would take management and storage HCAs too, and `mlx5_1` also `mlx5_10`.

    UCX, and with it NIXL, uses any active device of the node, also one that its peer does not reach (NVIDIA DOCA UCX
    guide); it names ports. NVSHMEM, and with it DeepEP, takes the device nearest to the GPU, of those in its list alone
    (NVIDIA/nvshmem v3.4.5 ibgda.cpp, transport.cpp). NVSHMEM_ENABLE_NIC_PE_MAPPING stays off, whatever its
    documentation says of the list: it would count devices off by a rank that DeepEP does not set, and give all GPUs
    the first (deepseek-ai/DeepEP#336, #466).
    """
    if not hcas:
        return {}
    ports = ",".join(f"{hca}:1" for hca in hcas)
    return {"NCCL_IB_HCA": "=" + ",".join(hcas), "UCX_NET_DEVICES": ports, "NVSHMEM_HCA_LIST": ports}


def _roce(profile: Profile, section: Roce) -> dict[str, str]:
    """The platform's preset, and over it what the site says."""
    return {
        **(_oracle(profile) if profile.platform == "oke" else {}),
        **({"NCCL_IB_TC": str(section.traffic_class)} if section.traffic_class is not None else {}),
        **({"NCCL_IB_QPS_PER_CONNECTION": str(section.qps_per_connection)} if section.qps_per_connection else {}),
    }


def _oracle(profile: Profile) -> dict[str, str]:
    pools = [pool for pool in profile.pools if pool.gpu]
    families = {pool.gpu.family for pool in pools if pool.gpu}
    racks = any(pool.hardware and pool.hardware.nvlink_domain > pool.hardware.gpus for pool in pools)
    young = families & {"hopper", "blackwell"} and not racks
    return OKE | (OKE_NO_RACKS if young else {}) | (OKE_AMPERE if families == {"ampere"} else {})
