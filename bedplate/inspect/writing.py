"""The lines of the profile as text, below what else was seen of the machine and what is doubtful in it."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill, indent

from bedplate.catalog import gpus as catalog
from bedplate.inspect.among import facts
from bedplate.inspect.lines import SYSTEMS, fragment, nvlink, rails
from bedplate.inspect.node import Node
from bedplate.inspect.rails import Port, ports
from bedplate.plan.to_yaml import to_yaml
from bedplate.printable import single

ELSE = ("BIOS", "GPU driver", "modules", "IOMMU", "kernel's iommu", "ACS redirects", "huge pages", "virtual functions")
"""Facts that no key of a pool says, and that decide whether it works (docs/hosts.md)."""


def written(nodes: Sequence[Node], name: str) -> str:
    """The same as YAML below what the machine has, its NICs one by one, and what is doubtful."""
    node = nodes[0]
    names = ", ".join(node_there.name for node_there in nodes)
    heading = (
        f"{names}: {node.machine or 'unknown machine'}, {node.os} {node.version}, kernel {node.kernel}, {node.arch}"
    )
    summary = facts(node)
    rest = "; ".join(f"{key} {summary[key]}" for key in ELSE)
    seen = (rest, *(_line(port, index) for index, port in enumerate(ports(node))), *_gpus(node))
    doubts = (f"to look at: {doubt}" for doubt in doubtful(node))
    return f"{commented((heading, *seen, *doubts))}{to_yaml(fragment(nodes, name))}"


def commented(lines: Iterable[str]) -> str:
    """As comments of YAML, within 80 columns."""
    every = (fill(single(line), 78, subsequent_indent="  ", break_on_hyphens=False) for line in lines)
    return "".join(indent(f"{line}\n", "# ") for line in every)


def _line(port: Port, index: int) -> str:
    nic, what = port.nic, f"rail {index}" if port.rail else "no rail"
    rate = f"{nic.gbps}G" if nic.active else "no link"
    parts = (nic.name, nic.rail_interface, nic.pci.address, rate, f"firmware {nic.firmware}" if nic.firmware else "")
    return f"{what}: {' '.join(part for part in parts if part)}: {port.reason}"


def _gpus(node: Node) -> Iterator[str]:
    for gpu in node.gpus:
        yield f"GPU {gpu.index}: {gpu.product or gpu.pci.device} {gpu.pci.address}, NUMA node {gpu.pci.numa}"


def _apart(node: Node) -> Iterator[str]:
    """GPUs that NVLink should join with others, and does not."""
    model = catalog.near(node.gpus[0].product) if node.gpus else None
    joined = {gpu.index: count for gpu in node.gpus if (count := node.joined(gpu))}
    if model and not model.rack and (least := min(joined.values(), default=nvlink(node))) < nvlink(node):
        few = ", ".join(str(index) for index, count in joined.items() if count == least)
        yield f"NVLink: GPU {few} is not joined with all others; look at `nvidia-smi nvlink -s`"


def doubtful(node: Node) -> Iterator[str]:
    """What the machine does not tell, or what is odd in it."""
    yield from _apart(node)
    for line in node.missing:
        yield f"{line}: what it would tell is not here"
    if node.os not in SYSTEMS:
        yield f"nodeOs: {node.os or 'unknown'} is none of ours; see docs/platforms.md"
    if node.gpus and catalog.of_product(node.gpus[0].product) is None:
        yield f"shape: GPU {node.gpus[0].product or 'unknown'} is not in docs/hardware.md; complete its facts"
    if len({gpu.product for gpu in node.gpus}) > 1:
        yield "shape: the GPUs are of several models; a pool has one"
    if any(gpu.mig for gpu in node.gpus):
        yield "pools[].mig: MIG is on; say the slices, as nvidia-smi -L shows them"
    yield from _odd_rails(node)


def _odd_rails(node: Node) -> Iterator[str]:
    mine = [rail.nic for rail in rails(node)]
    if down := [nic.name for nic in mine if not nic.active]:
        yield f"rails: no link on {', '.join(down)}: mend it, or leave it out of rails, hcas and nics"
    if mine and len(mine) < len(node.nics):
        yield "hcas: leave them out with exposure: sriov, where pods see functions of their own alone"
    if nameless := [nic.name for nic in mine if not nic.interface]:
        yield f"rails: {', '.join(nameless)} has no network device: load ib_ipoib, or name hcas alone"
    for what, values in (("firmware", {nic.firmware for nic in mine}), ("rate", {nic.gbps for nic in mine} - {0})):
        if len(values) > 1:
            yield f"rails: {what} differs: {', '.join(map(str, sorted(values)))}"
