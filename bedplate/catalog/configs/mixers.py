"""Parameters of what joins the tokens of a sequence: attention, latent attention, and layers with a state.

What huggingface/transformers builds of the same keys: modeling_llama, modeling_deepseek_v3, modeling_qwen3_next,
modeling_nemotron_h, modeling_jamba, modeling_gemma4; biases and norms (below a tenth of a percent) not.
"""

from collections.abc import Mapping
from typing import Any

from bedplate.catalog.configs.layers import first

Config = Mapping[str, Any]
GATES = ("qwen3_next",)
"""Types whose attention has an output gate without saying so."""


def mixer(text: Config, kind: str) -> int:
    """Parameters of a layer of this kind, without its MLP."""
    if kind == "bare":
        return 0
    if kind == "linear":
        return _linear(text)
    return attention(text, kind)


def attention(text: Config, kind: str = "full") -> int:
    """Queries, keys, values and output."""
    hidden, heads = int(text["hidden_size"]), int(text["num_attention_heads"])
    if text.get("kv_lora_rank"):
        return _latent(text, hidden, heads, int(text["kv_lora_rank"]))
    kv, dim = kv_heads(text, kind), head_dim(text, kind)
    gate = 1 if text.get("attn_output_gate") or text.get("model_type") in GATES else 0
    pair = 1 if kind == "full" and text.get("attention_k_eq_v") else 2
    return hidden * dim * ((2 + gate) * heads + pair * kv)


def kv_heads(text: Config, kind: str = "full") -> int:
    """Key and value heads of a layer; those of the layers that read all tokens may be others (Gemma 4)."""
    if kind == "full" and text.get("num_global_key_value_heads"):
        return int(text["num_global_key_value_heads"])
    return int(text.get("num_key_value_heads") or text["num_attention_heads"])


def head_dim(text: Config, kind: str = "full") -> int:
    """Numbers of one head."""
    if kind == "full" and text.get("global_head_dim"):
        return int(text["global_head_dim"])
    stated = text.get("head_dim") or text.get("attention_head_dim")
    return int(stated or int(text["hidden_size"]) // int(text["num_attention_heads"]))


def _latent(text: Config, hidden: int, heads: int, rank: int) -> int:
    """Multi-head latent attention, with the sparse indexer where there is one."""
    plain, rope, value = (int(text[key]) for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    narrow = int(text["q_lora_rank"]) if text.get("q_lora_rank") else 0
    query = (hidden + heads * (plain + rope)) * narrow if narrow else hidden * heads * (plain + rope)
    index = int(text.get("index_head_dim") or 0)
    sparse = index * (narrow * int(text.get("index_n_heads") or 0) + hidden)
    return query + hidden * (rank + rope) + rank * heads * (plain + value) + heads * value * hidden + sparse


def _linear(text: Config) -> int:
    if text.get("linear_num_value_heads"):
        return _delta_net(text)
    return _mamba1(text) if text.get("mamba_dt_rank") else _mamba2(text)


def _delta_net(text: Config) -> int:
    keys = int(text["linear_num_key_heads"]) * int(text["linear_key_head_dim"])
    heads = int(text["linear_num_value_heads"])
    values = heads * int(text["linear_value_head_dim"])
    convolution = (2 * keys + values) * int(text["linear_conv_kernel_dim"])
    return int(text["hidden_size"]) * (2 * keys + 3 * values + 2 * heads) + convolution


def _mamba2(text: Config) -> int:
    heads, groups = first(text, "mamba_num_heads", "mamba_n_heads"), first(text, "n_groups", "mamba_n_groups")
    wide = heads * first(text, "mamba_head_dim", "mamba_d_head")
    shared = 2 * groups * first(text, "ssm_state_size", "mamba_d_state")
    convolution = (wide + shared) * first(text, "conv_kernel", "mamba_d_conv")
    return int(text["hidden_size"]) * (3 * wide + shared + heads) + convolution


def _mamba1(text: Config) -> int:
    hidden, rank, size = int(text["hidden_size"]), int(text["mamba_dt_rank"]), int(text["mamba_d_state"])
    wide = int(text["mamba_expand"]) * hidden
    return wide * (3 * hidden + 2 * rank + 3 * size + int(text["mamba_d_conv"]))
