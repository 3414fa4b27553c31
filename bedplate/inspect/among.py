"""What machines of one pool do not have in common. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bedplate.inspect.comparison import words
from bedplate.inspect.lines import driver, rails, shape
from bedplate.inspect.node import Node
from bedplate.inspect.rails import ports


def facts(node: Node) -> Mapping[str, str]:
    """What should be alike, as a reader takes it."""
    mine = [rail.nic for rail in rails(node)]
    every: dict[str, object] = {
        "machine": node.machine,
        "BIOS": node.bios,
        "system": f"{node.os} {node.version}",
        "kernel": node.kernel,
        "shape": shape(node),
        "GPU driver": driver(node) if node.nvidia else "",
        "GPUs by address": [gpu.pci.address for gpu in node.gpus],
        "MIG": [gpu.index for gpu in node.gpus if gpu.mig],
        "rails": [nic.rail_interface for nic in mine],
        "hcas": [nic.name for nic in mine],
        "rails by address": [nic.pci.address for nic in mine],
        "rails without link": [nic.name for nic in mine if not nic.active],
        "firmware": {nic.firmware for nic in mine},
        "mtu": {nic.mtu for nic in mine},
        "virtual functions": {f"{nic.pci.vfs} of {nic.pci.vfs_most}" for nic in mine},
        "no rails": [port.nic.name for port in ports(node) if not port.rail and not port.nic.pci.parent],
        "modules": [f"{name} {version}".strip() for name, version in node.modules.items()],
        "IOMMU": {gpu.pci.iommu for gpu in node.gpus} | {nic.pci.iommu for nic in mine},
        "kernel's iommu": node.iommu,
        "ACS redirects": "not read" if node.redirecting is None else f"on {len(node.redirecting)} bridges",
        "huge pages": [f"{count} x {size}" for size, count in node.huge_pages.items()],
    }
    return {key: words(value) for key, value in every.items()}


def unlike(nodes: Sequence[Node]) -> Iterator[str]:
    """A line a fact: what most machines have, and what each of the others has."""
    every = [(node.name, facts(node)) for node in nodes]
    for key in every[0][1]:
        (usual, count), *others = Counter(facts_of_node[key] for _, facts_of_node in every).most_common()
        if others:
            few = "; ".join(
                f"{name}: {facts_of_node[key]}" for name, facts_of_node in every if facts_of_node[key] != usual
            )
            yield f"{key}: {usual} on {count} of {len(nodes)}; {few}"
