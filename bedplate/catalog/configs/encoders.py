"""Models that read a text or a sound at once: embeddings, rerankers, transcription.

Blocks of huggingface/transformers modeling_bert, modeling_xlm_roberta and modeling_whisper; an encoder keeps nothing of
a token, and a decoder that listens keeps the whole sound (vllm-project/vllm@v0.32.0 `CrossAttentionSpec`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from bedplate.catalog.configs.layers import ABSENT, billions

Config = Mapping[str, Any]
Facts = dict[str, Any]
WIDE = 2
"""Bytes of a number that is kept."""
SHIFTED = ("roberta", "xlm-roberta")
"""Types whose positions begin behind the padding's (vLLM model_executor/models/roberta.py)."""


def bert(text: Config) -> Facts:
    """One that gives a vector or a score for a text."""
    layers, hidden, wide = (int(text[key]) for key in ("num_hidden_layers", "hidden_size", "intermediate_size"))
    heads, words = int(text["num_attention_heads"]), int(text["vocab_size"]) + int(text["max_position_embeddings"])
    parameters = words * hidden + layers * _block(hidden, wide) + hidden * hidden
    return {
        **_sizes(parameters, layers=layers, heads=heads, hidden=hidden, vocabulary=int(text["vocab_size"]), wide=wide),
        "bare": layers,
    }


def whisper(text: Config) -> Facts:
    """One that writes what it hears; each layer of the decoder reads its own words and the sound."""
    hidden, heard, spoken = (int(text[key]) for key in ("d_model", "encoder_layers", "decoder_layers"))
    wide, heads, words = (int(text[key]) for key in ("decoder_ffn_dim", "decoder_attention_heads", "vocab_size"))
    sound, said = int(text["max_source_positions"]), int(text["max_target_positions"])
    blocks = (heard + spoken) * _block(hidden, wide) + spoken * 4 * hidden * hidden
    parameters = blocks + (words + sound + said + 3 * (int(text["num_mel_bins"]) + hidden)) * hidden
    return {
        **_sizes(parameters, layers=heard + 2 * spoken, heads=heads, hidden=hidden, vocabulary=words, wide=wide),
        "linear": spoken,
        "state_bytes": 2 * sound * hidden * WIDE,
        "state_heads": heads,
        "bare": heard,
    }


def _block(hidden: int, wide: int) -> int:
    """Attention and an MLP without a gate."""
    return 4 * hidden * hidden + 2 * hidden * wide


def _sizes(parameters: int, **sizes: int) -> Facts:
    """What both have."""
    wide = sizes.pop("wide")
    cache = {"kv_heads": sizes["heads"], "head_dim": sizes["hidden"] // sizes["heads"]}
    return {**ABSENT, **cache, **sizes, "tied": True, "billions": billions(parameters), "widths": (wide,)}


def skipped(text: Config) -> int:
    """Positions that no token has."""
    return int(text.get("pad_token_id") or 0) + 1 if text.get("model_type") in SHIFTED else 0


READERS: Mapping[str | None, Callable[[Config], Facts]] = {
    "bert": bert,
    "roberta": bert,
    "xlm-roberta": bert,
    "whisper": whisper,
}
"""By `model_type`."""
