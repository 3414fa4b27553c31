"""Models of Lightning-AI/litgpt, `litgpt/config.py`, under the keys of a `config.json`: parsed, never run."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

TYPES = {
    r"gemma-2-": "gemma2",
    r"gemma-3-1b": "gemma3_text",
    r"gemma-3-": "gemma3",
    r"Qwen3-.*-A\d+B": "qwen3_moe",
    r"Qwen3-": "qwen3",
    r"Qwen2\.5-|QwQ": "qwen2",
    r"Mixtral": "mixtral",
    r"[Mm]istral|mathstral": "mistral",
    r"[Pp]hi-[34]": "phi3",
    r"OLMo-2": "olmo2",
}
"""`model_type` of a repository's name; the others with gated MLPs are of type llama."""
TIED = r"gemma|Llama-3\.2|Qwen2\.5-(\w+-)?(0\.5|1\.5|3)B|Qwen3-(0\.6|1\.7|4)B|Phi-4-mini|SmolLM2"
"""Models whose output layer is their embedding (tie_word_embeddings), by name: litgpt does not say it."""
NAMES = {
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_embd": "hidden_size",
    "n_query_groups": "num_key_value_heads",
    "head_size": "head_dim",
    "intermediate_size": "intermediate_size",
    "moe_intermediate_size": "moe_intermediate_size",
    "n_expert": "num_experts",
}
DEFAULTS = {"n_layer": 16, "n_head": 32, "n_embd": 4096}
"""Of litgpt's own `Config`."""
SEES = {"gemma3": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304}}
"""What sees images beside the text, which litgpt leaves out (huggingface/transformers, Gemma3Config: SigLIP)."""
KINDS = r"(-?\w+-?)?"
"""What stands for `{}` in a name: nothing, `-Instruct`, `Instruct-`."""


def configs(source: str) -> Iterator[tuple[re.Pattern[str], Mapping[str, Any]]]:
    """A pattern of repositories, and the config that all of them share; those with exact names first."""
    found = [_said(node) for node in ast.walk(ast.parse(source)) if _is_dict(node)]
    models = [one for one in found if "hf_config" in one and one.get("mlp_class_name", "GptNeoxMLP") != "GptNeoxMLP"]
    for one in sorted(models, key=lambda each: "{}" in each["hf_config"]["name"]):
        repository = f"{one['hf_config']['org']}/{one['hf_config']['name']}"
        exact = KINDS.join(map(re.escape, repository.split("{}")))
        yield re.compile(f"{exact}(-it)?"), _config(one, repository)


def _config(one: Mapping[str, Any], repository: str) -> Mapping[str, Any]:
    stated = DEFAULTS | {key: value for key, value in one.items() if isinstance(value, int)}
    config = {hub: stated[name] for name, hub in NAMES.items() if name in stated}
    kind = next((kind for pattern, kind in TYPES.items() if re.search(pattern, repository)), "llama")
    tied = {"tie_word_embeddings": bool(re.search(TIED, repository))}
    text = {
        "num_key_value_heads": stated["n_head"],
        **config,
        "vocab_size": _vocabulary(stated),
        "model_type": kind,
        **tied,
        **({"max_position_embeddings": stated["block_size"]} if "block_size" in stated else {}),
        **({"sliding_window": stated["sliding_window_size"]} if "gemma" in kind else {}),
    }
    if kind not in SEES:
        return text
    nested = {"text_config": {**text, "model_type": f"{kind}_text"}, "vision_config": SEES[kind]}
    return {"model_type": kind, **tied, **nested}


def _vocabulary(stated: Mapping[str, int]) -> int:
    """Padded, as litgpt's `find_multiple` pads it."""
    step = stated.get("padding_multiple", 512)
    return stated.get("padded_vocab_size") or -(-stated["vocab_size"] // step) * step


def _is_dict(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict"


def _said(node: ast.AST) -> dict[str, Any]:
    """The keywords of a call of `dict` that are literals."""
    assert isinstance(node, ast.Call)
    plain = {}
    for word in node.keywords:
        if word.arg and isinstance(word.value, ast.Constant):
            plain[word.arg] = word.value.value
        elif word.arg and _is_dict(word.value):
            plain[word.arg] = _said(word.value)
    return plain
