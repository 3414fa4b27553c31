"""A stack's fabric and queues in numbers: addresses, interfaces, leaf ports, and what the teams' queue may hand out."""

from collections.abc import Iterator

from components.facts import Facts
from sizing import network
from sizing.figures import Figure
from sizing.place import place

PORTS = f"{network.LEAF_PORTS} ports a leaf, downlinks = uplinks"


def size(known: Facts) -> list[Figure]:
    """Figures of every pool with GPUs, and of all together."""
    return [figure for pool in known.pools if pool.gpus for figure in _pool(known, pool.name)]


def _pool(known: Facts, name: str) -> Iterator[Figure]:
    pool = next(pool for pool in known.pools if pool.name == name)
    at = place(pool)
    yield Figure(name, "GPUs", at.gpus, "", f"{at.nodes} nodes × {at.gpus_per_node}", "")
    for resource, count in pool.extended_resources.items():
        yield Figure(name, "quota", pool.most * count, resource, f"{at.nodes} nodes × {count}", "Kueue nominalQuota")
    if not at.nics:
        return
    yield Figure(name, "interfaces", at.nodes * at.nics, "", f"{at.nodes} nodes × {at.nics} of {at.nic_gbps} Gb/s", "")
    leaves = network.leaves(at)
    words = f"{leaves.downlinks} down, {leaves.uplinks} up; {PORTS}"
    yield Figure(name, "leaf switches", leaves.switches, "", words, "NVIDIA QM9700 data sheet")
    if any(rail.subnet for rail in known.fabric.rails):
        total, prefix = network.addresses(at, known.fabric.block_size)
        words = f"{at.nics} rails × {at.nodes} nodes × {known.fabric.block_size}; /{prefix} a rail at least"
        yield Figure(name, "addresses", total, "", words, "nv-ipam perNodeBlockSize")
