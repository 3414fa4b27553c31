"""Models as data: what decides whether one fits a GPU.

From each model's own `config.json` (num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim) and model
card. A model that is not here is given by the same facts in full.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, PositiveInt

from components.section import Section


class Model(Section):
    """A decoder with grouped-query attention."""

    billions: Annotated[float, Field(gt=0)]
    """Parameters, in 10⁹; all experts of a mixture count, because all are loaded."""
    layers: PositiveInt
    """Layers with a KV cache (num_hidden_layers)."""
    heads: PositiveInt
    """Attention heads (num_attention_heads)."""
    kv_heads: PositiveInt
    """Key and value heads (num_key_value_heads)."""
    head_dim: PositiveInt = 128
    source: str = Field(default="profile", min_length=1)
    """Where the figures come from."""

    def kv_bytes(self, width: float = 2) -> float:
        """KV cache of one token in all layers, at `width` bytes a number."""
        return 2 * self.layers * self.kv_heads * self.head_dim * width


def _model(billions: float, layers: int, heads: int, kv_heads: int, source: str) -> Model:
    return Model(billions=billions, layers=layers, heads=heads, kv_heads=kv_heads, source=source)


MODELS: Mapping[str, Model] = {
    "llama-3.1-8b": _model(8.03, 32, 32, 8, "meta-llama/Llama-3.1-8B config.json"),
    "llama-3.1-70b": _model(70.6, 80, 64, 8, "meta-llama/Llama-3.1-70B config.json"),
    "llama-3.3-70b": _model(70.6, 80, 64, 8, "meta-llama/Llama-3.3-70B-Instruct config.json"),
    "llama-3.1-405b": _model(405.9, 126, 128, 8, "meta-llama/Llama-3.1-405B config.json"),
    "mistral-7b": _model(7.25, 32, 32, 8, "mistralai/Mistral-7B-v0.3 config.json"),
    "mixtral-8x7b": _model(46.7, 32, 32, 8, "mistralai/Mixtral-8x7B-v0.1 config.json"),
    "qwen2.5-7b": _model(7.62, 28, 28, 4, "Qwen/Qwen2.5-7B config.json"),
    "qwen2.5-32b": _model(32.8, 64, 40, 8, "Qwen/Qwen2.5-32B config.json"),
    "qwen2.5-72b": _model(72.7, 80, 64, 8, "Qwen/Qwen2.5-72B config.json"),
}
