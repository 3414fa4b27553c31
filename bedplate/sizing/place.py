"""Where a model runs: nodes of one kind, and what connects them."""

from dataclasses import dataclass, replace

from bedplate.catalog.gpus import Gpu, near
from bedplate.components.facts import Facts, NodePool
from bedplate.nearest import meant
from bedplate.sizing.figures import ImpossibleError


@dataclass(frozen=True)
class Place:
    """A pool as arithmetic needs it."""

    name: str
    gpu: str
    """The GPU's product as its nodes report it, `NVIDIA-H100-80GB-HBM3`."""
    memory_gb: int
    """Memory of one GPU as its data sheet rounds it; taken as 10⁹ bytes, which errs on the safe side."""
    gpus_per_node: int
    nodes: int
    nics: int = 0
    nic_gbps: int = 0
    domain: int = 0
    """GPUs that share NVLink; 0: those of one node."""

    @property
    def gpus(self) -> int:
        """All of them."""
        return self.gpus_per_node * self.nodes

    @property
    def nvlink(self) -> int:
        """GPUs that reach each other without the network."""
        return self.domain or self.gpus_per_node

    @property
    def gpu_network(self) -> float:
        """GB/s between nodes that each GPU has for itself, one way."""
        return self.nics * self.nic_gbps / 8 / self.gpus_per_node if self.gpus_per_node else 0.0

    @property
    def model(self) -> Gpu | None:
        """The GPU as the catalogue has it, or its nearest kin there; None where it has none."""
        return near(self.gpu)


def place(pool: NodePool) -> Place:
    """A stack's pool."""
    return Place(
        pool.name,
        pool.gpu_product or "none",
        pool.gpu_memory_gib,
        pool.gpus,
        pool.most,
        pool.nics,
        pool.nic_gbps,
        pool.nvlink_domain if pool.nvlink_domain > pool.gpus else 0,
    )


def of_shape(name: str, nodes: int) -> Place:
    """Nodes of a known shape."""
    from bedplate.stacks.hardware.shapes import SHAPES  # noqa: PLC0415 - a stack's pool needs no table

    shape = SHAPES.get(name)
    gpu = shape.model if shape else None
    if shape is None or gpu is None:
        fix = meant(name, [shape for shape, row in SHAPES.items() if row.gpu]) or "see docs/hardware.md"
        raise ImpossibleError([f"--shape {name}: unknown; {fix}"])
    domain = shape.nvlink_domain
    joined = domain if domain > shape.gpus else 0
    return Place(name, gpu.product, gpu.memory_gib, shape.gpus, nodes, shape.nics or 0, shape.nic_gbps, joined)


def of_stack(facts: Facts, name: str | None, nodes: int | None) -> Place:
    """A pool of a stack, perhaps with another number of nodes."""
    pools = {pool.name: place(pool) for pool in facts.pools if pool.gpus}
    if name is None and len(pools) == 1:
        name = next(iter(pools))
    if name not in pools:
        why = f"--pool {name}: unknown" if name else "several pools have GPUs"
        raise ImpossibleError([f"{why}; name one of {', '.join(pools) or 'none: no pool has GPUs'} by --pool"])
    return replace(pools[name], nodes=nodes or pools[name].nodes)
