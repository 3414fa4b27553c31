"""A profile whose server vLLM would refuse to start is refused with vLLM's arithmetic, and what it starts is not."""

from typing import Any

import pytest

from bedplate.plan.fit import lines
from bedplate.plan.verdicts import verdicts
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.refusals import says
from tests.stack_files import document, graph_of

S = "serving.servers[0]."
EIGHT = {"tensorParallel": 8, "precision": "fp8"}
OLD = "vllm/vllm-openai:v0.12.0"
LLAMA = {"kind": "hugging-face", "repository": "meta-llama/Llama-3.1-8B-Instruct", "cache": "models"}
FULL = {"billions": 30.0, "layers": 48, "heads": 32, "kvHeads": 4, "expertBillions": 29.0}


def on(shape: str, server: dict[str, Any]) -> dict[str, Any]:
    """A small cluster of such machines, with one server and no more than it needs."""
    one = document("inference-l40s")
    one["pools"] = [one["pools"][0], {"name": "gpus", "shape": shape, "nodes": 4}]
    one["tenancy"]["longestGrace"] = 7200
    one["gpuOperator"] = {"umadInImage": True}
    weights = {"kind": "volume", "volume": "models", "directory": "m"}
    plain = {"kind": "vllm", "name": "llm", "namespace": "serving", "pool": "gpus", "weights": weights}
    one["serving"]["servers"] = [plain | server]
    return one


def refusals(profile: dict[str, Any]) -> list[str]:
    try:
        load(profile)
    except ProfileError as error:
        return str(error).splitlines()
    return []


