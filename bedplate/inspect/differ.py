"""What a machine is other than its profile says: the key, both values, what that does, and what helps. Pure."""

from collections.abc import Iterator

from bedplate.catalog.gpus import of_product
from bedplate.inspect.comparison import Comparison
from bedplate.inspect.fabric import of_fabric
from bedplate.inspect.lines import SYSTEMS, driver
from bedplate.inspect.node import Node
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile

RESERVED = 0.1
"""Part of a machine's memory that firmware and kernel keep for themselves."""


def differences(profile: Profile, pool: Pool, node: Node) -> tuple[str, ...]:
    """Of one machine to one pool of a profile, whose shape is known."""
    assert pool.hardware, "a profile that was loaded"  # noqa: S101 - for the type
    it = Comparison(profile, pool, pool.hardware, node)
    return (*_gpus(it), *_size(it), *_system(it), *(of_fabric(it, it.fabric) if it.fabric else ()))


def _gpus(it: Comparison) -> Iterator[str]:
    gpus, model = it.node.gpus, it.shape.model
    if len(gpus) != it.shape.gpus:
        fix = "look in `lspci -d 10de:` and for Xid in the kernel's log, or correct the shape"
        yield it("shape: gpus", it.shape.gpus, len(gpus), "`pools-ready` waits for all of them", fix)
    if model:
        row = of_product(model.product)
        there = {gpu.product or f"10de:{gpu.pci.device}" for gpu in gpus}
        if not there <= {model.product, *(row.products if row else ())}:
            effect, fix = "selectors, slices and sizes are another GPU's", "correct the shape (docs/hardware.md)"
            yield it("shape: gpu", model.product, there, effect, fix)
    if (cut := [gpu.index for gpu in gpus if gpu.mig]) and not it.pool.slices:
        effect, fix = "they do not count as whole GPUs", "`nvidia-smi -mig 0`, or say mig"
        yield it("mig", "whole GPUs", [f"MIG on GPU {index}" for index in cut], effect, fix)


def _size(it: Comparison) -> Iterator[str]:
    shape, node, effect = it.shape, it.node, "what pods ask for is reckoned from it (docs/sizing.md)"
    if node.cpus != shape.cpus:
        yield it("shape: cpus", shape.cpus, node.cpus, effect, f"cpus: {node.cpus}, or look at SMT")
    if abs(node.memory_gib - shape.memory_gib) > shape.memory_gib * RESERVED:
        fix = f"memoryGib: {node.memory_gib}, or look for a module that failed (`dmidecode -t memory`)"
        yield it("shape: memoryGib", shape.memory_gib, node.memory_gib, effect, fix)
    if node.arch != shape.arch:
        yield it("shape: arch", shape.arch, node.arch, "no image starts", f"arch: {node.arch}")


def _system(it: Comparison) -> Iterator[str]:
    node, owner, node_os = it.node, it.profile.driver_owner, it.profile.node_os
    if SYSTEMS.get(node.os, node_os) not in (node_os, "ubuntu" if node_os == "dgxos" else node_os):
        effect = "drivers' images and checks are another system's"
        yield it("/nodeOs", node_os, node.os, effect, f"nodeOs: {SYSTEMS[node.os]}")
    if owner == "operator" and node.nvidia and "driver" not in node.containers:
        effect, fix = "the operator's does not load beside it", "take the host's away, or driverOwner: image"
        yield it("/driverOwner", owner, f"{driver(node)} of the host", effect, fix)
    if owner == "image" and node.gpus and not node.nvidia:
        yield it("/driverOwner", owner, "no driver is loaded", "no GPU is advertised", "install it on the host")
    pinned = it.profile.gpu_operator.driver_version if it.profile.gpu_operator else None
    if owner == "operator" and pinned and "driver" in node.containers and driver(node) != pinned:
        effect, fix = "the node has not had its turn, or keeps another", "deploy again, and let the node drain"
        yield it("/gpuOperator.driverVersion", pinned, driver(node), effect, fix)
