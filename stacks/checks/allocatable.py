"""Rules about processors and memory: what a node gives pods is enough for those that the profile puts on it."""

from collections.abc import Iterator

from bedplate.components.facts import NodePool
from bedplate.components.facts.allocatable import GIB
from bedplate.components.quantity import amount, mib
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

LEAST = GIB
"""MiB for a pod with one GPU or slice: CUDA and Python alone take as much."""
LEAST_CPU = 100
"""Millicores for the same."""


def check_allocatable(profile: Profile) -> Iterator[Problem]:
    """A pod with one of a node's GPUs has a GiB at least, and every server that says its own size fits a node."""
    if beyond := [*_beyond(profile)]:
        yield from beyond
        return
    derived = facts(profile)
    for key, pool in keyed("pools", derived.pools):
        cpu, memory = (amount / pool.units for amount in pool.largest) if pool.gpus else (LEAST_CPU, LEAST)
        if cpu < LEAST_CPU:
            yield problem("allocatable.too-little-cpu", pool.shape, key, share=cpu)
        if memory < LEAST:
            yield problem("allocatable.too-little-memory", pool.shape, key, share=memory / GIB, memory=_memory(pool))
    for key, server in keyed("serving.servers", profile.servers):
        pool, room = derived.pool(server.pool), derived.pool(server.pool).allocatable
        if server.memory and mib(server.memory) > room.memory:
            yield problem("allocatable.server-memory", server.memory, key, memory=_memory(pool), room=room)
        if server.cpu and amount(server.cpu) * 1000 > room.millicores:
            yield problem("allocatable.server-cpu", server.cpu, key, pool=pool, room=room)


def _beyond(profile: Profile) -> Iterator[Problem]:
    """A node gives no more than it has."""
    for at, pool in keyed("pools", profile.pools):
        allocatable, shape = pool.allocatable, pool.hardware
        if allocatable is None or shape is None:
            continue
        if allocatable.cpu and amount(allocatable.cpu) > shape.cpus:
            yield problem("allocatable.more-cpu-than-node", allocatable.cpu, at=at, shape=shape)
        if allocatable.memory and mib(allocatable.memory) > shape.memory_gib * GIB:
            yield problem("allocatable.more-memory-than-node", allocatable.memory, at=at, shape=shape)


def _memory(pool: NodePool) -> str:
    return f"of pool {pool.name} pods have {pool.allocatable.memory_of(pool.memory_gib * GIB)}"
