"""From a `config.json` to the facts of a model, under the names that profile and catalogue have for them."""

import json
from collections.abc import Mapping
from typing import Any, cast

from bedplate.catalog.configs import count, encoders, v4
from bedplate.catalog.configs.layers import ABSENT, billions, kinds, state, window
from bedplate.catalog.configs.mixers import head_dim, kv_heads

Config = Mapping[str, Any]
Facts = dict[str, Any]
DECODERS = frozenset(
    (
        *("cohere", "cohere2", "deepseek_v2", "deepseek_v3", "deepseek_v32", "gemma", "gemma2", "gemma3_text"),
        *("gemma4_text", "glm4_moe", "glm_moe_dsa", "gpt_oss", "granite", "granitemoehybrid", "jamba", "kimi_k2"),
        *("llama", "llama4_text", "mimo", "minimax_m2", "mistral", "mixtral", "nemotron_h", "olmo2", "phi3"),
        *("qwen2", "qwen3", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_moe", "qwen3_next", "qwen3_vl_moe_text"),
        *("qwen3_vl_text", "smollm3"),
    )
)
"""`model_type` of texts that are made of the blocks of `count.py` and `mixers.py`."""
INDEX = 66
"""Of sparse attention, what a token has beside the latent: 128 bytes and a scale of 4, in numbers of 2 bytes."""
STRETCHED = ("linear", "dynamic")
"""Positions that are scaled beyond `max_position_embeddings` (vllm-project/vllm@v0.32.0 `_get_and_verify_max_len`)."""
LENGTHS = ("max_position_embeddings", "max_target_positions")
SIZES = (
    *("num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size"),
    *("intermediate_size", "d_model", "encoder_layers", "decoder_layers", "decoder_ffn_dim", *LENGTHS),
)
"""Keys whose values are whole numbers in every config that has them."""
MOST, LAYERS = 10**9, 10_000
"""Of any of them, and of layers, of which a list is made."""


class ConfigError(Exception):
    """Why a config says nothing of a model here, in a few words."""


def parsed(text: bytes) -> Config:
    """The mapping of a file.

    Raises:
        ConfigError: it is none.
    """
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigError("it is no JSON") from None
    if not isinstance(document, dict):
        raise ConfigError("it holds no mapping")
    return cast("Config", document)


def facts(config: Config) -> Facts:
    """All that follows; keys are those of `Model`, in snake case.

    Raises:
        ConfigError: a kind of model that is not known here, or a key that is not there or no number.
    """
    text = text_of(config)
    kind = _sound(text)
    try:
        if kind in encoders.READERS:
            sizes = encoders.READERS[kind](text)
        elif kind == "deepseek_v4":
            sizes = v4.sizes(text)
        elif kind in DECODERS:
            sizes = decoder(config, text)
        else:
            raise ConfigError(f"model_type {kind}: nobody has taught Bedplate to count its parameters")
        return {**_kind(config), **sizes, "max_length": length(text)}
    except KeyError as error:
        raise ConfigError(f"it lacks the key {error.args[0]}, or a value of it is not known here") from None
    except (TypeError, ValueError, ArithmeticError):
        raise ConfigError("a size in it is no number") from None
    except AttributeError:
        raise ConfigError("a part of it is a text or a list where a mapping belongs") from None


def _sound(text: Config) -> str:
    """The kind of model, if the sizes that every other one follows from are such.

    Raises:
        ConfigError: which one is not, and its value.
    """
    for key in SIZES:
        value = text.get(key)
        most = LAYERS if key.endswith("_layers") else MOST
        if value is not None and not (type(value) is int and 1 <= value <= most):
            raise ConfigError(f"its {key} is {json.dumps(value)[:40]}, no whole number from 1 to {most:,}")
    kind = text.get("model_type")
    if not isinstance(kind, str):
        raise ConfigError("it lacks the key model_type" if kind is None else f"its model_type {kind} is no text")
    return kind


def text_of(config: Config) -> Config:
    """The part that reads text: a model that sees or hears as well has it below a key of its own."""
    nested = config.get("text_config")
    if not isinstance(nested, Mapping):
        return config
    # Old configs leave the type of the text to the outer one's name.
    return {"model_type": f"{config.get('model_type')}_text", **cast("Config", nested)}


def _kind(config: Config) -> Facts:
    """What names the engine's code."""
    architectures = config.get("architectures") or [None]
    if not (isinstance(architectures, list) and isinstance(architectures[0], str | None)):
        raise ConfigError("its architectures are no list of texts")
    quantised: Config = config.get("quantization_config") or {}
    block = quantised.get("weight_block_size")
    return {
        "architecture": architectures[0],
        "type": config.get("model_type"),
        "own_code": "auto_map" in config,
        "fp8_block": int(block[0]) if block else None,
    }


def decoder(config: Config, text: Config) -> Facts:
    """The sizes of a decoder."""
    tied = bool(config.get("tie_word_embeddings", text.get("tie_word_embeddings")))
    return {
        **ABSENT,
        "billions": billions(count.total(config, text, tied=tied)),
        "expert_billions": billions(count.routed(text)),
        "layers": len(kinds(text)),
        "heads": int(text["num_attention_heads"]),
        "hidden": int(text["hidden_size"]),
        "vocabulary": int(text["vocab_size"]),
        "tied": tied,
        "expert_width": count.expert_width(text) if count.experts(text) else None,
        "widths": tuple(count.widths(text)),
        **_cache(text),
        **_others(text),
    }


def _cache(text: Config) -> Facts:
    """What a token keeps in a layer that reads all tokens."""
    if latent := text.get("kv_lora_rank"):
        index = INDEX if text.get("index_head_dim") else 0
        return {"latent": int(latent) + int(text["qk_rope_head_dim"]) + index}
    return {"kv_heads": kv_heads(text), "head_dim": head_dim(text)}


def _others(text: Config) -> Facts:
    """Layers that do not read all tokens."""
    of = kinds(text)
    windowed, linear, kept = of.count("windowed"), of.count("linear"), state(text)
    heads = {"window_kv_heads": kv_heads(text, "windowed"), "window_head_dim": head_dim(text, "windowed")}
    return {
        "windowed": windowed,
        "linear": linear,
        "bare": of.count("bare"),
        **({"window": window(text), **heads} if windowed else {}),
        **({"state_bytes": kept.bytes, "state_heads": kept.heads} if kept and linear else {}),
    }


def length(text: Config) -> int | None:
    """Tokens of the longest sequence that it was made for."""
    stated = next((int(text[key]) for key in LENGTHS if text.get(key)), None)
    scaling: Config = text.get("rope_scaling") or text.get("rope_parameters") or {}
    if stated and (scaling.get("rope_type") or scaling.get("type")) in STRETCHED and "gemma3" not in text["model_type"]:
        return int(stated * scaling.get("factor", 1))
    return stated - encoders.skipped(text) if stated else None
