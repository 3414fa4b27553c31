"""The time of training, against runs that others published and that no figure of ours comes from (`published.csv`).

A rate comes from the runs of `catalog/data/trained.csv`. None of these is one of them: they are NVIDIA's of other
releases, lengths and tasks, and those of other stacks. Mixtures of releases before 26.04 are left out: their kernels were
new, and took up to half as long again. Every row was read on 2026-11-23.
"""

import csv
from pathlib import Path

import pytest

from bedplate.catalog.gpus import GPUS
from bedplate.catalog.training import EXPERTS, RUNS
from bedplate.components.serving.models import MODELS
from bedplate.sizing import rate
from bedplate.sizing.figures import ImpossibleError
from bedplate.sizing.model import trained

BRIDGE = "NVIDIA-NeMo/Megatron-Bridge@067f987df03b docs/performance-summary"
SOURCES = {
    "bridge-25.09": f"{BRIDGE}-archive.md",
    "bridge-25.11": f"{BRIDGE}-archive.md",
    "bridge-26.02": f"{BRIDGE}-archive.md",
    "bridge-26.04": f"{BRIDGE}-archive.md, 26.04 (the table has 26.04.01)",
    "bridge-26.06": f"{BRIDGE}-archive.md",
    "bridge-26.06-sft": f"{BRIDGE}-archive.md, 26.06, fine-tuning",
    "bridge-26.06.01": f"{BRIDGE}-archive.md",
    "bridge-26.08": f"{BRIDGE}.md",
    "maxtext": "AI-Hypercomputer/gpu-recipes@2e1fd5efbf1a training/{a4,a3ultra}/llama3-1-*/maxtext-pretraining-gke/README.md",
    "llama-herd": "arXiv 2407.21783, table 4: 400 and 380 TFLOP/s on 16,384, as tokens of 2,524 and 4,046 GFLOP",
    "torchtitan": "pytorch/torchtitan@b5bcd76c66d0 benchmarks/llama3_h100_202412, asyncTP_llama3_h100_2025-06",
    "deepseek-report": "arXiv 2412.19437, table 1: 14.8e12 tokens in 2,664,000 GPU hours of H800",
}
OFF = {
    ("bridge-25.09", "llama-3.1-405b", "GB200", "fp8"): "batch of 64 sequences on 128 GPUs, of 1,536 on 256 today",
    ("bridge-25.09", "llama-3.1-405b", "GB200", "mxfp8"): "the same, and the first release with block scales",
    ("bridge-25.11", "llama-3.1-70b", "GB300", "fp8"): "the GPU's first release",
    ("bridge-26.06-sft", "llama-3.1-70b", "GB300", "mxfp8"): "a batch of 32 sequences: two a pipeline's step",
    ("bridge-26.04", "qwen3-235b-a22b", "B300", "mxfp8"): "one sequence at a time, two in 26.04.01",
    ("bridge-26.06", "kimi-k2", "GB300", "mxfp8"): "the Muon optimizer, whose products are no progress",
    (
        "bridge-26.06.01",
        "gpt-oss-120b",
        "GB300",
        "mxfp8",
    ): "a regression that its page names (NVIDIA/cudnn-frontend#256)",
    ("maxtext", "llama-3.1-70b", "B200", "fp8"): "of B200 in FP8 the table has 8B and 405B",
    ("torchtitan", "llama-3.1-70b", "H100", "bf16"): "boards of 500 W with HBM2e, all activations recomputed",
    ("torchtitan", "llama-3.1-70b", "H100", "fp8"): "the same",
    ("torchtitan", "llama-3.1-8b", "H100", "bf16"): "the same boards; activations recomputed in part",
    (
        "deepseek-report",
        "deepseek-v3",
        "H100",
        "fp8",
    ): "16 % faster than NVIDIA's own on H100: DualPipe, kernels of its own",
}
"""Runs that are further off, and what is known of why."""

with (Path(__file__).parent / "published.csv").open(encoding="utf-8") as lines:
    ROWS = list(csv.DictReader(lines))


def key(row: dict[str, str]) -> tuple[str, str, str, str]:
    return row["source"], row["model"], row["gpu"], row["precision"]


def ratio(row: dict[str, str]) -> float:
    """Tokens a second and GPU, sized by published."""
    model, gpu = trained(row["model"]), GPUS[row["gpu"]]
    assert model is not None
    peak = rate.peak(gpu, row["precision"])
    assert peak is not None
    share = rate.rate(model, gpu, row["precision"]).mfu
    return share * peak * 1e12 / model.flops(int(row["sequence"])) / float(row["tokens"])


@pytest.mark.parametrize("row", [row for row in ROWS if key(row) not in OFF], ids=lambda row: "-".join(key(row)))
def test_a_run_that_no_figure_comes_from_is_sized_within_fifteen_percent(row: dict[str, str]) -> None:
    assert 0.85 <= ratio(row) <= 1.15


@pytest.mark.parametrize("row", [row for row in ROWS if key(row) in OFF], ids=lambda row: "-".join(key(row)))
def test_a_run_that_is_left_out_is_off_indeed(row: dict[str, str]) -> None:
    assert not 0.85 <= ratio(row) <= 1.15


def test_there_are_enough_runs_and_none_is_of_the_table() -> None:
    assert len(ROWS) - len(OFF) >= 12
    assert {row["source"] for row in ROWS} == set(SOURCES)
    ours = {(run.model, run.gpu, run.precision, run.gpus, run.tokens) for run in RUNS}
    assert not ours & {(*key(row)[1:], int(row["gpus"]), float(row["tokens"])) for row in ROWS}


