"""Everything that follows from a profile, derived once: `facts(profile)`.

The RDMA resource name, its count, the networks, the NCCL environment, selectors and tolerations are decided here and
nowhere else. Takes a profile that `checks.py` found sound; says nothing about one that is not.
"""

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv4Network
from itertools import islice
from typing import Any

from components.cloud.elsewhere import OciCloud
from components.facts import ChartSource, Fabric, Facts, NodePool, Ownership, Rail
from components.section import Section
from stacks.facts.cloud_fabrics import efa, gke
from stacks.facts.monitoring import monitoring
from stacks.facts.nccl import nccl_environment
from stacks.facts.queues import with_queues
from stacks.facts.storage import cache, volumes
from stacks.hardware.platforms import OWNERSHIP, POOL_LABEL
from stacks.profile.fabrics import Efa, Gib, Infiniband, NoFabric, RailFabric, Roce, Tcpxo
from stacks.profile.pools import Pool
from stacks.profile.profile import Profile

SHARED_RESOURCE = {"aks": "rdma/hca_shared_devices_a"}
"""Names that a platform's own documentation uses, so that its examples work (Azure/aks-rdma-infiniband)."""
EXCLUSIVE_RESOURCE = {"aks": "rdma/ib"}
OKE_VIRTUAL_FUNCTION = "nvidia.com/rdma-vf"
"""One name for all rails (oracle-quickstart/oci-hpc-oke, using RDMA network interfaces)."""


def facts(profile: Profile) -> Facts:
    """The cluster, derived."""
    pools = tuple(_pool(profile, pool) for pool in profile.pools)
    teams = profile.tenancy.teams if profile.tenancy else ()
    known = Facts(
        cluster=profile.name,
        platform=profile.platform,
        node_os=profile.node_os,
        kubernetes_version=profile.kubernetes_version,
        context=profile.context,
        gpu_direct=profile.gpu_direct,
        host_ofed=isinstance(profile.fabric, RailFabric) and profile.fabric.host_ofed,
        ownership=ownership(profile),
        pools=pools,
        fabric=fabric(profile, pools),
        namespaces=tuple(team.name for team in teams if team.rdma),
        volumes=volumes(profile),
        cache=cache(profile),
        charts=ChartSource(profile.charts.mirror if profile.charts else None),
        monitoring=monitoring(profile),
        autoscaler=profile.autoscaling.kind if profile.autoscaling else None,
        has=present(profile),
        cluster_networks=tuple(
            cidr for cidr in (profile.cluster_network.pod_cidr, profile.cluster_network.service_cidr) if cidr
        ),
        training=present(profile.training) if profile.training else frozenset(),
    )
    return with_queues(known, profile)


def ownership(profile: Profile) -> Ownership:
    """Who brings what; on OKE the cloud's add-on may have the device plugin already."""
    owned = OWNERSHIP[profile.platform, profile.node_os, profile.driver_owner]
    if isinstance(profile.cloud, OciCloud) and profile.cloud.gpu_plugin_addon:
        return replace(owned, device_plugin=False)
    return owned


def present(section: Section) -> frozenset[str]:
    """YAML keys of the sections in it that are there."""
    fields = type(section).model_fields
    return frozenset(field.alias or name for name, field in fields.items() if getattr(section, name) is not None)


def fabric(profile: Profile, pools: tuple[NodePool, ...]) -> Fabric:
    """How pods of this cluster reach each other's GPUs."""
    nics = max((pool.nics for pool in pools), default=0)
    gbps = max((pool.nic_gbps for pool in pools if pool.nics), default=0)
    floors = [
        shape.busbw_floor_gbs for p in profile.pools if (shape := p.hardware) and profile.fabric.kind in shape.fabrics
    ]
    common = {"nic_gbps": gbps, "busbw_floor_gbs": min(floors, default=0), "env": nccl_environment(profile)}
    match profile.fabric:
        case Infiniband() | Roce() as section:
            return _rail_fabric(profile, section, nics, common)
        case Efa() as section:
            return efa(section, nics, common)
        case Tcpxo() | Gib() as section:
            return gke(section, nics, common)
        case NoFabric():
            return Fabric(kind="none", env=nccl_environment(profile))