TALKER = {"model": "llama-3.1-8b"}
# Machine, server, and what the message must say.
BAD: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "a model of text asked for the words of a sound": (
        "hgx-h100",
        {**TALKER, "task": "transcribe"},
        (f"{S}task = transcribe", "the model is a LlamaForCausalLM, which gives text", "use generate"),
    ),
    "vectors with a parser of answers": (
        "hgx-h100",
        {**TALKER, "task": "embed", "extraArgs": ["--tool-call-parser=hermes"]},
        (f"{S}extraArgs = --tool-call-parser", "it gives vectors", "serve a model that writes text"),
    ),
    "vectors scaled on a cache": (
        "hgx-h100",
        {**TALKER, "task": "embed", "maxReplicas": 2, "scaling": {"metric": "kv-cache", "target": 80}},
        (f"{S}scaling.metric = kv-cache", "keeps no cache from one token to the next", "use requests-waiting"),
    ),
    "vectors handed from one half to the other": (
        "hgx-h100",
        {**TALKER, "task": "embed", "kvTransfer": {"role": "prefill"}},
        (f"{S}kvTransfer = prefill", "it gives vectors", "remove it"),
    ),
    "experts of 192 numbers": (
        "hgx-h200",
        {"model": "qwen3-235b-a22b", **EIGHT},
        (f"{S}tensorParallel = 8", "1536 / 8 = 192", "a scale for every 128", "expertParallel: true", "divides 12"),
    ),
    "the same by copies": (
        "hgx-h200",
        {"model": "qwen3-235b-a22b", "precision": "fp8", "dataParallel": 8},
        (f"{S}dataParallel = 8", "1536 / 8 = 192"),
    ),
    "the same by two copies": (
        "hgx-h200",
        {"model": "qwen3-235b-a22b", "precision": "fp8", "dataParallel": 2, "tensorParallel": 4},
        (f"{S}dataParallel = 2", "1536 / 8 = 192"),
    ),
    "four GPUs are too many for a small one": (
        "hgx-h100",
        {"model": "qwen3-30b-a3b", "precision": "fp8", "tensorParallel": 4},
        (f"{S}tensorParallel = 4", "768 / 4 = 192", "divides 6"),
    ),
    "experts of 320 numbers": (
        "hgx-h200",
        {"model": "qwen3-coder-480b", **EIGHT},
        (f"{S}tensorParallel = 8", "2560 / 8 = 320"),
    ),
    "a mixture that vLLM's recipes do not divide by eight": (
        "hgx-h200",
        {"model": "minimax-m2.5", "trustRemoteCode": True, **EIGHT},
        (f"{S}tensorParallel = 8", "1536 / 8 = 192"),
    ),
    "the chart's server has the flag alone": (
        "hgx-h200",
        {"kind": "vllm-stack", "model": "qwen3-235b-a22b", **EIGHT},
        (f"{S}tensorParallel", "--enable-expert-parallel"),
    ),
    "in full": (
        "hgx-h100",
        {"model": FULL | {"expertWidth": 768, "fp8Block": 128}, "precision": "fp8", "tensorParallel": 4},
        (f"{S}tensorParallel = 4", "768 / 4 = 192"),
    ),
    "a dense layer of half a block": (
        "hgx-h100",
        {"model": "qwen3-4b", **EIGHT},
        (f"{S}tensorParallel = 8", "9728 / 8 = 1216", "divides 76"),
    ),
    "longer than the model": (
        "hgx-h100",
        {"model": "phi-4", "maxModelLen": 32768},
        (f"{S}maxModelLen = 32768", "made for 16384", "use 16384", "--hf-overrides"),
    ),
    "longer than the first release of a model": (
        "hgx-h200",
        {"model": "qwen3-235b-a22b", "tensorParallel": 8, "maxModelLen": 131072},
        (f"{S}maxModelLen = 131072", "made for 40960"),
    ),
    "longer than an instructed model": (
        "hgx-h100",
        {"model": "qwen2.5-72b", "tensorParallel": 4, "maxModelLen": 131072},
        (f"{S}maxModelLen = 131072", "made for 32768"),
    ),
    "longer than facts in full": (
        "l40s-8",
        {"model": FULL | {"billions": 1.5, "expertBillions": 0, "maxLength": 448}, "maxModelLen": 449},
        (f"{S}maxModelLen = 449", "made for 448"),
    ),
    "code of the repository": (
        "hgx-h200",
        {"model": "mimo-7b"},
        (f"{S}trustRemoteCode = False", "code of its repository", "--trust-remote-code", "say true"),
    ),
    "code that an old engine lacks": (
        "hgx-h200",
        {"image": OLD, "model": "minimax-m2.5", "precision": "fp8", "tensorParallel": 8, "expertParallel": True},
        (f"{S}trustRemoteCode = False", "code of its repository"),
    ),
    "fp8 on Turing": (
        "t4-4",
        {"image": OLD, "model": "llama-3.1-8b", "precision": "fp8", "tensorParallel": 2},
        (f"{S}precision = fp8", "capability 7.5", "from 8.0 on"),
    ),
    "no bf16, and no float16": (
        "t4-4",
        {"model": "gemma-3-4b"},
        (f"{S}tensorParallel = 1", "no bf16", "32 bits", "17 GB of weights"),
    ),
    "fp4 of CUDA 12": (
        "hgx-b300",
        {"image": OLD, "model": "deepseek-v3.1", "precision": "fp4", "tensorParallel": 8},
        (f"{S}image = {OLD}", "no FP4 kernels", "10.3", "v0.32.0"),
    ),
    "whole experts of a dense model": (
        "hgx-h100",
        {"model": "llama-3.1-8b", "expertParallel": True},
        (f"{S}expertParallel = True", "no experts"),
    ),
    "copies that are more than a node": (
        "hgx-h100",
        {"model": "llama-3.1-8b", "dataParallel": 16},
        (f"{S}dataParallel = 16", "copies with 1 GPUs each are 16", "has 8 GPUs", "dataParallelLocal: 8"),
    ),
    "copies that are more than a node, on several": (
        "hgx-h100",
        {
            "model": "deepseek-r1",
            "precision": "fp8",
            "dataParallel": 32,
            "dataParallelLocal": 16,
            "expertParallel": True,
        },
        (f"{S}dataParallelLocal = 16", "copies with 1 GPUs each are 16", "has 8 GPUs", "use at most 8"),
    ),
    "a second copy beside one that fills its node": (
        "hgx-h200",
        {"model": "deepseek-r1", "precision": "fp8", "tensorParallel": 8, "dataParallel": 2, "expertParallel": True},
        (f"{S}dataParallel = 2", "copies with 8 GPUs each are 16", "use at most 1"),
    ),
    "copies that nodes do not divide": (
        "hgx-h100",
        {
            "model": "deepseek-r1",
            "precision": "fp8",
            "dataParallel": 16,
            "dataParallelLocal": 6,
            "expertParallel": True,
        },
        (f"{S}dataParallel = 16", "each of its nodes has 6", "a multiple of 6"),
    ),
    "copies over nodes that share nothing": (
        "hgx-h100",
        {**TALKER, "dataParallel": 16, "dataParallelLocal": 8},
        (f"{S}dataParallel = 16", "no experts", "more replicas"),
    ),
    "parts of experts over nodes": (
        "hgx-h200",
        {"model": "qwen3-235b-a22b", "precision": "fp8", "dataParallel": 16, "dataParallelLocal": 8},
        (f"{S}dataParallel = 16", "1536 / 16 = 96"),
    ),
    "a layer over more than a node": (
        "hgx-h100",
        {"model": "llama-3.1-8b", "tensorParallel": 16},
        (f"{S}tensorParallel = 16", "has 8 GPUs", "pipelineParallel across nodes"),
    ),
    "a licence that nobody has accepted": (
        "hgx-h100",
        {"model": "llama-3.1-8b", "weights": LLAMA},
        (f"{S}weights.gated = False", "401", "huggingFaceToken"),
    ),
    "a model younger than the engine": (
        "hgx-h200",
        {"image": OLD, "model": "kimi-k2.5", "precision": "int4", "tensorParallel": 8, "trustRemoteCode": True},
        (f"{S}image", "from 0.19.1 on", "vllm/vllm-openai:v0.19.1"),
    ),
    "AWQ that fills one card": (
        "l40s-8",
        {"model": "llama-3.3-70b", "precision": "int4", "maxModelLen": 16384},
        (f"{S}tensorParallel", "39.8 GB on each GPU", "of 42.8 GB"),
    ),
    "AWQ of another": (
        "l40s-8",
        {"model": "qwen2.5-72b", "precision": "int4"},
        (f"{S}tensorParallel", "41.5 GB on each GPU", "of 42.8 GB"),
    ),
    "AWQ on the smallest card": (
        "l4-8",
        {"model": "qwen3-32b", "precision": "int4"},
        (f"{S}tensorParallel", "19.3 GB on each GPU", "of 21.3 GB"),
    ),
}


