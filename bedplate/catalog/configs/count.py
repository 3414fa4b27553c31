"""How many parameters a model has, by its `config.json`; biases and norms (below a tenth of a percent) not.

What huggingface/transformers builds of the same keys: modeling_llama, modeling_mixtral, modeling_llama4 and their like.
"""

from collections.abc import Mapping
from typing import Any

from bedplate.catalog.configs.layers import kinds
from bedplate.catalog.configs.mixers import mixer

Config = Mapping[str, Any]
GATED, PLAIN = 3, 2
"""Matrices of an MLP: gate, up and down, or the last two."""
UNGATED = ("relu2",)
"""Functions of an MLP without a gate."""


def experts(text: Config) -> int:
    """Routed experts of a layer that has them; 0: a dense model."""
    keys = ("n_routed_experts", "num_local_experts", "num_experts")
    count = next((int(text[key]) for key in keys if text.get(key)), 0)
    return count if count > 1 else 0


def expert_width(text: Config) -> int:
    """Intermediate size of one expert."""
    return int(text.get("moe_intermediate_size") or text["intermediate_size"])


def expert_layers(text: Config) -> int:
    """Layers with experts: those that are listed, or every so many, or all but the first few."""
    if alone(text):
        return listed(text, "moe", "E")
    layers = int(text["num_hidden_layers"])
    if step := text.get("interleave_moe_layer_step"):
        return layers // int(step)
    if step := text.get("expert_layer_period"):
        return sum(layer % int(step) == int(text.get("expert_layer_offset") or 0) for layer in range(layers))
    return layers - int(text.get("first_k_dense_replace") or 0)


def alone(text: Config) -> bool:
    """MLPs and experts are layers of their own (Nemotron-H)."""
    return text.get("model_type") == "nemotron_h"


def listed(text: Config, *words: str) -> int:
    """Layers of these words."""
    return sum(one in words for one in text.get("layers_block_type") or text["hybrid_override_pattern"])


def shared_width(text: Config) -> int:
    """Intermediate size of the experts that every token passes through; 0: none."""
    if "interleave_moe_layer_step" in text:
        return int(text["intermediate_size"])
    keys = ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size")
    stated = next((int(text[key]) for key in keys if text.get(key)), 0)
    beside = int(text["intermediate_size"]) if text.get("enable_moe_block") else 0
    return stated or beside or int(text.get("n_shared_experts") or 0) * expert_width(text)


def dense_width(text: Config) -> int:
    """Intermediate size of a layer without experts."""
    stated = text.get("intermediate_size_mlp") or text.get("dense_intermediate_size")
    return int(stated or text.get("intermediate_size") or 0)


def dense_layers(text: Config) -> int:
    """Layers with an MLP alone."""
    if alone(text):
        return listed(text, "mlp", "-")
    return len(kinds(text)) - (expert_layers(text) if experts(text) else 0)


def widths(text: Config) -> list[int]:
    """Intermediate sizes that tensor parallelism divides whether or not experts stay whole."""
    dense = [dense_width(text)] if dense_layers(text) else []
    shared = [shared_width(text)] if experts(text) and shared_width(text) else []
    return sorted({*dense, *shared})


def routed(text: Config) -> int:
    """Parameters of all routed experts; they may read fewer numbers than a token has (Nemotron 3 `moe_latent_size`)."""
    if not experts(text):
        return 0
    hidden = int(text.get("moe_latent_size") or text["hidden_size"])
    return expert_layers(text) * experts(text) * matrices(text) * hidden * expert_width(text)


def matrices(text: Config) -> int:
    """Of one MLP."""
    return PLAIN if text.get("mlp_hidden_act") in UNGATED else GATED


def total(config: Config, text: Config, *, tied: bool) -> int:
    """All parameters, with what sees images beside the text."""
    hidden = int(text["hidden_size"])
    mixed = expert_layers(text) if experts(text) else 0
    latent = 2 * int(text.get("moe_latent_size") or 0)
    beside = mixed * hidden * (matrices(text) * shared_width(text) + experts(text) + latent) if mixed else 0
    dense = dense_layers(text) * matrices(text) * hidden * dense_width(text)
    mixers = sum(mixer(text, kind) for kind in kinds(text))
    words = int(text["vocab_size"]) * hidden * (1 if tied else 2)
    return mixers + dense + beside + routed(text) + words + _vision(config)


def _vision(config: Config) -> int:
    """Blocks of the part that sees, and what joins them to the text."""
    seen: Config = config.get("vision_config") or {}
    keys = (("depth", "num_hidden_layers", "vt_num_hidden_layers"), ("hidden_size", "vt_hidden_size"))
    layers, hidden = (next((int(seen[key]) for key in each if key in seen), 0) for each in keys)
    width = next((int(seen[key]) for key in ("intermediate_size", "vt_intermediate_size") if key in seen), 0)
    merged = hidden * 4
    joins = (
        (1 + len(seen.get("deepstack_visual_indexes", ()))) * merged * (merged + int(seen.get("out_hidden_size", 0)))
    )
    return layers * (4 * hidden * hidden + 2 * hidden * width) + (joins if "out_hidden_size" in seen else 0)
