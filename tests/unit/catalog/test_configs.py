"""The one reader of `config.json`: sizes that others have published, and one line for what it cannot read."""

import pytest

from bedplate.catalog.configs.layers import kinds
from bedplate.catalog.configs.reading import ConfigError, facts, parsed
from bedplate.components.serving.fit import fit
from bedplate.components.serving.models import MODELS, Model
from bedplate.components.serving.room import Cut, Room

DENSE = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
         "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
         "max_position_embeddings": 131072}  # fmt: skip
BGE = {"model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"], "hidden_size": 1024, "num_hidden_layers": 24,
       "intermediate_size": 4096, "num_attention_heads": 16, "vocab_size": 250002, "max_position_embeddings": 8194,
       "pad_token_id": 1}  # fmt: skip
WHISPER = {"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "d_model": 1280,
           "encoder_layers": 32, "decoder_layers": 32, "decoder_ffn_dim": 5120, "decoder_attention_heads": 20,
           "vocab_size": 51866, "max_source_positions": 1500, "max_target_positions": 448, "num_mel_bins": 128}  # fmt: skip
GRANITE = {"model_type": "granitemoehybrid", "hidden_size": 1536, "intermediate_size": 4096, "num_hidden_layers": 4,
           "num_attention_heads": 12, "num_key_value_heads": 4, "vocab_size": 100352, "shared_intermediate_size": 4096,
           "layer_types": ["mamba", "mamba", "mamba", "attention"], "mamba_n_heads": 48, "mamba_d_head": 64,
           "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4}  # fmt: skip
PUBLISHED = {
    "qwen3-next-80b-a3b": 80, "jamba-v0.1": 52, "nemotron-h-56b": 56, "nemotron-3-nano-30b": 31.6,
    "nemotron-3-super-120b": 120.6, "deepseek-v4-flash": 284, "deepseek-v4-pro": 1600, "qwen3.5-27b": 27,
    "qwen3.5-397b-a17b": 397, "gemma-4-31b": 31,
}  # fmt: skip
"""Parameters in 10⁹ by the models' cards and names."""
H100 = Room(76.5, 4.0)


@pytest.mark.parametrize("name", PUBLISHED)
def test_layers_of_every_kind_are_counted(name: str) -> None:
    assert MODELS[name].billions == pytest.approx(PUBLISHED[name], rel=0.025)


def test_an_encoder_and_a_listener_are_read() -> None:
    assert facts(BGE)["billions"] == pytest.approx(0.568, rel=0.01)
    assert facts(BGE)["max_length"] == 8192
    assert facts(WHISPER)["billions"] == pytest.approx(1.54, rel=0.01)
    assert facts(WHISPER)["max_length"] == 448


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"sliding_window": 4096, "use_sliding_window": False}, ["full"] * 4),
        ({"sliding_window": 4096, "use_sliding_window": True}, ["windowed"] * 4),
        ({"sliding_window": 4096, "model_type": "gemma2"}, ["windowed", "full"] * 2),
        ({"attention_chunk_size": 8192}, ["windowed"] * 3 + ["full"]),
        ({"linear_num_value_heads": 8, "full_attention_interval": 2}, ["linear", "full"] * 2),
        ({"attn_layer_period": 4, "attn_layer_offset": 1}, ["linear", "full", "linear", "linear"]),
        ({"hybrid_override_pattern": "M*-E"}, ["linear", "full", "bare", "bare"]),
        ({"layer_types": ["mamba", "attention"]}, ["linear", "full"]),
    ],
)
def test_each_layer_has_its_kind(change: dict[str, object], kept: list[str]) -> None:
    assert kinds({**DENSE, "num_hidden_layers": 4, **change}) == kept


def test_a_state_is_as_large_as_the_engine_makes_it() -> None:
    # mamba_utils.py: (48·64 + 2·1·128) · 3 numbers of convolution and 48 · 64 · 128 of state, two bytes each.
    assert facts(GRANITE)["state_bytes"] == (3328 * 3 + 48 * 64 * 128) * 2
    # (2·16·128 + 32·128) · 3 in 16 bits, 32 · 128 · 128 likewise.
    assert MODELS["qwen3-next-80b-a3b"].state_bytes == 8192 * 3 * 2 + 32 * 128 * 128 * 2


