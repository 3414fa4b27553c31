"""Rules about processors and memory: what a node gives pods is enough for those that the profile puts on it."""

from collections.abc import Iterator

from bedplate.components.facts import NodePool
from bedplate.components.facts.allocatable import GIB
from bedplate.components.quantity import amount, mib
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

LEAST = GIB
"""MiB for a pod with one GPU or slice: CUDA and Python alone take as much."""
LEAST_CPU = 100
"""Millicores for the same."""


def check_allocatable(profile: Profile) -> Iterator[Problem]:
    """Every pool has something left, and every server that says its own size fits a node."""
    if beyond := [*_beyond(profile)]:
        yield from beyond
        return
    known = facts(profile)
    for key, pool in keyed("pools", known.pools):
        yield from _left(key, pool)
    for key, server in keyed("serving.servers", profile.servers):
        pool, room = known.pool(server.pool), known.pool(server.pool).allocatable
        if server.memory and mib(server.memory) > room.memory:
            yield Problem(f"{key}.memory", server.memory, f"no node has it: {_memory(pool)}", f"use {room.memory}Mi")
        if server.cpu and amount(server.cpu) * 1000 > room.millicores:
            reason = f"a node of pool {pool.name} gives pods {room.millicores}m of its {pool.cpus} processors"
            yield Problem(f"{key}.cpu", server.cpu, reason, f"use {room.millicores}m or less")


def _beyond(profile: Profile) -> Iterator[Problem]:
    """A node gives no more than it has."""
    for at, pool in keyed("pools", profile.pools):
        said, shape = pool.allocatable, pool.hardware
        if said is None or shape is None:
            continue
        key = f"{at}.allocatable"
        if said.cpu and amount(said.cpu) > shape.cpus:
            yield Problem(f"{key}.cpu", said.cpu, f"a node has {shape.cpus} processors", "see `kubectl describe node`")
        if said.memory and mib(said.memory) > shape.memory_gib * GIB:
            reason = f"a node has {shape.memory_gib} GiB"
            yield Problem(f"{key}.memory", said.memory, reason, "see `kubectl describe node`")


def _left(key: str, pool: NodePool) -> Iterator[Problem]:
    """A pod with one of a node's GPUs has a GiB at least."""
    if not pool.gpus:
        return
    cpu, memory = pool.largest
    each = memory / pool.units
    if cpu / pool.units < LEAST_CPU:
        reason = f"a pod with a GPU or slice would have {cpu / pool.units:.0f} millicores"
        yield Problem(f"{key}.shape", pool.shape, reason, "use a larger machine, or fewer slices")
    if each < LEAST:
        reason = f"a pod with a GPU or slice would have {each / GIB:.1f} GiB of memory: {_memory(pool)}"
        yield Problem(f"{key}.shape", pool.shape, reason, "use a larger machine, or fewer slices")


def _memory(pool: NodePool) -> str:
    return f"of pool {pool.name} pods have {pool.allocatable.memory_of(pool.memory_gib * GIB)}"
