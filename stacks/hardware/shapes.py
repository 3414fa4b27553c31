"""Node shapes as a pool names them: every machine of the catalogue, in the form that a profile gives its own.

Nothing is guessed: what is not in `bedplate/catalog/data/` a profile describes itself, in full or under `hardware`
(`stacks/hardware/own.py`).
"""

from collections.abc import Mapping

from bedplate.catalog.machines import MACHINES, Machine
from bedplate.catalog.sources import SOURCES
from bedplate.stacks.hardware.shape import Shape


def _shape(one: Machine) -> Shape:
    facts = {
        "gpu": one.gpu,
        "gpus": one.gpus,
        "cpus": one.cpus,
        "memory_gib": one.memory_gib,
        "arch": one.arch,
        "fabrics": one.fabrics,
        "nics": one.nics,
        "nic_gbps": one.nic_gbps,
        "extra_hcas": one.extra_hcas,
        "nvlink_domain": one.nvlink,
        "ena_card": one.ena_card,
        "efa_card_step": one.card_step,
        "max_kw": one.kw,
        "cloud": one.cloud,
        "source": SOURCES[one.source].text,
    }
    return Shape.model_validate(facts)


SHAPES: Mapping[str, Shape] = {name: _shape(one) for name, one in MACHINES.items()}
