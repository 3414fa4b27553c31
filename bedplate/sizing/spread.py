"""How training is spread over GPUs: tensor, pipeline, context, expert and data parallelism, and ZeRO's stage."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from bedplate.sizing.model import Trained
from bedplate.sizing.place import Place

ENDS = 2
"""Embedding and output layer."""
FULL_SHARD = 3
"""ZeRO's last stage, FSDP's full shard."""


@dataclass(frozen=True)
class Spread:
    """World = tensor · pipeline · context · data; experts are spread inside data parallelism (Megatron-Core)."""

    data: int
    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    stage: int = 3
    """ZeRO's: 0 nothing is sharded (DDP), 1 optimizer states, 2 gradients too, 3 parameters too (FSDP full shard)."""

    def longest(self, layers: int) -> int:
        """Layers of the longest stage; where they do not divide, embedding and output layer count as one each.

        So Llama 3 has 126 layers in 16 stages (arXiv 2407.21783, section 3.3.2).
        """
        return layers // self.pipeline if layers % self.pipeline == 0 else ceil((layers + ENDS) / self.pipeline)

    def share(self, layers: int) -> float:
        """Of the layers, that the longest stage has."""
        return min(1.0, self.longest(layers) / layers)

    def wait(self, layers: int) -> float:
        """How much longer a step takes than with stages alike."""
        even = layers if layers % self.pipeline == 0 else layers + ENDS
        return self.longest(layers) * self.pipeline / even

    @property
    def world(self) -> int:
        """GPUs that take part."""
        return self.tensor * self.pipeline * self.context * self.data

    @property
    def replicas(self) -> int:
        """Ranks that hold the same parameters and reduce their gradients: data and context ranks."""
        return self.data * self.context


def over(place: Place, spread: Spread) -> Spread:
    """One replica's cut over all of a place's GPUs: what is left of them becomes data parallelism."""
    return replace(spread, data=max(1, place.gpus * spread.data // spread.world))


def faults(model: Trained, spread: Spread, place: Place) -> Iterator[str]:
    """Why it cannot be run so; the arithmetic included."""
    if spread.world != place.gpus:
        degrees = f"tp {spread.tensor} · pp {spread.pipeline} · cp {spread.context}"
        yield f"{degrees} = {spread.world // spread.data} does not divide the {place.gpus} GPUs of {place.name}"
    shares = (
        ("attention heads", model.heads, "tp", spread.tensor),
        ("experts", model.experts, "ep", spread.expert),
        ("data ranks", spread.data, "ep", spread.expert),
    )
    for what, number, option, parts in shares:
        if what == "experts" and number == 1 < parts:
            yield f"ep {parts}: {model.name} has no experts; remove --ep"
        elif number % parts:
            yield f"{number} {what} do not divide by {option} {parts}: {number} / {parts} = {number / parts:.2f}"
    if spread.pipeline > model.layers:
        yield f"pp {spread.pipeline}: {model.name} has {model.layers} layers, and a stage has one at least"
    if model.kv_heads % spread.tensor and spread.tensor % model.kv_heads:
        yield f"{model.kv_heads} key-value heads and tp {spread.tensor} do not divide one another"
    if spread.tensor > place.nvlink:
        yield f"tp {spread.tensor} leaves NVLink, which joins {place.nvlink} GPUs of {place.name}"
