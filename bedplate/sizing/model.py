"""Models as training needs them: the parameters that are stored, and those that a token passes through."""

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.components.serving.models import MODELS


@dataclass(frozen=True)
class Trained:
    """A decoder, from its `config.json` and its model card."""

    name: str
    billions: float
    """All parameters, in 10⁹."""
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    vocabulary: int
    expert_billions: float = 0
    """Those of the parameters that are experts."""
    active: float = 0
    """Parameters that one token passes through, in 10⁹; 0: all (a dense model)."""
    experts: int = 1
    """Into so many each layer's are divided."""

    @property
    def passed(self) -> float:
        """Parameters, in 10⁹, that decide the arithmetic of a token."""
        return self.active or self.billions


@dataclass(frozen=True)
class _More:
    """What serving does not ask for."""

    hidden: int
    vocabulary: int
    active: float = 0
    experts: int = 1


_MORE: Mapping[str, _More] = {
    "llama-3.1-8b": _More(4096, 128256),
    "llama-3.1-70b": _More(8192, 128256),
    "llama-3.3-70b": _More(8192, 128256),
    "llama-3.1-405b": _More(16384, 128256),
    "mistral-7b": _More(4096, 32768),
    "mixtral-8x7b": _More(4096, 32000, 12.9, 8),
    "qwen2.5-7b": _More(3584, 152064),
    "qwen2.5-32b": _More(5120, 152064),
    "qwen2.5-72b": _More(8192, 152064),
}
"""hidden_size and vocab_size of each model's `config.json`; active parameters and experts of its model card."""
SHORT = {"llama-8b": "llama-3.1-8b", "llama-70b": "llama-3.1-70b", "llama-405b": "llama-3.1-405b"}
"""Names that people use."""


def trained(name: str) -> Trained | None:
    """A known model, under its own or a short name."""
    full = SHORT.get(name, name)
    if full not in _MORE or full not in MODELS:
        return None
    model, more = MODELS[full], _MORE[full]
    sizes = (model.billions, model.layers, more.hidden, model.heads, model.kv_heads or 1, more.vocabulary)
    return Trained(full, *sizes, model.expert_billions, more.active, more.experts)


def known() -> list[str]:
    """Names that may be asked for."""
    return sorted({*_MORE, *SHORT})
