"""DeepSeek V4: attention that keeps a token for every few, beside a window of whole ones.

Cache by vllm-project/vllm@v0.32.0 models/deepseek_v4/attention.py: 584 bytes a kept token, 132 of the indexer where one
is kept for every four; parameters by the keys of its `config.json` (284 · 10⁹ of V4-Flash are published).
"""

from collections.abc import Mapping
from typing import Any

from bedplate.catalog.configs import count
from bedplate.catalog.configs.layers import ABSENT, billions

Config = Mapping[str, Any]
KEPT, INDEXED, WIDE = 584, 132, 2
"""Bytes of a kept token, of its entry in the indexer, and of the numbers that a cache is reckoned in."""
FINE = 4
"""The ratio that has an indexer."""


def sizes(text: Config) -> dict[str, Any]:
    """All but its length."""
    layers, hidden, words = (int(text[key]) for key in ("num_hidden_layers", "hidden_size", "vocab_size"))
    ratios = [int(one) for one in text["compress_ratios"]][:layers]
    shared = layers * hidden * (count.GATED * count.shared_width(text) + count.experts(text))
    attention = sum(_attention(text, ratio) for ratio in ratios)
    total = count.routed(text) + shared + attention + 2 * words * hidden
    entry = sum((KEPT + (INDEXED if ratio == FINE else 0)) / ratio for ratio in ratios if ratio) / layers
    return {
        **ABSENT,
        "billions": billions(total),
        "expert_billions": billions(count.routed(text)),
        "layers": 2 * layers,
        "heads": int(text["num_attention_heads"]),
        "latent": -int(-entry // WIDE),
        "hidden": hidden,
        "vocabulary": words,
        "tied": False,
        "expert_width": count.expert_width(text),
        "widths": (count.shared_width(text),),
        "windowed": layers,
        "window": int(text["sliding_window"]),
        "window_head_dim": KEPT // WIDE,
    }


def _attention(text: Config, ratio: int) -> int:
    """Queries by way of a narrow layer, one key that is the value as well, and an output in groups."""
    hidden, narrow, wide = (int(text[key]) for key in ("hidden_size", "q_lora_rank", "head_dim"))
    all_heads = int(text["num_attention_heads"]) * wide
    between = int(text["o_lora_rank"])
    output = all_heads * between + int(text["o_groups"]) * between * hidden
    folded = 2 * hidden * wide if ratio else 0
    index = int(text["index_head_dim"]) * (narrow * int(text["index_n_heads"]) + 3 * hidden) if ratio == FINE else 0
    return narrow * (hidden + all_heads) + hidden * wide + output + folded + index
