"""What follows of the fabric: its rails, the names of its devices, and what a node of a pool has of them."""

from collections import Counter
from dataclasses import replace

from bedplate.components.facts import Fabric, NodePool, Rail
from bedplate.stacks.facts.addresses import addresses
from bedplate.stacks.facts.cloud_fabrics import efa, gke
from bedplate.stacks.facts.nccl import nccl_environment
from bedplate.stacks.profile.fabrics import Efa, Gib, Infiniband, NoFabric, RailFabric, Roce, Tcpxo
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile

SHARED_RESOURCE = {"aks": "rdma/hca_shared_devices_a"}
"""Names that a platform's own documentation uses, so that its examples work (Azure/aks-rdma-infiniband)."""
EXCLUSIVE_RESOURCE = {"aks": "rdma/ib"}
JUMBO = 9000
"""MTU of RoCE's ports where we set them."""
OKE_MTU, OKE_VIRTUAL_FUNCTIONS = 4220, 1
"""What Oracle's images make of each port (oracle-quickstart/oci-hpc-oke, terraform/files/nvidia-network-operator)."""


def fabric(profile: Profile) -> Fabric:
    """How pods of this cluster reach each other's GPUs."""
    env = nccl_environment(profile)
    match profile.fabric:
        case Infiniband() | Roce() as section:
            return _rail_fabric(profile, section, env)
        case Efa() as section:
            return efa(section, env)
        case Tcpxo() | Gib() as section:
            # `stacks/checks/fabric.py`: a node of every pool has as many.
            return gke(section, max((interfaces(profile, pool) for pool in profile.pools), default=0), env)
        case NoFabric():
            return Fabric(kind="none", env=env)


def interfaces(profile: Profile, pool: Pool) -> int:
    """RDMA interfaces of one node that take part in the fabric; 0 for a pool outside it."""
    shape = pool.hardware
    if shape is None or pool.rails == () or profile.fabric.kind not in shape.fabrics:
        return 0
    return shape.nics or 0


def devices(profile: Profile, fabric: Fabric, pool: Pool) -> dict[str, int]:
    """Name to count for a pod with a whole node; a shared device counts once and brings every HCA."""
    nics = interfaces(profile, pool)
    if not nics:
        return {}
    if isinstance(profile.fabric, RailFabric) and profile.fabric.existing_devices:
        return dict(profile.fabric.existing_devices)
    if fabric.kind == "efa" or fabric.exposure == "exclusive":
        return dict.fromkeys(fabric.devices, nics)
    if fabric.exposure == "shared":
        return dict.fromkeys(fabric.devices, 1)
    own = fabric.rails[: len(rails(profile, pool))]
    return dict(Counter(rail.resource for rail in own)) or dict.fromkeys(fabric.devices, 1)


def rails(profile: Profile, pool: Pool) -> tuple[str, ...]:
    """Network devices of the rails on its nodes, as the profile names them."""
    if pool.rails is not None:
        return pool.rails
    return profile.fabric.rails if isinstance(profile.fabric, RailFabric) else ()


def wiring(profile: Profile, pool: Pool) -> str:
    """The first pool whose rails are the same devices; empty where all pools' are."""
    first: dict[tuple[str, ...], str] = {}
    for other in profile.pools:
        if interfaces(profile, other):
            first.setdefault(rails(profile, other), other.name)
    return first[rails(profile, pool)] if len(first) > 1 else ""


def device_pods(profile: Profile, fabric: Fabric, pool: Pool) -> int:
    """Pods at a time that each device of a node is there for: sharers, or virtual functions of a port.

    How many may share a device of the site's own plug-in we do not know: a pod per GPU is what can use it.
    """
    if fabric.exposure == "shared":
        own, gpus = profile.network_operator, pool.hardware.gpus if pool.hardware else 0
        return own.shared_pods_per_node if own else max(1, gpus)
    return fabric.num_vfs or 1


def _rail_fabric(profile: Profile, section: RailFabric, env: dict[str, str]) -> Fabric:
    most = max((len(rails(profile, pool)) for pool in profile.pools if interfaces(profile, pool)), default=0)
    every_rail = tuple(
        Rail(index, _rail_resource(profile, section, index), own)
        for index, own in enumerate(addresses(section.ipam, most))
    )
    fabric = Fabric(
        kind=section.kind,
        exposure=section.exposure,
        rails=every_rail,
        devices=tuple(section.existing_devices) or _names(profile, section, every_rail),
        mtu=_mtu(section),
        ipam=section.ipam.kind if section.ipam else None,
        block_size=section.ipam.block_size if section.ipam else 1,
        num_vfs=section.num_vfs if section.exposure == "sriov" else 0,
        env=env,
    )
    return _oracle(section, fabric) if profile.platform == "oke" and section.exposure == "sriov" else fabric


def _oracle(section: RailFabric, fabric: Fabric) -> Fabric:
    """The node image makes the virtual functions, one a port: whoever made them anew would cut the nodes off."""
    written = section.model_fields_set
    return replace(
        fabric,
        ready_vfs=True,
        mtu=fabric.mtu if "mtu" in written else OKE_MTU,
        num_vfs=fabric.num_vfs if "num_vfs" in written else OKE_VIRTUAL_FUNCTIONS,
    )


def _mtu(section: RailFabric) -> int | None:
    """A size that nobody sets on the port would keep every pod from starting; the SR-IOV operator sets it."""
    return section.mtu or (JUMBO if section.kind == "roce" and section.exposure == "sriov" else None)


def _names(profile: Profile, section: RailFabric, rails: tuple[Rail, ...]) -> tuple[str, ...]:
    """Of the rails' devices; whole HCAs and shared ones may go without rails."""
    if section.exposure in ("shared", "exclusive"):
        return (_rail_resource(profile, section, 0),)
    return tuple(dict.fromkeys(rail.resource for rail in rails))


def _rail_resource(profile: Profile, section: RailFabric, index: int) -> str:
    """A name per rail, so that a pod's i-th device and i-th address belong together; one name for shared devices."""
    if section.existing_devices:
        names = list(section.existing_devices)
        return names[index % len(names)]
    if section.exposure == "shared":
        return SHARED_RESOURCE.get(profile.platform, "rdma/rdma_shared_device_a")
    if section.exposure == "exclusive":
        return EXCLUSIVE_RESOURCE.get(profile.platform, "nvidia.com/hostdev")
    return f"nvidia.com/rdma_rail_{index}"


WHOLE_NICS = "host-device gives whole NICs by rail, and these may not be beside the GPUs that a part of a node gets"


def apart(fabric: Fabric, pool: NodePool, gpus: int) -> str | None:
    """Why pods with so many GPUs of a node each would not meet, in words; None: they do."""
    if not pool.nics:
        return f"pool {pool.name} is outside the {fabric.kind} fabric, so its nodes would talk over TCP"
    return None if gpus == pool.gpus else _in_parts(fabric, pool, gpus)


def _in_parts(fabric: Fabric, pool: NodePool, gpus: int) -> str | None:
    if fabric.env_file:
        return f"{fabric.kind} gives its interfaces to one pod with all {pool.gpus} GPUs"
    if pool.rack:
        return f"NVLink joins its nodes, and a node has one IMEX channel, for a pod with all {pool.gpus} GPUs"
    if fabric.exposure == "host-device":
        return WHOLE_NICS
    if not fabric.resources(pool, gpus):
        return f"{gpus} of {pool.gpus} GPUs have no NIC of their own among {pool.nics}"
    return None
