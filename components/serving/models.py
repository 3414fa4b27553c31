"""Models as data: what decides whether one fits a GPU.

From each model's own `config.json` (num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim,
kv_lora_rank + qk_rope_head_dim) and model card. A model that is not here is given by the same facts in full.
"""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, PositiveInt, model_validator

from bedplate.components.section import Section


class Model(Section):
    """A decoder, with grouped-query attention or with a latent cache (DeepSeek's multi-head latent attention)."""

    billions: Annotated[float, Field(gt=0)]
    """Parameters, in 10⁹; all experts of a mixture count, because all are loaded."""
    layers: PositiveInt
    """Layers with a KV cache (num_hidden_layers)."""
    heads: PositiveInt
    """Attention heads (num_attention_heads)."""
    kv_heads: PositiveInt | None = None
    """Key and value heads (num_key_value_heads)."""
    head_dim: PositiveInt = 128
    latent: PositiveInt | None = None
    """Instead of KV heads, the numbers that a token has in the cache of each layer (kv_lora_rank +
    qk_rope_head_dim)."""
    expert_billions: Annotated[float, Field(ge=0)] = 0
    """Those of its parameters that are routed experts, in 10⁹: data parallelism divides them and repeats the others."""
    source: str = Field(default="profile", min_length=1)
    """Where the figures come from."""

    @model_validator(mode="after")
    def _has_one_cache(self) -> Self:
        if (self.kv_heads is None) is (self.latent is None):
            raise ValueError("a model has either kvHeads or a latent cache: give one of the two")
        if self.expert_billions > self.billions:
            raise ValueError("expertBillions is a part of billions")
        return self

    def divides(self, tensor: int) -> bool:
        """Whether so many GPUs can share a layer.

        They divide the heads, and divide the KV heads or are a multiple of them: vLLM then repeats them
        (vllm-project/vllm, ParallelConfig checks and QKVParallelLinear). A latent cache is the same on all.
        """
        kv = self.kv_heads or 1
        return self.heads % tensor == 0 and (kv % tensor == 0 or tensor % kv == 0)

    def kv_bytes(self, tensor: int = 1, width: float = 2) -> float:
        """KV cache of one token in all layers on each of `tensor` GPUs, at `width` bytes a number.

        Never less than one head (vllm-project/vllm, ModelConfig.get_num_kv_heads), and never less than the latent.
        """
        if self.latent is not None:
            return self.layers * self.latent * width
        return 2 * self.layers * max(1, (self.kv_heads or 1) // tensor) * self.head_dim * width


def _row(where: str, facts: str, *, dim: int = 128, experts: float = 0) -> Model:
    """`facts`: billions, layers, heads, and KV heads or `mla` and the latent's numbers."""
    billions, layers, heads, cache = facts.split(maxsplit=3)
    kind = {"latent": int(cache[3:])} if cache.startswith("mla") else {"kv_heads": int(cache)}
    return Model(
        billions=float(billions),
        layers=int(layers),
        heads=int(heads),
        head_dim=dim,
        expert_billions=experts,
        source=f"{where} config.json",
        **kind,
    )


# fmt: off
MODELS: Mapping[str, Model] = {
    "llama-3.1-8b":      _row("meta-llama/Llama-3.1-8B", "8.03 32 32 8"),
    "llama-3.1-70b":     _row("meta-llama/Llama-3.1-70B", "70.6 80 64 8"),
    "llama-3.1-405b":    _row("meta-llama/Llama-3.1-405B", "405.9 126 128 8"),
    "llama-3.2-1b":      _row("meta-llama/Llama-3.2-1B", "1.24 16 32 8", dim=64),
    "llama-3.2-3b":      _row("meta-llama/Llama-3.2-3B", "3.21 28 24 8"),
    "llama-3.3-70b":     _row("meta-llama/Llama-3.3-70B-Instruct", "70.6 80 64 8"),
    "llama-4-scout":     _row("meta-llama/Llama-4-Scout-17B-16E", "108.6 48 40 8", experts=96.6),
    "llama-4-maverick":  _row("meta-llama/Llama-4-Maverick-17B-128E", "401.6 48 40 8", experts=386.5),
    "mistral-7b":        _row("mistralai/Mistral-7B-v0.3", "7.25 32 32 8"),
    "mistral-nemo-12b":  _row("mistralai/Mistral-Nemo-Instruct-2407", "12.2 40 32 8"),
    "mistral-small-24b": _row("mistralai/Mistral-Small-3.1-24B-Base-2503", "24.0 40 32 8"),
    "mistral-large-123b": _row("mistralai/Mistral-Large-Instruct-2407", "122.6 88 96 8"),
    "mixtral-8x7b":      _row("mistralai/Mixtral-8x7B-v0.1", "46.7 32 32 8", experts=45.1),
    "mixtral-8x22b":     _row("mistralai/Mixtral-8x22B-v0.1", "140.6 56 48 8", experts=135.3),
    "qwen2.5-7b":        _row("Qwen/Qwen2.5-7B", "7.62 28 28 4"),
    "qwen2.5-14b":       _row("Qwen/Qwen2.5-14B", "14.8 48 40 8"),
    "qwen2.5-32b":       _row("Qwen/Qwen2.5-32B", "32.8 64 40 8"),
    "qwen2.5-72b":       _row("Qwen/Qwen2.5-72B", "72.7 80 64 8"),
    "qwen3-4b":          _row("Qwen/Qwen3-4B", "4.02 36 32 8"),
    "qwen3-8b":          _row("Qwen/Qwen3-8B", "8.19 36 32 8"),
    "qwen3-14b":         _row("Qwen/Qwen3-14B", "14.8 40 40 8"),
    "qwen3-32b":         _row("Qwen/Qwen3-32B", "32.8 64 64 8"),
    "qwen3-30b-a3b":     _row("Qwen/Qwen3-30B-A3B", "30.5 48 32 4", experts=29.0),
    "qwen3-235b-a22b":   _row("Qwen/Qwen3-235B-A22B", "235.1 94 64 4", experts=227.1),
    "qwen3-coder-480b":  _row("Qwen/Qwen3-Coder-480B-A35B-Instruct", "480.2 62 96 8", experts=468.1),
    "deepseek-v2-lite":  _row("deepseek-ai/DeepSeek-V2-Lite", "15.7 27 16 mla576", experts=14.4),
    "deepseek-v3":       _row("deepseek-ai/DeepSeek-V3", "671.0 61 128 mla576", experts=653.9),
    "deepseek-r1":       _row("deepseek-ai/DeepSeek-R1", "671.0 61 128 mla576", experts=653.9),
    "kimi-k2":           _row("moonshotai/Kimi-K2-Instruct", "1026.5 61 64 mla576", experts=1014.7),
    "gpt-oss-20b":       _row("openai/gpt-oss-20b", "20.9 24 64 8", dim=64, experts=19.1),
    "gpt-oss-120b":      _row("openai/gpt-oss-120b", "116.8 36 64 8", dim=64, experts=114.7),
    "glm-4.5":           _row("zai-org/GLM-4.5", "355.0 92 96 8", experts=335.9),
    "glm-4.5-air":       _row("zai-org/GLM-4.5-Air", "106.9 46 96 8", experts=99.7),
    "gemma-3-12b":       _row("google/gemma-3-12b-it", "12.2 48 16 8", dim=256),
    "gemma-3-27b":       _row("google/gemma-3-27b-it", "27.4 62 32 16"),
    "phi-4":             _row("microsoft/phi-4", "14.7 40 40 10"),
    "command-a":         _row("CohereLabs/c4ai-command-a-03-2025", "111.1 64 96 8"),
}
# fmt: on