def test_a_nested_text_is_read_with_what_sees_beside_it() -> None:
    seen = {"depth": 2, "hidden_size": 64, "intermediate_size": 128}
    nested = {"model_type": "qwen3_vl", "text_config": {**DENSE, "model_type": "qwen3_vl_text"}, "vision_config": seen}
    assert facts(nested)["billions"] > facts(DENSE)["billions"]
    assert facts(nested)["layers"] == 32


def test_a_window_and_a_state_leave_room_for_longer_sequences() -> None:
    model = MODELS["llama-3.1-8b"]
    long, flying = 131_072, 16_384
    near = model.model_copy(update={"windowed": 16, "window": 128})
    assert near.sequence_bytes(long, flying) == model.sequence_bytes(long, 0) / 2 * (1 + (128 + flying) / long)
    assert near.sequence_bytes(8192, flying) == model.sequence_bytes(8192, flying) == 8192 * model.kv_bytes()
    state = model.model_copy(update={"linear": 24, "state_bytes": 1000})
    assert state.sequence_bytes(100, 0) == 100 * state.kv_bytes() + 2 * 24 * 1000
    assert state.kv_bytes() == model.kv_bytes() / 4
    assert fit(state, "bf16", Cut(1), H100, long).sequences > fit(model, "bf16", Cut(1), H100, long).sequences


def test_an_encoder_keeps_nothing_and_fits_by_its_weights() -> None:
    read = {name: value for name, value in facts(BGE).items() if value is not None and name in Model.model_fields}
    model = Model.model_validate({**read, "source": "test"}, by_name=True)
    assert fit(model, "bf16", Cut(1), Room(21.0, 2.0), 8192).fits


def test_gpus_divide_the_heads_of_a_state() -> None:
    model = MODELS["qwen3.5-27b"]
    assert model.divides(4)
    assert not model.model_copy(update={"state_heads": 6}).divides(4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"{", "it is no JSON"),
        (b"[]", "it holds no mapping"),
    ],
)
def test_what_is_no_config_is_said(text: bytes, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        parsed(text)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({**DENSE, "model_type": "rwkv7"}, "model_type rwkv7: nobody has taught Bedplate to count its parameters"),
        ({"hidden_size": 8}, "lacks the key model_type"),
        ({key: value for key, value in DENSE.items() if key != "hidden_size"}, "lacks the key hidden_size"),
        ({**DENSE, "layer_types": ["full_attention", "other"]}, "other, or a value of it is not known here"),
        ({**DENSE, "num_hidden_layers": None}, "a size in it is no number"),
        ({**DENSE, "head_dim": None, "num_attention_heads": 0}, "num_attention_heads is 0, no whole number"),
    ],
)
def test_what_a_config_lacks_is_said(config: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        facts(config)


def test_positions_that_are_stretched_make_it_longer_where_the_engine_says_so() -> None:
    scaled = {**DENSE, "rope_scaling": {"type": "linear", "factor": 2}}
    assert facts(scaled)["max_length"] == 262_144
    assert facts({**DENSE, "rope_scaling": {"rope_type": "yarn", "factor": 2}})["max_length"] == 131_072


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_hidden_layers": float("inf")}, "num_hidden_layers is Infinity, no whole number from 1 to 10,000"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000, no whole number from 1 to 10,000"),
        ({"hidden_size": float("nan")}, "hidden_size is NaN, no whole number"),
        ({"vocab_size": -1}, "vocab_size is -1, no whole number"),
        ({"head_dim": "wide"}, 'head_dim is "wide", no whole number'),
        ({"num_key_value_heads": True}, "num_key_value_heads is true, no whole number"),
        ({"model_type": None}, "lacks the key model_type"),
        ({"model_type": ["llama"]}, "model_type .* is no text"),
        ({"architectures": "LlamaForCausalLM"}, "architectures are no list of texts"),
        ({"architectures": [5]}, "architectures are no list of texts"),
        ({"rope_scaling": "x"}, "a text or a list where a mapping belongs"),
        ({"quantization_config": "fp8"}, "a text or a list where a mapping belongs"),
    ],
)
def test_a_value_that_no_config_has_is_named(change: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        facts({**DENSE, **change})


@pytest.mark.parametrize("text", [b"", b"{", b"[" * 100_000])
def test_what_cannot_be_parsed_is_no_json(text: bytes) -> None:
    with pytest.raises(ConfigError, match="no JSON"):
        parsed(text)
