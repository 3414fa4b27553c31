"""Machines that a site describes itself: `hardware` in the profile, or a file beside the stack with the same keys.

A pool then names them like any of ours; a name of the site's goes before one of ours. They are put in the pool's place
before anything is derived, so that nothing further on asks where a fact came from.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import Field, PositiveFloat, ValidationError

from bedplate.components.section import Section
from bedplate.stacks.hardware.gpus import GPUS, Gpu
from bedplate.stacks.hardware.shapes import SHAPES, Shape


class HardwareSection(Section):
    """Machines and GPUs that are not in our tables (docs/hardware.md), or differ from them."""

    file: str | None = Field(default=None, min_length=1)
    """A YAML file beside the stack file with `gpus`, `shapes` and `prices`, for stacks that share them; what is written
    here goes first."""
    gpus: Mapping[str, Gpu] = Field(default_factory=dict)
    """GPU models by the name that shapes give them."""
    shapes: Mapping[str, Shape] = Field(default_factory=dict)
    """Node shapes by the name that pools give them."""
    prices: Mapping[str, PositiveFloat] = Field(default_factory=dict)
    """US dollars for a node and hour, by the name of its shape or machine: what the site pays or reckons with. Absent:
    the cloud's list price on demand where we know it (docs/cost.md)."""

    def named(self, shape: str) -> Shape | None:
        """The site's shape of that name, with the name in it."""
        described = self.shapes.get(shape)
        return described.model_copy(update={"name": shape, **self.with_gpu(described)}) if described else None

    def with_gpu(self, shape: Shape) -> dict[str, Gpu]:
        """The shape's GPU in full, where it is one of the site's."""
        return {"gpu": self.gpus[shape.gpu]} if isinstance(shape.gpu, str) and shape.gpu in self.gpus else {}


def settled(document: Mapping[str, Any]) -> dict[str, Any]:
    """The profile with the site's shapes in the pools that name them; as it is where `hardware` is not sound."""
    pools: object = document.get("pools")
    try:
        own = HardwareSection.model_validate(document.get("hardware") or {})
    except ValidationError:
        return dict(document)  # the profile's own validation says what is wrong, once
    if not isinstance(pools, list | tuple):
        return dict(document)
    return {**document, "pools": [_settled(own, pool) for pool in cast("Sequence[object]", pools)]}


def _settled(own: HardwareSection, pool: object) -> object:
    """The pool with its shape in full, where that or its GPU is one of the site's."""
    facts = _mapping(pool)
    shape = facts.get("shape")
    described = own.named(shape) if isinstance(shape, str) else None
    gpu = own.gpus.get(str(_mapping(shape).get("gpu")))
    if gpu and described is None:
        return {**facts, "shape": {**_mapping(shape), "gpu": gpu}}
    return {**facts, "shape": described} if described else pool


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def known_shapes(own: HardwareSection | None) -> list[str]:
    """Every name that a pool can give."""
    return [*(own.shapes if own else ()), *SHAPES]


def known_gpus(own: HardwareSection | None) -> list[str]:
    """Every name that a shape can give."""
    return [*(own.gpus if own else ()), *GPUS]
