"""The sizing of servers, against figures that are known from elsewhere."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.catalog.gpus import GPUS
from bedplate.components.serving.fit import Fit, fit, load_seconds, weights_gb
from bedplate.components.serving.models import MODELS, Model
from bedplate.components.serving.room import Batch, Cut, Room, card, workspace
from bedplate.components.serving.vllm import VllmServer
from bedplate.policies.rules.serving.servers import HEADS

H100, L40S, H200 = 80, 48, 141


def on(gib: int, model: str, precision: str, cut: Cut, longest: int = 8192) -> Fit:
    """A replica on GPUs of so much memory."""
    return fit(MODELS[model], precision, cut, card(None, gib).room(0.9, MODELS[model], cut), longest)


@pytest.mark.parametrize(
    ("model", "kib", "gib_at_8k"),
    [("llama-3.1-8b", 128, 1.0), ("llama-3.1-70b", 320, 2.5), ("llama-3.1-405b", 504, 3.9)],
)
def test_the_cache_of_a_token_is_two_times_layers_heads_and_width(model: str, kib: int, gib_at_8k: float) -> None:
    each = MODELS[model].kv_bytes()
    assert each == kib * 1024
    assert each * 8192 / 1024**3 == pytest.approx(gib_at_8k, abs=0.05)


@pytest.mark.parametrize("name", MODELS)
def test_a_models_heads_share_their_keys_evenly(name: str) -> None:
    model = MODELS[name]
    assert model.latent or (model.kv_heads and model.heads % model.kv_heads == 0)
    assert model.expert_billions < model.billions


@pytest.mark.parametrize(("precision", "expected"), [("bf16", 141.1), ("fp8", 72.65), ("int4", 39.8), ("fp4", 42.7)])
def test_weights_are_so_many_bytes_a_parameter_and_words_stay_at_two(precision: str, expected: float) -> None:
    assert weights_gb(MODELS["llama-3.1-70b"], precision) == pytest.approx(expected, abs=0.05)


def test_a_70b_model_fits_four_h100_with_room_for_fifty_sequences() -> None:
    found = on(H100, "llama-3.1-70b", "bf16", Cut(4), 8192)
    assert found.fits
    assert found.weights == pytest.approx(35.3, abs=0.1)
    assert found.usable - found.weights - found.workspace == pytest.approx(34.6, abs=0.2)
    assert found.tokens == pytest.approx(422_000, rel=0.02)
    assert found.sequences == pytest.approx(51, abs=1)


def test_on_two_h100_it_leaves_nothing_and_does_not_fit() -> None:
    found = on(H100, "llama-3.1-70b", "bf16", Cut(2), 8192)
    assert not found.fits
    assert found.usable - found.weights - found.workspace < 0


# Model, precision, tensor × pipeline, GPU memory, and whether it fits with requests of 8k tokens.
CASES = [
    ("llama-3.1-8b", "bf16", Cut(1), L40S, True),
    ("llama-3.1-8b", "bf16", Cut(1), 24, True),
    ("llama-3.1-8b", "bf16", Cut(1), 16, False),
    ("llama-3.1-8b", "fp8", Cut(1), 24, True),
    ("llama-3.1-70b", "bf16", Cut(1), H200, False),
    ("llama-3.1-70b", "bf16", Cut(2), H200, True),
    ("llama-3.1-70b", "fp8", Cut(2), H100, True),
    ("llama-3.1-70b", "int4", Cut(1), H100, True),
    ("llama-3.1-405b", "bf16", Cut(8), H100, False),
    ("llama-3.1-405b", "bf16", Cut(8, 2), H100, True),
    ("llama-3.1-405b", "fp8", Cut(8), H100, True),
]


@pytest.mark.parametrize(("model", "precision", "cut", "gib", "fits"), CASES)
def test_known_models_fit_or_not(model: str, precision: str, cut: Cut, gib: int, *, fits: bool) -> None:
    assert on(gib, model, precision, cut).fits is fits


@given(st.sampled_from(sorted(MODELS)), st.sampled_from([1, 2, 4]), st.sampled_from([24, 48, 80, 141, 180]))
def test_more_gpus_never_hold_fewer_tokens(model: str, tensor: int, gib: int) -> None:
    few, many = (on(gib, model, "bf16", Cut(n)) for n in (tensor, 2 * tensor))
    assert many.tokens >= few.tokens
    assert many.fits or not few.fits


# AWQ on one card, which vLLM refuses to start: "No available memory for the cache blocks".
CARDS = [("L40S", "llama-3.3-70b", 16_384), ("L40S", "qwen2.5-72b", 8192), ("A10G", "qwen3-32b", 8192)]


@pytest.mark.parametrize(("gpu", "model", "longest"), CARDS)
def test_a_quantised_model_that_leaves_its_card_no_cache_does_not_fit(gpu: str, model: str, longest: int) -> None:
    at = card(GPUS[gpu].product, GPUS[gpu].memory_gib)
    assert not fit(MODELS[model], "int4", Cut(1), at.room(0.9, MODELS[model], Cut(1)), longest).fits


@pytest.mark.parametrize(
    ("gpu", "batch"),
    [
        ("L4", Batch(2048, 256)),
        ("L40S", Batch(2048, 256)),
        ("A100-80", Batch(2048, 256)),
        ("H100", Batch(8192, 1024)),
        ("H200", Batch(8192, 1024)),
        ("B200", Batch(16_384, 1024)),
    ],
)
def test_a_step_is_as_large_as_vllm_takes_on_the_gpu(gpu: str, batch: Batch) -> None:
    assert card(GPUS[gpu].product, GPUS[gpu].memory_gib).batch == batch


# Model, GPUs, batch and GiB at the peak of the step that vLLM profiled.
PEAKS = [
    ("llama-3.1-8b", 1, Batch(8192, 1024), 4.76),
    ("llama-3.3-70b", 2, Batch(8192, 1024), 4.84),
    ("qwen3-0.6b", 1, Batch(8192, 1024), 5.56),
    ("qwen3-32b", 1, Batch(8192, 1024), 5.64),
    ("gpt-oss-120b", 1, Batch(8192, 1024), 7.38),
    ("qwen3-235b-a22b", 8, Batch(2048, 256), 1.40),
]


@pytest.mark.parametrize(("model", "gpus", "batch", "gib"), PEAKS)
def test_the_peak_of_a_step_is_that_of_the_sampler(model: str, gpus: int, batch: Batch, gib: float) -> None:
    outside = workspace(MODELS[model], Cut(gpus), Batch(0, 0))
    assert (workspace(MODELS[model], Cut(gpus), batch) - outside) / 1.0737 == pytest.approx(gib, rel=0.03)


def test_a_long_step_of_a_wide_layer_takes_more_than_its_sampler_and_less_on_more_gpus() -> None:
    model, long = MODELS["llama-2-70b"], Batch(65_536, 8)
    assert workspace(model, Cut(2), long) == pytest.approx(1.1 + 2 * 65_536 * (4 * 8192 + 3 * 28_672 / 2) / 1e9)
    assert workspace(model, Cut(4), long) < workspace(model, Cut(2), long)


def test_layers_with_a_window_keep_less_beside_smaller_steps() -> None:
    model = MODELS["gpt-oss-120b"]
    assert (model.windowed, model.window) == (18, 128)
    held = [fit(model, "fp4", Cut(1), Room(72, 3, step), 131_072).tokens for step in (2048, 8192, 16_384)]
    assert held == sorted(held, reverse=True)
    assert held[0] > held[2] * 1.05


def test_where_nobody_has_said_the_vocabulary_a_guess_stands_in() -> None:
    stated = Model.model_validate({"billions": 70, "layers": 80, "heads": 64, "kvHeads": 8})
    assert workspace(stated, Cut(1), Batch(8192, 1024)) == pytest.approx(4.2)


# GPU, utilisation, GiB of cache by vLLM's own log, model of 1.44e9 parameters in bf16 (2.88 GiB are 3.09 GB).
LOGS = [(("A10G", 0.9), 15.52), (("L40S", 0.85), 33.37)]


@pytest.mark.parametrize(("where", "gib"), LOGS)
def test_a_small_cards_cache_is_a_little_less_than_vllms_log_has(where: tuple[str, float], gib: float) -> None:
    gpu, part = where
    at, model = card(GPUS[gpu].product, GPUS[gpu].memory_gib), MODELS["qwen2.5-1.5b"]
    room = at.room(part, model, Cut(1), graphs=False)
    assert 0.93 * gib <= (room.usable - room.workspace - 2.88 * 1.0737) / 1.0737 <= gib


def test_the_cache_has_a_tenth_more_than_the_longest_request() -> None:
    found = on(H100, "llama-3.1-8b", "bf16", Cut(1), 8192)
    exact = replace(found, tokens=8192)
    assert exact.sequences == 1
    assert not exact.fits
    assert replace(found, tokens=9012).fits


def test_every_model_names_its_source_and_divides_by_its_heads() -> None:
    for model in MODELS.values():
        assert "config.json" in model.source
        assert model.divides(1)


@pytest.mark.parametrize(("gigabytes", "read", "expected"), [(16, 1, 600), (141, 0.3, 975), (812, 1, 1488)])
def test_a_server_may_take_as_long_as_its_weights_need(gigabytes: float, read: float, expected: int) -> None:
    assert load_seconds(gigabytes, read) == expected
    assert load_seconds(gigabytes, read) >= gigabytes / read + 180


def test_policies_know_the_same_heads_of_the_same_models() -> None:
    known = {name: model.heads for name, model in MODELS.items()}
    found = {name: heads for name in known for words, heads in HEADS.items() if re.search(words, name)}
    assert found == {name: known[name] for name in found}
    assert {"llama-3.1-70b", "llama-3.1-405b", "mistral-7b", "qwen2.5-7b", "qwen2.5-32b", "qwen2.5-72b"} <= set(found)


@pytest.mark.parametrize(
    ("name", "tensor", "divides"),
    [
        ("qwen3-235b-a22b", 8, True),  # 4 KV heads, each on two GPUs
        ("qwen3-235b-a22b", 4, True),
        ("qwen3-235b-a22b", 3, False),
        ("phi-4", 4, False),  # 10 KV heads are neither a multiple of 4 nor divide it
        ("phi-4", 5, True),
        ("deepseek-r1", 8, True),
        ("deepseek-r1", 3, False),
    ],
)
def test_kv_heads_may_be_fewer_than_gpus_as_vllm_repeats_them(name: str, tensor: int, divides: bool) -> None:  # noqa: FBT001
    assert MODELS[name].divides(tensor) is divides


def test_a_repeated_kv_head_takes_its_room_on_every_gpu() -> None:
    model = MODELS["qwen3-235b-a22b"]
    assert model.kv_bytes(8) == model.kv_bytes(4) == 2 * 94 * 1 * 128 * 2


def test_a_latent_cache_is_70_kb_a_token_on_every_gpu_whatever_shares_the_layers() -> None:
    model = MODELS["deepseek-r1"]
    assert model.kv_bytes() == model.kv_bytes(8) == 61 * 576 * 2 == 70_272


# Model, precision, how it is spread, GPU memory, and whether it fits with requests of 32k tokens.
LARGE = [
    ("deepseek-r1", "fp8", Cut(8), H200, True),
    ("deepseek-r1", "fp8", Cut(8), H100, False),
    ("deepseek-r1", "fp8", Cut(8, 2), H100, True),
    ("deepseek-r1", "fp8", Cut(1, 1, 8), H200, True),
    ("deepseek-r1", "fp4", Cut(4), 180, True),
    ("qwen3-235b-a22b", "bf16", Cut(8), H100, True),
    ("qwen3-235b-a22b", "bf16", Cut(4), H100, False),
    ("qwen3-235b-a22b", "fp8", Cut(8), H100, True),
    ("qwen3-235b-a22b", "bf16", Cut(8), H200, True),
    ("kimi-k2", "fp8", Cut(8, 2), H200, True),
    ("gpt-oss-120b", "fp4", Cut(1), H100, False),  # vllm-project/vllm#23278: -2.14 GiB of cache
    ("gpt-oss-120b", "fp4", Cut(2), H100, True),
    ("llama-4-maverick", "fp8", Cut(8), H100, True),
]


@pytest.mark.parametrize(("model", "precision", "cut", "gib", "fits"), LARGE)
def test_models_that_everybody_serves_fit_where_everybody_serves_them(
    model: str, precision: str, cut: Cut, gib: int, *, fits: bool
) -> None:
    assert on(gib, model, precision, cut, 32_768).fits is fits


def test_copies_repeat_attention_and_divide_the_experts() -> None:
    dense, experts = 671.03 - 653.91, 653.91
    found = on(H200, "deepseek-r1", "fp8", Cut(1, 1, 8), 8192)
    assert found.weights == pytest.approx(2 * dense + experts / 8, abs=0.05)
    assert found.copies == 8


@pytest.mark.parametrize("change", [{"kvHeads": None}, {"latent": 576}, {"expertBillions": 80}])
def test_a_model_in_the_profile_has_one_kind_of_cache_and_no_more_experts_than_parameters(
    change: dict[str, float | None],
) -> None:
    stated = {"billions": 70, "layers": 80, "heads": 64, "kvHeads": 8}
    with pytest.raises(ValueError, match=r"one of the two|a part of billions"):
        Model.model_validate({key: value for key, value in {**stated, **change}.items() if value is not None})


def server(**changes: object) -> VllmServer:
    weights = {"kind": "hugging-face", "repository": "a/b"}
    stated = {"kind": "vllm", "name": "a", "namespace": "a", "pool": "a", "model": "llama-3.1-8b", "weights": weights}
    return VllmServer.model_validate({**stated, **changes})


@pytest.mark.parametrize(
    ("arguments", "batch"),
    [
        ([], Batch(8192, 1024)),
        (["--max-num-seqs=64"], Batch(8192, 64)),
        (["--max_num_seqs", "64", "--max-num-batched-tokens", "2048"], Batch(2048, 64)),
        (["--max-num-seqs=64", "--max-num-seqs=32"], Batch(8192, 32)),
        (["--max-num-seqs=many"], Batch(8192, 1024)),
    ],
)
def test_a_servers_own_arguments_say_how_large_a_step_is(arguments: list[str], batch: Batch) -> None:
    at = card(GPUS["H100"].product, 80)
    stated = server(extraArgs=arguments)
    assert stated.batch(at) == batch
    assert stated.room(at).workspace == pytest.approx(workspace(MODELS["llama-3.1-8b"], Cut(1), batch) + 0.6)


@pytest.mark.parametrize(
    ("image", "kept"),
    [
        ("vllm/vllm-openai:v0.20.1", 0.0),
        ("vllm/vllm-openai:v0.21.0", 0.6),
        ("vllm/vllm-openai:v0.32.0", 0.6),
        ("registry.example/own:1", 0.6),
    ],
)
def test_graphs_are_kept_back_by_releases_that_count_them_and_by_those_we_do_not_know(image: str, kept: float) -> None:
    at = card(GPUS["H100"].product, 80)
    plain = workspace(MODELS["llama-3.1-8b"], Cut(1), at.batch)
    assert server(image=image).room(at).workspace - plain == pytest.approx(kept)
    assert server(image=image).fit(at).workspace == server(image=image).room(at).workspace
