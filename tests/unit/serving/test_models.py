"""The table of models against figures that others published: layers, heads and experts, with who says so.

A second source for each, because the first is the model's own `config.json`, which no test can read.
"""

import pytest

from bedplate.components.serving.models import MODELS

LITGPT = "Lightning-AI/litgpt, litgpt/config.py"
SLIME = "THUDM/slime, scripts/models"
# fmt: off
DENSE: dict[str, tuple[int, int, int, str]] = {
    # layers, heads, KV heads
    "llama-3.1-8b": (32, 32, 8, LITGPT), "llama-3.1-70b": (80, 64, 8, LITGPT), "llama-3.1-405b": (126, 128, 8, LITGPT),
    "llama-3.2-1b": (16, 32, 8, LITGPT), "llama-3.2-3b": (28, 24, 8, LITGPT), "llama-3.3-70b": (80, 64, 8, LITGPT),
    "mistral-large-123b": (88, 96, 8, LITGPT),
    "qwen2.5-7b": (28, 28, 4, LITGPT), "qwen2.5-14b": (48, 40, 8, LITGPT), "qwen2.5-32b": (64, 40, 8, LITGPT),
    "qwen2.5-72b": (80, 64, 8, LITGPT), "qwen3-4b": (36, 32, 8, LITGPT), "qwen3-8b": (36, 32, 8, LITGPT),
    "qwen3-14b": (40, 40, 8, LITGPT), "qwen3-32b": (64, 64, 8, LITGPT),
    "gemma-3-12b": (48, 16, 8, LITGPT), "gemma-3-27b": (62, 32, 16, LITGPT), "phi-4": (40, 40, 10, LITGPT),
    "glm-4.5": (92, 96, 8, SLIME), "glm-4.5-air": (46, 96, 8, SLIME), "qwen3-coder-480b": (62, 96, 8, SLIME),
    "gpt-oss-120b": (36, 64, 8, "huggingface/transformers, GptOssConfig"),
}
EXPERTS: dict[str, tuple[int, int, int, int, str]] = {
    # layers with experts, experts, hidden size, an expert's own size
    "mixtral-8x7b": (32, 8, 4096, 14336, LITGPT), "mixtral-8x22b": (56, 8, 6144, 16384, LITGPT),
    "qwen3-30b-a3b": (48, 128, 2048, 768, LITGPT), "qwen3-235b-a22b": (94, 128, 4096, 1536, LITGPT),
    "deepseek-v3": (58, 256, 7168, 2048, SLIME), "deepseek-r1": (58, 256, 7168, 2048, SLIME),
    "kimi-k2": (60, 384, 7168, 2048, SLIME),
    "glm-4.5": (89, 160, 5120, 1536, SLIME), "glm-4.5-air": (45, 128, 4096, 1408, SLIME),
    "gpt-oss-120b": (36, 128, 2880, 2880, "huggingface/transformers, GptOssConfig"),
}
# fmt: on
MATRICES = 3
"""Of an expert: gate, up and down."""


@pytest.mark.parametrize("name", DENSE)
def test_layers_and_heads_are_those_that_others_know(name: str) -> None:
    layers, heads, kv_heads, source = DENSE[name]
    model = MODELS[name]
    assert (model.layers, model.heads, model.kv_heads) == (layers, heads, kv_heads), source


@pytest.mark.parametrize("name", EXPERTS)
def test_experts_weigh_what_their_sizes_say(name: str) -> None:
    layers, experts, hidden, size, source = EXPERTS[name]
    weigh = layers * experts * MATRICES * hidden * size / 1e9
    assert MODELS[name].expert_billions == pytest.approx(weigh, rel=0.003), source


@pytest.mark.parametrize("name", ["deepseek-v3", "deepseek-r1", "kimi-k2"])
def test_a_latent_is_the_rank_and_the_rotary_part(name: str) -> None:
    assert MODELS[name].latent == 512 + 64, SLIME