def test_every_run_of_the_table_reaches_a_part_of_a_peak_that_is_known() -> None:
    for run in RUNS:
        assert 0.05 < rate.reached(run) < 0.6, run


def test_every_model_may_be_trained_but_a_mixture_of_which_nobody_has_said_how_many_experts_a_token_passes() -> None:
    mixtures = {name for name, model in MODELS.items() if model.expert_billions}
    assert {name for name in MODELS if trained(name) is None} == (mixtures - set(EXPERTS)) | {
        "deepseek-v4-flash",
        "deepseek-v4-pro",
    }
    assert set(EXPERTS) <= mixtures
    assert all(passed < experts for experts, passed in EXPERTS.values())


# Model, tokens in a sequence, GFLOP of a token: NVIDIA's "Model TFLOP / sec" by its tokens a second.
WORK = [
    ("llama-3.1-70b", 8192, 2348 / 5.248),
    ("llama-3.1-405b", 8192, 2617 / 1.036),
    ("qwen3-30b-a3b", 4096, 1029 / 44.544),
    ("qwen3-235b-a22b", 4096, 1306 / 8.816),
    ("gpt-oss-120b", 4096, 1077 / 33.024),
    ("deepseek-v3", 4096, 961 / 3.848),
]


@pytest.mark.parametrize(("name", "sequence", "gflop"), WORK)
def test_a_token_takes_as_much_work_as_its_publisher_counts(name: str, sequence: int, gflop: float) -> None:
    model = trained(name)
    assert model is not None
    assert model.flops(sequence) / 1e9 == pytest.approx(gflop, rel=0.06)


@pytest.mark.parametrize(
    ("name", "active"),
    [
        ("deepseek-v3", 37.6),
        ("qwen3-235b-a22b", 22.2),
        ("qwen3-30b-a3b", 3.35),
        ("gpt-oss-120b", 5.7),
        ("kimi-k2", 32.8),
    ],
)
def test_a_token_passes_through_the_parameters_of_the_model_card(name: str, active: float) -> None:
    model = trained(name)
    assert model is not None
    assert model.passed == pytest.approx(active, rel=0.02)


# Active parameters in 10⁹ as published: vllm-project/recipes@8959cf64189c, `active_parameters`; arXiv 2403.19887 (Jamba).
ACTIVE = {
    "deepseek-v4-flash": 13, "deepseek-v4-pro": 49, "gemma-4-26b-a4b": 4, "jamba-v0.1": 12, "nemotron-3-nano-30b": 3,
    "nemotron-3-super-120b": 12, "nemotron-3-ultra-550b": 55, "qwen3-next-80b-a3b": 3, "qwen3.5-122b-a10b": 10,
    "qwen3.5-35b-a3b": 3, "qwen3.5-397b-a17b": 17, "qwen3.6-35b-a3b": 3,
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVE)
def test_a_mixture_is_as_active_as_its_publisher_rounds_it(name: str) -> None:
    """Publishers count embedding and output layer, or leave them out."""
    model, (experts, passed) = MODELS[name], EXPERTS[name]
    active = model.billions - model.expert_billions * (1 - passed / experts)
    assert active - model.word_billions - 0.5 <= ACTIVE[name] <= active + 0.5


def test_layers_that_keep_a_state_attend_to_nothing() -> None:
    model = trained("qwen3-next-80b-a3b")
    assert model is not None
    assert model.flops(8192) - model.flops(0) == pytest.approx(6 * 12 * 8192 * 16 * 256)


def nearest(name: str, gpu: str, precision: str) -> str:
    model = trained(name)
    assert model is not None
    return rate.rate(model, GPUS.get(gpu), precision).source


def test_the_nearest_run_is_of_the_same_gpu_then_of_its_architecture_and_of_like_size() -> None:
    assert nearest("llama-70b", "GB200", "nvfp4").startswith("as llama-3.1-70b on 64 GB200")
    assert nearest("qwen3-8b", "H100", "fp8").startswith("as llama-3.1-8b on 8 H100")
    assert nearest("llama-405b", "H200", "fp8").startswith("as llama-3.1-405b on 1024 H100")
    assert nearest("kimi-k2", "B200", "mxfp8").startswith("as deepseek-v3 on 256 B200")
    assert nearest("llama-70b", "A100-80", "bf16") == "usual for dense models in bf16"
    assert nearest("gpt-oss-20b", "A100-80", "bf16").startswith("as gpt-oss-120b")
    assert nearest("llama-8b", "L40S", "fp8").startswith("as llama-3.1-8b")


@pytest.mark.parametrize(("name", "precision"), [("deepseek-v3", "nvfp4"), ("llama-70b", "mxfp4")])
def test_where_nobody_has_published_a_run_a_rate_is_asked_for(name: str, precision: str) -> None:
    with pytest.raises(ImpossibleError, match="is known here; say --mfu"):
        nearest(name, "B200", precision)


@pytest.mark.parametrize(
    ("gpu", "precision", "tflops"),
    [
        ("H100", "bf16", 989),
        ("H100", "fp8", 1979),
        ("H100", "mxfp8", None),
        ("H100", "nvfp4", None),
        ("GB300", "nvfp4", 15000),
        ("B200", "mxfp4", 9000),
        ("A100-80", "fp8", None),
    ],
)
def test_a_peak_is_that_of_the_precision_where_the_gpu_has_it(gpu: str, precision: str, tflops: int | None) -> None:
    assert rate.peak(GPUS[gpu], precision) == tflops
    assert rate.peak(None, precision) is None
