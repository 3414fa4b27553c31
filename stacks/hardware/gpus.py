"""GPU models as a profile writes and names them: those of the catalogue, and the form of a site's own.

The figures are rows of `bedplate/catalog/data/gpus.csv`. A model that is not there a profile describes itself
(`stacks/hardware/own.py`).
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from bedplate.catalog import gpus as catalog
from bedplate.components.facts.pools import MIG_PROFILE
from bedplate.components.section import Section

Family = Literal["pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"]
LabelValue = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$")]
PciId = Annotated[str, Field(pattern=r"^[0-9a-f]{4}$")]
MigProfile = Annotated[str, Field(pattern=f"^{MIG_PROFILE}$")]


EIGHTHS = 8
"""Memory slices of a GPU with MIG, whatever it computes in (MIG User Guide, "Supported MIG Profiles")."""


class Gpu(Section):
    """One GPU model."""

    product: LabelValue
    """Value of the node label `nvidia.com/gpu.product`: `nvidia-smi -L`'s name with `-` for spaces."""
    memory_gib: PositiveInt
    """Memory of one GPU; models must fit in it."""
    family: Family
    """Blackwell takes open kernel modules only, Pascal and Volta have none (NVIDIA/open-gpu-kernel-modules README)."""
    pci_ids: tuple[PciId, ...] = ()
    """PCI device ids, lower case hex, as NFD reports them (`lspci -nn -d 10de:`)."""
    mig: Mapping[MigProfile, PositiveInt] = Field(default_factory=dict)
    """MIG profile to the most of it that one GPU holds (`nvidia-smi mig -lgip`); empty: no MIG."""

    @property
    def compute_slices(self) -> int:
        """Compute slices of one GPU, all of which its smallest or its largest profile takes; 0 without MIG."""
        return max((int(profile[0]) * most for profile, most in self.mig.items()), default=0)

    def computes(self, layout: Mapping[str, int]) -> int:
        """Compute slices that a layout takes together."""
        return sum(int(name[0]) * count for name, count in layout.items())

    def eighths(self, layout: Mapping[str, int]) -> int:
        """Memory slices that it takes: names round memory up, the hardware hands it out in eighths."""
        return sum(
            round(EIGHTHS * int(name[3 : name.index("gb")]) / self.memory_gib) * count for name, count in layout.items()
        )


GPUS: Mapping[str, Gpu] = {
    name: Gpu.model_validate(
        {
            "product": row.product,
            "memory_gib": row.memory_gib,
            "family": row.family,
            "pci_ids": row.pci,
            "mig": dict(row.mig),
        }
    )
    for name, row in catalog.GPUS.items()
}
