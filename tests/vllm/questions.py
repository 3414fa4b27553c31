"""Every server of every profile that the tests know, as a question to the engine (`ask.py`)."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bedplate.catalog.engines import vllm as engine
from bedplate.catalog.models import MODELS as LISTED
from bedplate.components.facts import Facts
from bedplate.components.serving.models import Model
from bedplate.components.serving.pod import loading
from bedplate.components.serving.room import card
from bedplate.components.serving.server import Llm
from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.vllm import VllmServer, command
from bedplate.components.serving.vllm_stack import VllmStackServer, spoken
from bedplate.folders import PROJECT
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import STACKS, profile

PROFILES = PROJECT / "tests" / "profiles"
NESTED = {"llama4", "gemma3", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "gemma4"}
"""Types whose text has a config of its own within theirs."""
SCALES = {"fp8": {"quant_method": "fp8", "activation_scheme": "dynamic"}, "fp4": {"quant_method": "mxfp4"}}
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
SPLIT = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}
"""Of a latent of 576 numbers (DeepSeek, Kimi)."""


def profiles() -> Iterator[tuple[str, Profile]]:
    """All that plan clean, by name."""
    yield from ((stack, profile(stack)) for stack in STACKS)
    for path in sorted(PROFILES.glob("*.yaml")):
        with contextlib.suppress(ProfileError):
            yield path.stem, load(yaml.safe_load(path.read_text(encoding="utf-8")), path.name, path)


def questions(release: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A name and a question for every server on that release."""
    for name, one in profiles():
        known = facts(one)
        for server in one.serving.servers if one.serving else ():
            if isinstance(server, TritonServer) or (read := engine(server.image)) is None or read.release != release:
                continue
            yield f"{name}/{server.name}", question(server, known)


def question(server: VllmServer | VllmStackServer, known: Facts) -> dict[str, Any]:
    """What the engine is told, of which model, on which GPU."""
    pool = known.pool(server.pool)
    at = card(pool.gpu_product, pool.gpu_memory_gib)
    gpu = {"name": pool.gpu_product, "bytes": at.visible_gib * 2**30, "capability": at.capability, "count": pool.gpus}
    source = loading(server.weights, known)
    chart = isinstance(server, VllmStackServer)
    words = spoken(server, source) if chart else command(server, source, known.fabric.kind)
    plain = [word.replace("$(LWS_WORKER_INDEX)", "0").replace("$(LWS_LEADER_ADDRESS)", "127.0.0.1") for word in words]
    return {"words": plain, "config": config(server), "gpu": gpu}


def config(server: Llm) -> dict[str, Any]:
    """A `config.json` of the model's sizes; what the catalogue does not keep is the engine's own default."""
    model = server.facts
    assert model, server.model
    listed = LISTED.get(server.model) if isinstance(server.model, str) else None
    kind = (listed.type if listed else None) or "llama"
    text = {name: value for name, value in _sizes(model).items() if value}
    scales = AWQ if server.precision == "int4" else SCALES.get(server.precision)
    if scales and model.fp8_block and server.precision == "fp8":
        scales = {**scales, "weight_block_size": [model.fp8_block] * 2}
    nested = {"text_config": text} if kind in NESTED else text
    named = {"architectures": [model.architecture]} if model.architecture else {}
    return {"model_type": kind, **nested, **named, **({"quantization_config": scales} if scales else {})}


def _sizes(model: Model) -> dict[str, Any]:
    experts = {"moe_intermediate_size": model.expert_width} if model.expert_width else {}
    return {
        "hidden_size": model.hidden,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads or model.heads,
        "head_dim": None if model.latent else model.head_dim,
        "vocab_size": model.vocabulary,
        "max_position_embeddings": model.max_length,
        "intermediate_size": model.widths[0] if model.widths else model.expert_width,
        "tie_word_embeddings": model.tied,
        **(SPLIT if model.latent else {}),
        **experts,
    }


def python(release: str) -> Path:
    """That of the environment which has the engine; `make test-vllm` makes it."""
    return PROJECT / ".tools" / f"vllm-{release}" / "bin" / "python"