def _rail_fabric(profile: Profile, section: RailFabric, nics: int, common: Mapping[str, Any]) -> Fabric:
    rails = tuple(
        Rail(index, interface, _rail_resource(profile, section, index), subnet)
        for index, (interface, subnet) in enumerate(zip(section.rails, _subnets(section), strict=False))
    )
    return Fabric(
        kind=section.kind,
        exposure=section.exposure,
        rails=rails,
        devices=section.existing_devices or _devices(profile, section, rails, nics),
        mtu=section.mtu,
        ipam=section.ipam.kind if section.ipam else None,
        block_size=section.ipam.block_size if section.ipam else 1,
        num_vfs=section.num_vfs if section.exposure == "sriov" else 0,
        **common,
    )


def _rail_resource(profile: Profile, section: RailFabric, index: int) -> str:
    """A name per rail, so that a pod's i-th device and i-th address belong together; one name for shared devices."""
    if section.existing_devices:
        names = list(section.existing_devices)
        return names[index % len(names)]
    if section.exposure == "shared":
        return SHARED_RESOURCE.get(profile.platform, "rdma/rdma_shared_device_a")
    if section.exposure == "exclusive":
        return EXCLUSIVE_RESOURCE.get(profile.platform, "nvidia.com/hostdev")
    return OKE_VIRTUAL_FUNCTION if profile.platform == "oke" else f"nvidia.com/rdma_rail_{index}"


def _devices(profile: Profile, section: RailFabric, rails: tuple[Rail, ...], nics: int) -> dict[str, int]:
    """Name to count for a pod with a whole node; a shared device counts once and brings every HCA."""
    if section.exposure == "shared":
        return {_rail_resource(profile, section, 0): 1}
    if section.exposure == "exclusive":
        return {_rail_resource(profile, section, 0): nics}
    counts: dict[str, int] = {}
    for rail in rails:
        counts[rail.resource] = counts.get(rail.resource, 0) + 1
    return counts


def _subnets(section: RailFabric) -> list[IPv4Network | None]:
    """The i-th subnet of the address space for rail i; pods without IPAM take no address."""
    count = len(section.rails)
    if section.ipam is None:
        return [None] * count
    return list(islice(section.ipam.network.subnets(new_prefix=section.ipam.rail_prefix), count))


def _pool(profile: Profile, pool: Pool) -> NodePool:
    shape, gpu = pool.hardware, pool.gpu
    assert shape is not None  # noqa: S101 - stacks/checks refuses unknown shapes
    joins = profile.fabric.kind in shape.fabrics
    return NodePool(
        name=pool.name,
        shape=pool.shape if isinstance(pool.shape, str) else "custom",
        nodes=pool.nodes,
        cpus=shape.cpus,
        memory_gib=shape.memory_gib,
        arch=shape.arch,
        gpus=shape.gpus,
        gpu_product=gpu.product if gpu else None,
        gpu_memory_gib=gpu.memory_gib if gpu else 0,
        gpu_family=gpu.family if gpu else None,
        pci_device_ids=gpu.pci_ids if gpu else (),
        nics=(shape.nics or 0) if joins else 0,
        nic_gbps=shape.nic_gbps,
        selector=selector(profile, pool),
        labels=pool.labels,
        taints=tuple(taint.model_dump() for taint in pool.effective_taints),
        mig=pool.mig,
        time_slices=pool.time_slicing,
        zones=pool.in_zones,
        instance_type=pool.machine if pool.capacity else None,
        ena_card=shape.ena_card,
        capacity=pool.capacity,
        placement=pool.placement,
        autoscale=pool.autoscale,
    )


def selector(profile: Profile, pool: Pool) -> dict[str, str]:
    """Labels that pick the pool: the declared ones, the cloud's own, or the GPU product."""
    if pool.selector is not None:
        return dict(pool.selector)
    if label := POOL_LABEL.get(profile.platform):
        return {label: pool.name}
    return {"nvidia.com/gpu.product": pool.gpu.product} if pool.gpu else {}
