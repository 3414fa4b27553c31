"""A stack's fabric and queues in numbers: addresses, interfaces, leaf ports, and what the teams' queue may hand out."""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.platforms import CLOUDS
from bedplate.sizing import network
from bedplate.sizing.figures import Figure
from bedplate.sizing.place import Place, place

PROFILE, SHAPE = "the profile", "the shape (docs/hardware.md)"
OWN_SWITCHES = ("infiniband", "roce")
"""Fabrics whose leaf switches somebody must buy, where it is not a cloud's."""


def size(facts: Facts, oversubscription: float = 1.0) -> list[Figure]:
    """Figures of every pool with GPUs, and of all together."""
    return [figure for pool in facts.pools if pool.gpus for figure in _pool(facts, pool.name, oversubscription)]


def _pool(facts: Facts, name: str, oversubscription: float) -> Iterator[Figure]:
    pool = next(pool for pool in facts.pools if pool.name == name)
    at = place(pool)
    yield Figure(name, "GPUs", at.gpus, "", f"{at.nodes} nodes × {at.gpus_per_node}", PROFILE)
    for resource, count in pool.extended_resources.items():
        yield Figure(name, "quota", pool.most * count, resource, f"{at.nodes} nodes × {count}", "Kueue nominalQuota")
    if not at.nics:
        return
    yield Figure(
        name, "interfaces", at.nodes * at.nics, "", f"{at.nodes} nodes × {at.nics} of {at.nic_gbps} Gb/s", SHAPE
    )
    if facts.fabric.kind in OWN_SWITCHES and facts.platform not in CLOUDS:
        yield _leaves(at, oversubscription)
    if any(rail.subnet for rail in facts.fabric.rails):
        total, prefix = network.addresses(at, facts.fabric.block_size)
        words = f"{at.nics} rails × {at.nodes} nodes × {facts.fabric.block_size}; /{prefix} a rail at least"
        yield Figure(name, "addresses", total, "", words, "nv-ipam perNodeBlockSize")


def _leaves(at: Place, oversubscription: float) -> Figure:
    """Switches of the first tier; NVIDIA's reference designs for training have as many uplinks as downlinks."""
    leaves = network.leaves(at, oversubscription)
    ratio = "one switch holds all" if not leaves.uplinks else f"{oversubscription:g} down for each up"
    words = f"{leaves.downlinks} down, {leaves.uplinks} up; {network.LEAF_PORTS} ports a leaf, {ratio}"
    return Figure(at.name, "leaf switches", leaves.switches, "", words, "NVIDIA QM9700 data sheet")
