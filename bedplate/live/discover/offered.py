"""What nodes leave to pods, where it is not what the platform's formula says of them."""

from collections.abc import Sequence
from decimal import Decimal

from bedplate.catalog.kubelet import Node, kept
from bedplate.catalog.machines import of_type
from bedplate.components.facts.allocatable import GIB
from bedplate.components.quantity import amount, mib
from bedplate.live.discover.machine import Machine
from bedplate.stacks.hardware.shapes import SHAPES

NEAR = Decimal("1.15")
"""The formula is on the safe side; a profile that is no nearer to its nodes than this says their own figures."""


def offered(machines: Sequence[Machine], platform: str) -> dict[str, dict[str, str]]:
    """The least that any node of a pool offers, as the profile says it; nothing where the formula is as good."""
    there = [one.offered for one in machines if {"cpu", "memory"} <= set(one.offered)]
    if not there:
        return {}
    cpu = min((one["cpu"] for one in there), key=amount)
    memory = min((one["memory"] for one in there), key=amount)
    by_formula = _formula(machines[0], platform)
    near = all(
        least <= said <= least * NEAR for least, said in zip(by_formula, (amount(cpu) * 1000, mib(memory)), strict=True)
    )
    return {} if near else {"allocatable": {"cpu": cpu, "memory": memory}}


def _formula(one: Machine, platform: str) -> tuple[int, int]:
    """Millicores and MiB."""
    known, sold = SHAPES.get(one.kind or ""), of_type(one.kind or "")
    memory = (known.memory_gib if known else one.memory_gib) * GIB
    cut = kept(platform, Node(one.cpus, memory, sold.pods if sold else None))
    pages = sum(int(mib(size)) for name, size in one.capacity.items() if name.startswith("hugepages-"))
    return one.cpus * 1000 - cut.millicores, memory - cut.memory - pages
