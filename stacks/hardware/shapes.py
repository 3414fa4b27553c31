"""Node shapes as a pool names them: every machine of the catalogue, in the form that a profile gives its own.

Nothing is guessed: what is not in `bedplate/catalog/data/` a profile describes itself, in full or under `hardware`
(`stacks/hardware/own.py`).
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from bedplate.catalog.machines import MACHINES, Machine
from bedplate.catalog.sources import SOURCES
from bedplate.components.platforms import CloudPlatform, FabricKind
from bedplate.components.section import Section
from bedplate.stacks.hardware.gpus import GPUS, Gpu


class Shape(Section):
    """One node: what the scheduler can hand out, and how the node reaches the others."""

    name: str | None = Field(default=None, min_length=1)
    """What plans and reports call it; on a cloud also the machine's type."""
    gpu: str | Gpu | None = None
    """GPU model: a name of the table (docs/hardware.md) or of `hardware.gpus`, or its facts in full; absent on a CPU
    node."""
    gpus: NonNegativeInt = 0
    """GPUs per node."""
    cpus: PositiveInt
    """Logical processors."""
    memory_gib: PositiveInt = Field(le=65_536)
    """Main memory, GiB."""
    arch: Literal["amd64", "arm64"] = "amd64"
    fabrics: tuple[FabricKind, ...] = ()
    """Fabrics that the node's interfaces can form."""
    nics: NonNegativeInt | None = 0
    """RDMA-capable interfaces that take part in the fabric; null: not published, read it from the cloud's own API."""
    nic_gbps: NonNegativeInt = 0
    """Line rate of one interface, Gb/s."""
    extra_hcas: NonNegativeInt = 0
    """Further Mellanox devices for storage and management, which NCCL must not use."""
    nvlink_domain: PositiveInt = 1
    """GPUs that share NVLink; 72 for a rack-scale system, which needs a ComputeDomain."""
    ena_card: bool = False
    """Network card 0 carries the plain interface alone, so that EFA starts at card 1 (p6-b300)."""
    efa_card_step: PositiveInt = 1
    """Network cards from one EFA interface to the next; 4 where four cards share a NIC or a GPU (p6e-gb200)."""
    busbw_floor_gbs: NonNegativeInt = 0
    """All-reduce bus bandwidth of a healthy fabric, GB/s, of which 90 % must be reached; 0: by the table in
    `docs/verification.md`, if it has one."""
    max_kw: PositiveFloat | None = None
    """What one node draws at most, kW, by its data sheet or the site's own measure; absent: by the table, if it has
    one."""
    cloud: CloudPlatform | None = None
    """The one platform that offers this shape; absent: bare metal."""
    source: str = Field(default="profile", min_length=1)
    """Where the figures come from."""

    @property
    def idle_gbps(self) -> int:
        """Gb/s of NICs for GPUs that form no fabric of ours, such as GPUDirect-TCPX's."""
        return 0 if self.fabrics else (self.nics or 0) * self.nic_gbps

    @property
    def model(self) -> Gpu | None:
        """The GPU's facts, or None without one that we know."""
        return GPUS.get(self.gpu) if isinstance(self.gpu, str) else self.gpu


def _shape(machine: Machine) -> Shape:
    facts = {
        "gpu": machine.gpu,
        "gpus": machine.gpus,
        "cpus": machine.cpus,
        "memory_gib": machine.memory_gib,
        "arch": machine.arch,
        "fabrics": machine.fabrics,
        "nics": machine.nics,
        "nic_gbps": machine.nic_gbps,
        "extra_hcas": machine.extra_hcas,
        "nvlink_domain": machine.nvlink,
        "ena_card": machine.ena_card,
        "efa_card_step": machine.card_step,
        "max_kw": machine.kw,
        "cloud": machine.cloud,
        "source": SOURCES[machine.source].text,
    }
    return Shape.model_validate(facts)


SHAPES: Mapping[str, Shape] = {name: _shape(machine) for name, machine in MACHINES.items()}
