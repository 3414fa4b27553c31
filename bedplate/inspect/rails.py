"""Which NICs are rails, and why the others are not.

The signs are those that NVIDIA's own tools go by: the default route, the PCIe distance to GPUs, the link, the model of
the card (NVIDIA/NVSentinel health-monitors/nic-health-monitor/pkg/topology/topology.go@5550aa3c; NVIDIA/k8s-launch-kit
presets/*/topology.yaml@aa1fef72, `traffic: east-west`). Neither says what a cable is plugged into: doubts are said.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bedplate.inspect.node import LEVELS, ON_SWITCH, Gpu, Nic, Node

MELLANOX = "15b3"


@dataclass(frozen=True)
class Port:
    """A NIC, and what it is for."""

    nic: Nic
    rail: bool
    reason: str
    gpu: int = -1
    """The GPU that it is nearest to; of several the first. -1: the machine has none."""
    level: str = ""


def ports(node: Node) -> tuple[Port, ...]:
    """Every NIC: the rails first, in the order of their GPUs."""
    out = {nic.name: reason for nic in node.nics if (reason := _never(nic, node))}
    rest = [nic for nic in node.nics if nic.name not in out]
    same = _alike(rest, node)
    chosen = _chosen(same, node)
    for nic in rest:
        if nic not in same:
            out[nic.name] = _other(nic, same[0]) if same else "the machine has no GPU"
        elif nic not in chosen:
            out[nic.name] = "same card as the rails, but on no GPU's PCIe switch: storage?"
    every = [_port(nic, node, out.get(nic.name)) for nic in node.nics]
    return tuple(sorted(every, key=lambda port: (not port.rail, port.gpu if port.rail else 0, port.nic.pci.address)))


def _never(nic: Nic, node: Node) -> str | None:
    """What keeps a NIC from being a rail whatever the others are."""
    if nic.pci.parent:
        return f"virtual function of {nic.pci.parent}"
    if nic.pci.vendor != MELLANOX:
        return f"not NVIDIA's (vendor {nic.pci.vendor})"
    if carried := node.default_routes & {nic.interface, *nic.above}:
        return f"carries the node's default route ({min(carried)})"
    if not nic.active and any(other.active and other.pci.card == nic.pci.card for other in node.nics):
        return "no link, and the card's other port has one: not cabled"
    return None


def _alike(nics: list[Nic], node: Node) -> list[Nic]:
    """The cards of one model that serve most GPUs from their own switch, or else carry most."""
    groups: dict[tuple[str, int, str], list[Nic]] = {}
    for nic in nics if node.gpus else ():
        groups.setdefault((nic.pci.device, nic.functions, nic.link), []).append(nic)
    served = {
        key: sum(_nearest(gpu, group, node)[0] in ON_SWITCH for gpu in node.gpus) for key, group in groups.items()
    }
    best = sorted(groups, key=lambda key: (served[key], sum(nic.gbps for nic in groups[key]), len(groups[key])))
    return groups[best[-1]] if best else []


def _nearest(gpu: Gpu, nics: Iterable[Nic], node: Node) -> tuple[str, list[Nic]]:
    """The least distance of a GPU to any of them, and those that have it."""
    by_level: dict[str, list[Nic]] = {}
    for nic in nics:
        by_level.setdefault(node.level(gpu, nic), []).append(nic)
    level = min(by_level, key=LEVELS.index, default=LEVELS[-1])
    return level, by_level.get(level, [])


def _chosen(same: list[Nic], node: Node) -> list[Nic]:
    """Those that some GPU is nearest to.

    Where some GPUs have one on their switch, the others count on InfiniBand alone: Ethernet that is far is storage's.
    """
    nearest = [_nearest(gpu, same, node) for gpu in node.gpus]
    switched = [nic for level, nics in nearest if level in ON_SWITCH for nic in nics]
    every = [nic for _, nics in nearest for nic in nics]
    chosen = every if not switched or same[0].link == "InfiniBand" else switched
    return [nic for nic in same if nic in chosen]


def _other(nic: Nic, rail: Nic) -> str:
    """Why a card is of another kind than the rails'."""
    if nic.link != rail.link and nic.pci.device == rail.pci.device:
        return f"its link is {nic.link or 'unknown'}, that of the rails {rail.link} (firmware's LINK_TYPE)"
    if nic.pci.device != rail.pci.device:
        return f"another card than the rails' ({nic.model or nic.pci.device}, theirs {rail.model or rail.pci.device})"
    return f"a card of {nic.functions} functions, the rails' have {rail.functions}"


def _port(nic: Nic, node: Node, reason: str | None) -> Port:
    distances = [(LEVELS.index(node.level(gpu, nic)), gpu.index) for gpu in node.gpus]
    rank, gpu = min(distances, default=(len(LEVELS) - 1, -1))
    level = LEVELS[rank] if distances else ""
    return Port(nic, reason is None, reason or f"{level} to GPU {gpu}", gpu, level)
