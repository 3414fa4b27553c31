"""LoRA adapters beside a model: small weights that clients call by a name of their own."""

from typing import Literal

from bedplate.components.section import DnsLabel, Section
from bedplate.components.serving.pod import Loading
from bedplate.components.serving.weights import VolumeWeights
from bedplate.components.storage.section import Directory

Rank = Literal[1, 8, 16, 32, 64, 128, 256, 320, 512]
"""What vLLM takes (`MaxLoRARanks` of its configuration)."""


class Adapter(Section):
    """A LoRA adapter on the volume of the weights."""

    name: DnsLabel
    """What clients ask for."""
    directory: Directory
    """Below the volume's root."""


def arguments(adapters: tuple[Adapter, ...], rank: Rank, weights: VolumeWeights, source: Loading) -> tuple[str, ...]:
    """All of them at once in one batch, so that none waits for another's turn (vLLM documentation, LoRA adapters)."""
    root = source.path.removesuffix(weights.directory)
    named = (f"{adapter.name}={root}{adapter.directory}" for adapter in adapters)
    sizes = ("--max-loras", str(len(adapters)), "--max-lora-rank", str(rank))
    return ("--enable-lora", *sizes, "--lora-modules", *named)