def bad(name: str) -> dict[str, Any]:
    return on(*BAD[name][:2])


def good(name: str) -> dict[str, Any]:
    return on(*GOOD[name])


@pytest.mark.parametrize("name", BAD)
def test_what_vllm_would_refuse_is_refused_with_its_arithmetic(name: str) -> None:
    said = refusals(bad(name))
    assert any(says(line, BAD[name][2]) for line in said), said


GOOD: dict[str, tuple[str, dict[str, Any]]] = {
    "vectors of a model of text": ("hgx-h100", {**TALKER, "task": "embed"}),
    "vectors scaled on what waits": (
        "hgx-h100",
        {**TALKER, "task": "embed", "maxReplicas": 2, "scaling": {"metric": "requests-waiting", "target": 5}},
    ),
    "tools of a model of text": ("hgx-h100", {**TALKER, "extraArgs": ["--tool-call-parser=hermes"]}),
    "whole experts": ("hgx-h200", {"model": "qwen3-235b-a22b", "expertParallel": True, **EIGHT}),
    "whole experts by copies": (
        "hgx-h200",
        {"model": "deepseek-r1", "precision": "fp8", "dataParallel": 8, "expertParallel": True},
    ),
    "whole experts by the flag": (
        "hgx-h200",
        {"kind": "vllm-stack", "model": "qwen3-235b-a22b", "extraArgs": ["--enable-expert-parallel"], **EIGHT},
    ),
    "four GPUs": ("hgx-h200", {"model": "qwen3-235b-a22b", "precision": "fp8", "tensorParallel": 4}),
    "bf16 has no blocks": ("hgx-h200", {"model": "qwen3-235b-a22b", "tensorParallel": 8}),
    "FP8 without blocks": (
        "hgx-h100",
        {"model": FULL | {"expertWidth": 768, "fp8Block": 0}, "precision": "fp8", "tensorParallel": 4},
    ),
    "the recipe of DeepSeek": ("hgx-h200", {"model": "deepseek-r1", **EIGHT}),
    "as long as the model": ("hgx-h100", {"model": "phi-4", "maxModelLen": 16384}),
    "scaled by its flag": (
        "hgx-h100",
        {"model": "phi-4", "maxModelLen": 32768, "extraArgs": ['--hf-overrides={"rope_scaling": {}}']},
    ),
    "allowed by its variable": (
        "hgx-h100",
        {"model": "phi-4", "maxModelLen": 32768, "env": {"VLLM_ALLOW_LONG_MAX_MODEL_LEN": "1"}},
    ),
    "code by its key": ("hgx-h200", {"model": "mimo-7b", "trustRemoteCode": True}),
    "code by its flag": ("hgx-h200", {"model": "mimo-7b", "extraArgs": ["--trust_remote_code"]}),
    "fp8 on Turing by a newer engine": ("t4-4", {"model": "llama-3.1-8b", "precision": "fp8"}),
    "fp4 of CUDA 13 by default": ("hgx-b300", {"model": "deepseek-v3.1", "precision": "fp4", "tensorParallel": 8}),
    "code that a newer engine has": (
        "hgx-h200",
        {"model": "minimax-m2.5", "precision": "fp8", "tensorParallel": 8, "expertParallel": True},
    ),
    "code of an image that nobody has read": (
        "hgx-h200",
        {
            "image": "example.com/vllm:1",
            "model": "minimax-m2.5",
            "precision": "fp8",
            "tensorParallel": 8,
            "expertParallel": True,
        },
    ),
    "fp8 on the oldest GPU that runs it": ("hgx-a100", {"image": OLD, "model": "llama-3.1-8b", "precision": "fp8"}),
    "a licence by its token": ("hgx-h100", {"model": "llama-3.1-8b", "weights": LLAMA | {"gated": True}}),
    "a copy that asks nobody": (
        "hgx-h100",
        {"model": "llama-3.1-8b", "weights": LLAMA | {"repository": "example/Llama-3.1-8B"}},
    ),
    "a hub of the site's own": (
        "hgx-h100",
        {"model": "llama-3.1-8b", "weights": LLAMA, "env": {"HF_ENDPOINT": "https://hub.example.com"}},
    ),
    "int4 on Turing": ("t4-4", {"model": "llama-3.1-8b", "precision": "int4"}),
    "32 bits that fit": ("t4-4", {"model": "gemma-3-4b", "tensorParallel": 4}),
    "fp4 of CUDA 13": (
        "hgx-b300",
        {
            "model": "deepseek-v3.1",
            "precision": "fp4",
            "tensorParallel": 8,
            "image": f"mirror.example.com/{OLD}-cu130",
        },
    ),
    "an image of the site's own": (
        "hgx-b300",
        {"model": "deepseek-v3.1", "precision": "fp4", "tensorParallel": 8, "image": "example.com/vllm:nightly"},
    ),
    "fp4 of an older Blackwell": ("hgx-b200", {"model": "deepseek-v3.1", "precision": "fp4", "tensorParallel": 8}),
    "AWQ on two cards": ("l40s-8", {"model": "llama-3.3-70b", "precision": "int4", "tensorParallel": 2}),
    "the commonest server on the commonest card": ("l4-8", {"model": "llama-3.1-8b"}),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_vllm_starts_is_not_refused(name: str) -> None:
    assert refusals(good(name)) == []


def arguments(server: dict[str, Any]) -> str:
    """What a server of one profile is told."""
    from bedplate.components.serving.pod import loading
    from bedplate.components.serving.vllm import VllmServer, process

    profile = load(on("l40s-8", server))
    assert profile.serving
    (one,) = profile.serving.servers
    assert isinstance(one, VllmServer)
    known = facts(profile)
    return " ".join(process(one, known, loading(one.weights, known), 600).command)


def test_a_short_model_takes_no_longer_request_than_it_was_made_for() -> None:
    whisper = FULL | {"billions": 1.5, "expertBillions": 0, "maxLength": 448}
    assert "--max-model-len 448" in arguments({"model": whisper})
    assert "--max-model-len 8192" in arguments({"model": "llama-3.1-8b"})


def test_code_of_a_repository_runs_by_the_profiles_word_alone() -> None:
    assert "--trust-remote-code" in arguments({"model": "llama-3.1-8b", "trustRemoteCode": True})
    assert "--trust-remote-code" not in arguments({"model": "llama-3.1-8b"})


def fit_line(shape: str, server: dict[str, Any]) -> str:
    profile = load(on(shape, server))
    return next(line.memory for line in lines(profile, facts(profile)) if line.kind == "server")


def test_a_plan_names_what_nobody_has_said_of_a_model() -> None:
    stated = {"model": FULL, "precision": "fp8", "tensorParallel": 4}
    said = fit_line("hgx-h100", stated)
    assert said.endswith("; not known: maxLength, remoteCode, expertWidth, fp8Block, hidden and vocabulary")
    assert "not known" not in fit_line("hgx-h100", {"model": "llama-3.1-8b"})
    assert fit_line("hgx-h100", {"model": "mistral-nemo-12b"}).endswith("; not known: maxLength")


@pytest.mark.parametrize("kind", ["vllm", "vllm-stack"])
def test_a_plan_that_says_a_server_fits_has_no_finding_that_it_does_not(kind: str) -> None:
    profile = on("hgx-h200", {"kind": kind, "model": "llama-3.3-70b", "precision": "fp8"})
    profile["serving"]["servers"][0]["weights"]["directory"] = "llama-3.3-70b"
    assert "INF-612" not in {verdict["rule"] for verdict in verdicts(graph_of(profile), profile)}
