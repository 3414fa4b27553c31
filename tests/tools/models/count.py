"""How many parameters a model has, by the sizes of its `config.json`; biases and norms (below a tenth of a percent) not.

Each block is what huggingface/transformers builds of the same keys: modeling_llama, modeling_mixtral,
modeling_deepseek_v3, modeling_llama4.
"""

from collections.abc import Mapping
from typing import Any

Config = Mapping[str, Any]
GATED = 3
"""Matrices of a gated MLP: gate, up and down."""


def experts(text: Config) -> int:
    """Routed experts of a layer that has them; 0: a dense model."""
    keys = ("n_routed_experts", "num_local_experts", "num_experts")
    return next((int(text[key]) for key in keys if text.get(key)), 0)


def expert_width(text: Config) -> int:
    """Intermediate size of one expert."""
    return int(text.get("moe_intermediate_size") or text["intermediate_size"])


def expert_layers(text: Config) -> int:
    """Layers with experts: all but the first few, or every so many."""
    layers = int(text["num_hidden_layers"])
    if step := text.get("interleave_moe_layer_step"):
        return layers // int(step)
    return layers - int(text.get("first_k_dense_replace") or 0)


def shared_width(text: Config) -> int:
    """Intermediate size of the experts that every token passes through; 0: none."""
    if "interleave_moe_layer_step" in text:
        return int(text["intermediate_size"])
    return int(text.get("n_shared_experts") or 0) * expert_width(text)


def dense_width(text: Config) -> int:
    """Intermediate size of a layer without experts."""
    return int(text.get("intermediate_size_mlp") or text["intermediate_size"])


def widths(text: Config) -> list[int]:
    """Intermediate sizes that tensor parallelism divides whether or not experts stay whole."""
    if not experts(text):
        return [dense_width(text)]
    dense = [dense_width(text)] if expert_layers(text) < int(text["num_hidden_layers"]) else []
    return sorted({*dense, *([shared_width(text)] if shared_width(text) else [])})


def routed(text: Config) -> int:
    """Parameters of all routed experts."""
    if not experts(text):
        return 0
    return expert_layers(text) * experts(text) * GATED * int(text["hidden_size"]) * expert_width(text)


def total(config: Config, text: Config, *, tied: bool) -> int:
    """All parameters, with what sees images beside the text."""
    layers, hidden = int(text["num_hidden_layers"]), int(text["hidden_size"])
    mixed = expert_layers(text) if experts(text) else 0
    dense = (layers - mixed) * GATED * hidden * dense_width(text)
    beside = mixed * hidden * (GATED * shared_width(text) + experts(text)) if mixed else 0
    words = int(text["vocab_size"]) * hidden * (1 if tied else 2)
    return layers * _attention(text) + dense + beside + routed(text) + words + _vision(config)


def _attention(text: Config) -> int:
    hidden, heads = int(text["hidden_size"]), int(text["num_attention_heads"])
    if rank := text.get("kv_lora_rank"):
        return _latent(text, hidden, heads, int(rank))
    dim = int(text.get("head_dim") or hidden // heads)
    return 2 * hidden * dim * (heads + int(text["num_key_value_heads"]))


def _latent(text: Config, hidden: int, heads: int, rank: int) -> int:
    """Multi-head latent attention, with the sparse indexer where there is one."""
    plain, rope, value = (int(text[key]) for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    narrow = int(text["q_lora_rank"]) if text.get("q_lora_rank") else 0
    query = (hidden + heads * (plain + rope)) * narrow if narrow else hidden * heads * (plain + rope)
    index = int(text.get("index_head_dim") or 0)
    sparse = index * (narrow * int(text.get("index_n_heads") or 0) + hidden)
    return query + hidden * (rank + rope) + rank * heads * (plain + value) + heads * value * hidden + sparse


def _vision(config: Config) -> int:
    """Blocks of the part that sees, and what joins them to the text."""
    seen = config.get("vision_config") or {}
    keys = (("depth", "num_hidden_layers", "vt_num_hidden_layers"), ("hidden_size", "vt_hidden_size"))
    layers, hidden = (next((int(seen[key]) for key in each if key in seen), 0) for each in keys)
    width = next((int(seen[key]) for key in ("intermediate_size", "vt_intermediate_size") if key in seen), 0)
    merged = hidden * 4
    joins = (
        (1 + len(seen.get("deepstack_visual_indexes", ()))) * merged * (merged + int(seen.get("out_hidden_size", 0)))
    )
    return layers * (4 * hidden * hidden + 2 * hidden * width) + (joins if "out_hidden_size" in seen else 0)
