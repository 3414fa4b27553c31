"""Kinds of layers of a `config.json`, and what a sequence keeps in each.

A layer reads all tokens (`full`), the last ones alone (`windowed`), has a state of one size instead of a cache
(`linear`), or neither (`bare`: experts or an MLP alone). Sizes are those of vllm-project/vllm@v0.32.0
model_executor/layers/mamba/mamba_utils.py `MambaStateShapeCalculator`, without speculative tokens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any

Config = Mapping[str, Any]
WORDS = {
    "full": ("full_attention", "attention", "deepseek_sparse_attention", "*"),
    "windowed": ("sliding_attention", "chunked_attention"),
    "linear": ("linear_attention", "mamba", "M"),
    "bare": ("mlp", "moe", "-", "E"),
}
KINDS = {word: kind for kind, words in WORDS.items() for word in words}
"""By the word of `layer_types` and `layers_block_type`, and the letter of `hybrid_override_pattern`."""
ABSENT: Mapping[str, Any] = {
    **dict.fromkeys(("kv_heads", "head_dim", "latent", "expert_width", "state_bytes", "state_heads")),
    **dict.fromkeys(("window", "window_kv_heads", "window_head_dim")),
    **dict.fromkeys(("expert_billions", "windowed", "linear", "bare"), 0),
}
"""Sizes that a model need not have."""
LISTS = ("layers_block_type", "layer_types", "hybrid_override_pattern")
WIDE = 4
"""Bytes of a number of a state in 32 bits."""
NARROW = 2
"""Of the activations."""
GLOBAL = 4
"""Every so many layers of Llama 4 read all tokens (huggingface/transformers, Llama4TextConfig `no_rope_layers`)."""


@dataclass(frozen=True)
class State:
    """What a layer keeps of a sequence instead of its tokens."""

    bytes: int
    heads: int
    """GPUs divide them."""


def kinds(text: Config) -> list[str]:
    """The kind of each layer.

    Raises:
        KeyError: a layer of another kind, named in the config.
    """
    for name in LISTS:
        if text.get(name):
            return [KINDS[one] for one in text[name]]
    return _by_rule(text, int(text["num_hidden_layers"]))


def _by_rule(text: Config, layers: int) -> list[str]:
    """Of configs that do not list their layers."""
    if period := text.get("attn_layer_period"):
        first = int(text.get("attn_layer_offset") or 0)
        return ["full" if layer % int(period) == first else "linear" for layer in range(layers)]
    if text.get("linear_num_value_heads"):
        return _every(int(text.get("full_attention_interval") or 4), layers, "linear")
    if text.get("attention_chunk_size"):
        return _every(GLOBAL, layers, "windowed")
    if window(text):
        step = {"gemma2": 2, "gemma3_text": int(text.get("sliding_window_pattern") or 6)}.get(
            str(text.get("model_type")), 0
        )
        return _every(step, layers, "windowed") if step else ["windowed"] * layers
    return ["full"] * layers


def _every(step: int, layers: int, other: str) -> list[str]:
    """The last of every so many reads all tokens."""
    return ["full" if (layer + 1) % step == 0 else other for layer in range(layers)]


def window(text: Config) -> int | None:
    """Tokens that a windowed layer reads."""
    stated = text.get("attention_chunk_size") or text.get("sliding_window")
    return int(stated) if stated and text.get("use_sliding_window", True) else None


def state(text: Config) -> State | None:
    """Of one linear layer; None where the config does not say it in a way that is known here."""
    if text.get("linear_num_value_heads"):
        return _delta_net(text)
    if text.get("mamba_num_heads") or text.get("mamba_n_heads"):
        return _mamba2(text)
    return _mamba1(text) if text.get("mamba_dt_rank") else None


def _delta_net(text: Config) -> State:
    """Qwen3-Next and its successors."""
    keys, values = int(text["linear_num_key_heads"]), int(text["linear_num_value_heads"])
    key, value = int(text["linear_key_head_dim"]), int(text["linear_value_head_dim"])
    convolution = (2 * key * keys + value * values) * (int(text["linear_conv_kernel_dim"]) - 1)
    return State(convolution * NARROW + values * value * key * _width(text, "mamba_ssm_dtype"), gcd(keys, values))


def _mamba2(text: Config) -> State:
    """Nemotron-H and Granite 4, which call the same sizes otherwise."""
    heads, groups = first(text, "mamba_num_heads", "mamba_n_heads"), first(text, "n_groups", "mamba_n_groups")
    wide, size = heads * first(text, "mamba_head_dim", "mamba_d_head"), first(text, "ssm_state_size", "mamba_d_state")
    convolution = (wide + 2 * groups * size) * (first(text, "conv_kernel", "mamba_d_conv") - 1)
    return State(convolution * NARROW + wide * size * _width(text, "mamba_ssm_cache_dtype"), heads)


def _mamba1(text: Config) -> State:
    """Jamba."""
    wide = int(text["mamba_expand"]) * int(text["hidden_size"])
    convolution = wide * (int(text["mamba_d_conv"]) - 1)
    return State((convolution + wide * int(text["mamba_d_state"])) * NARROW, wide)


def first(text: Config, *names: str) -> int:
    """The first of these keys that is there.

    Raises:
        KeyError: none is.
    """
    for name in names:
        if text.get(name):
            return int(text[name])
    raise KeyError(names[0])


def _width(text: Config, key: str) -> int:
    """32 bits where the config says so; Nemotron-H has them also where it does not (vLLM models/config.py)."""
    wide = "float32" if text.get("model_type") == "nemotron_h" else None
    return WIDE if text.get(key, wide) == "float32" else NARROW


def billions(parameters: float) -> float:
    """In 10⁹, five digits of it."""
    return float(f"{parameters / 1e9:.5g}")
