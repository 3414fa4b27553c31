"""What follows of each pool: its hardware's figures, how it is selected, and its part in the fabric."""

from collections.abc import Iterable, Mapping
from math import ceil

from bedplate.catalog.machines import MACHINES
from bedplate.components.facts import Fabric, NodePool
from bedplate.components.facts.capacity import QUEUED, FlexStart
from bedplate.components.facts.pools import GPU, RENAMED
from bedplate.components.nodes.pool_labels import POOL_LABEL, alone
from bedplate.components.operators.discovery import NODE_FEATURE_LINE
from bedplate.components.operators.gpu_operator import CHART
from bedplate.components.operators.network_operator import NetworkOperatorSection
from bedplate.components.platforms import PLATFORMS
from bedplate.components.verification.qualification import GATE
from bedplate.stacks.facts.allocatable import allocatable
from bedplate.stacks.facts.fabric import device_pods, devices, interfaces, rails, wiring
from bedplate.stacks.facts.nccl import card_environment, hca_environment
from bedplate.stacks.hardware.shapes import Shape
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile


def node_pool(profile: Profile, fabric: Fabric, pool: Pool) -> NodePool:
    """The pool as every component may know it."""
    shape, gpu = pool.hardware, pool.gpu
    assert shape is not None  # noqa: S101 - stacks/checks refuses unknown shapes
    nics = interfaces(profile, pool)
    return NodePool(
        name=pool.name,
        shape=pool.kind,
        nodes=pool.nodes,
        cpus=shape.cpus,
        memory_gib=shape.memory_gib,
        given=allocatable(profile, fabric, pool, shape, nics=nics),
        arch=shape.arch,
        gpus=shape.gpus,
        gpu_product=gpu.product if gpu else None,
        gpu_memory_gib=gpu.memory_gib if gpu else 0,
        gpu_family=gpu.family if gpu else None,
        pci_device_ids=gpu.pci_ids if gpu else (),
        nvlink_domain=shape.nvlink_domain,
        nics=nics,
        interfaces=rails(profile, pool) if nics else (),
        wiring=wiring(profile, pool) if nics else "",
        env={**card_environment(profile, pool), **(hca_environment(pool.hcas or ()) if nics else {})},
        topology=_topology(pool.kind) if nics else "",
        nic_gbps=shape.nic_gbps if nics else 0,
        **(floors(pool, shape) if nics else {}),
        devices=devices(profile, fabric, pool),
        device_pods=device_pods(profile, fabric, pool),
        selector=selector(profile, pool),
        gate=gate(profile, pool),
        found_by=found_by(profile, pool),
        labels=pool.labels,
        taints=(*(taint.model_dump() for taint in pool.effective_taints), *waiting(pool)),
        mig=pool.mig,
        mig_layouts=pool.cut_otherwise,
        time_slices=pool.time_slicing,
        shared_as=RENAMED if _renamed(profile) else GPU,
        zones=pool.in_zones,
        instance_type=pool.machine if pool.capacity else None,
        ena_card=shape.ena_card,
        efa_card_step=shape.efa_card_step,
        capacity=pool.capacity,
        placement=pool.placement,
        autoscale=pool.autoscale,
        min_ready=pool.min_ready,
    )


def turns(section: NetworkOperatorSection | None, fabric: Fabric, pools: Iterable[NodePool]) -> int:
    """How often nodes are drained before each has its firmware and virtual functions; pools go side by side."""
    if section is None:
        return 0
    interfaces = (fabric.exposure == "sriov") + bool(section.nics)
    return interfaces * max(
        (ceil(pool.nodes / section.at_a_time(pool.nodes)) for pool in pools if pool.nics), default=0
    )


def waiting(pool: Pool) -> tuple[Mapping[str, str], ...]:
    """The cloud's own taint on machines that come for one job."""
    return (QUEUED,) if isinstance(pool.capacity, FlexStart) and pool.capacity.queued else ()


def _topology(shape: str) -> str:
    sold = MACHINES.get(shape)
    return sold.topology if sold else ""


def floors(pool: Pool, shape: Shape) -> dict[str, int]:
    """Of a shape by its name, or what the profile says of its own; 0: nobody published any."""
    sold = MACHINES.get(pool.shape) if isinstance(pool.shape, str) else None
    if sold and sold.floor:
        return {"busbw_floor_gbs": sold.floor.two, "busbw_floor_many_gbs": sold.floor.more}
    return {"busbw_floor_gbs": shape.busbw_floor_gbs, "busbw_floor_many_gbs": shape.busbw_floor_gbs}


def selector(profile: Profile, pool: Pool) -> dict[str, str]:
    """Labels that pick the pool: the declared ones, the cloud's own, or the GPU product."""
    if pool.selector is not None:
        return dict(pool.selector)
    if label := PLATFORMS[profile.platform].pool_label:
        return {label: pool.name}
    if _comes_and_goes(profile) and (stays := _by_hardware(profile, pool)):
        return stays
    if pool.gpu is None:
        return {}
    suffix = "-SHARED" if pool.time_slicing > 1 and not _renamed(profile) else ""
    return {"nvidia.com/gpu.product": pool.gpu.product + suffix}


def _renamed(profile: Profile) -> bool:
    """Whether shares of GPUs have a name of their own: ours do, and those of the site's plugin where it says so.

    Else GPU Feature Discovery marks the product (NVIDIA/k8s-device-plugin internal/lm/resource.go, productLabel).
    """
    own = profile.existing and profile.existing.device_plugin
    return profile.gpu_operator is not None or bool(own and own.renames_shared)


def _comes_and_goes(profile: Profile) -> bool:
    """The product's label, which queues and jobs would go by: with it a node leaves its queue, and comes again."""
    section = profile.gpu_operator
    return section is not None and CHART.at(section).line < NODE_FEATURE_LINE


def _by_hardware(profile: Profile, pool: Pool) -> dict[str, str]:
    """The label that NFD writes by PCI ids, if those are of this pool alone."""
    ids = {pool.name: pool.gpu.pci_ids for pool in profile.pools if pool.gpu}
    return {POOL_LABEL: pool.name} if profile.has_nfd and alone(pool.name, ids) else {}


def gate(profile: Profile, pool: Pool) -> Mapping[str, str]:
    """Only whole GPUs can be tested."""
    qualifies = profile.verification and profile.verification.qualify
    whole = pool.gpu is not None and not pool.slices and pool.time_slicing == 1
    return GATE if qualifies and whole else {}


def found_by(profile: Profile, pool: Pool) -> dict[str, str]:
    """Labels that pick it before its driver is up: GPU Feature Discovery writes the product only with a driver.

    What must be on a node before, such as DOCA-OFED, would wait for itself. There NFD labels the nodes by their PCI ids
    (`components/nodes/pool_labels.py`), where no other pool has the same. Empty: nobody writes any.
    """
    if pool.selector is not None or PLATFORMS[profile.platform].pool_label:
        return selector(profile, pool)
    return _by_hardware(profile, pool)
