"""The table of models: well formed, as the tool writes it, and in agreement with what others have published."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from bedplate.catalog import table
from bedplate.catalog.configs import count
from bedplate.catalog.models import MODELS as LISTED
from bedplate.catalog.models import gated
from bedplate.catalog.sources import SOURCES
from bedplate.components.serving.fit import weights_gb
from bedplate.components.serving.models import MODELS
from tests.tools.catalog.read import Clones
from tests.tools.models import rows
from tests.tools.models.__main__ import main
from tests.tools.models.engine import Engine
from tests.tools.models.litgpt import configs
from tests.tools.models.rows import CONFIGS, LITGPT, RECIPES, written

CLONES, WHEELS = os.environ.get("BEDPLATE_CLONES", ""), os.environ.get("BEDPLATE_WHEELS", "")
RECIPE = {
    "deepseek-r1": 671, "glm-5": 744, "gpt-oss-20b": 21, "kimi-k2": 1000, "llama-3.1-8b": 8, "llama-3.2-1b": 1.23,
    "llama-3.2-3b": 3.21, "llama-4-scout": 109, "minimax-m2.5": 230, "phi-4-reasoning": 14, "qwen3-30b-a3b": 30.5,
    "qwen3-8b": 8.2, "qwen3-coder-480b": 480, "qwen3-vl-235b-a22b": 235, "qwen3-235b-a22b-2507": 235,
}  # fmt: skip
"""Parameters in 10⁹, rounded, by vllm-project/recipes `parameter_count`."""
LOADED = [
    ("llama-3.1-8b", "bf16", 16.06, "vLLM's log: model weights take 14.96 GiB"),
    ("qwen2.5-7b", "bf16", 15.23, "vLLM's log: 14.19 GiB"),
    ("llama-3.3-70b", "int4", 39.8, "AWQ, group 128: vLLM's log"),
    ("qwen2.5-72b", "int4", 41.5, "AWQ, group 128: vLLM's log"),
    ("qwen3-32b", "int4", 19.3, "AWQ, group 128: vLLM's log"),
]
"""GB of weights by precision."""
TOKEN = {
    "llama-2-7b": 524_288, "llama-3.1-8b": 131_072, "llama-3.1-70b": 327_680, "llama-3.1-405b": 516_096,
    "mistral-7b": 131_072, "qwen2.5-7b": 57_344, "qwen2.5-72b": 327_680, "qwen3-32b": 262_144, "phi-4": 204_800,
    "gpt-oss-120b": 73_728, "deepseek-r1": 70_272, "qwen3-235b-a22b": 192_512,
}  # fmt: skip
"""Bytes of cache a token in 16 bits, as the models' papers and vLLM's logs of blocks have them."""
SOURCE = """
models = [
    dict(name="A-1B{}", hf_config=dict(org="o", name="A-1B{}"), n_layer=2, n_head=4, n_embd=8, vocab_size=10,
         padding_multiple=4, mlp_class_name="LLaMAMLP", intermediate_size=16),
    dict(name="A-1B-Long", hf_config=dict(org="o", name="A-1B-Long"), block_size=99, n_layer=3, n_embd=8, n_head=4,
         n_query_groups=2, vocab_size=8, padded_vocab_size=8, mlp_class_name="LLaMAMLP", intermediate_size=16),
    dict(name="old", hf_config=dict(org="o", name="old"), n_layer=2),
]
"""


def test_there_are_many_models_and_each_row_is_whole() -> None:
    assert len(LISTED) >= 80
    for name, one in LISTED.items():
        assert re.fullmatch(r"[a-z0-9.-]+", name)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", one.repository)
        assert (one.kv_heads is None) is (one.latent is not None)
        assert one.expert_billions < one.billions
        assert one.heads % (one.kv_heads or 1) == 0


def test_every_figure_has_a_source_with_a_day_and_a_length_its_own() -> None:
    for row in table.read("models"):
        assert row["source"] in SOURCES
        assert (row["length_source"] in SOURCES) is table.said(row["max_length"]), row["name"]


def test_most_rows_are_read_by_machine() -> None:
    read = [row for row in table.read("models") if row["source"] in (CONFIGS, LITGPT)]
    assert len(read) >= 80


@pytest.mark.parametrize("name", RECIPE)
def test_parameters_are_those_of_the_engines_recipes(name: str) -> None:
    assert LISTED[name].billions == pytest.approx(RECIPE[name], rel=0.05)


@pytest.mark.parametrize(("name", "precision", "gigabytes", "source"), LOADED)
def test_weights_by_precision_are_what_is_loaded(name: str, precision: str, gigabytes: float, source: str) -> None:
    assert weights_gb(MODELS[name], precision) == pytest.approx(gigabytes, rel=0.01), source


@pytest.mark.parametrize("name", TOKEN)
def test_a_token_takes_the_cache_that_is_published(name: str) -> None:
    assert MODELS[name].kv_bytes() == TOKEN[name]


def test_what_is_committed_is_what_the_tool_writes() -> None:
    if not (CLONES and WHEELS):
        pytest.skip("BEDPLATE_CLONES and BEDPLATE_WHEELS name no folders")
    clones = Clones(Path(CLONES))
    if lacking := clones.lacks([CONFIGS, LITGPT, RECIPES]):
        pytest.skip(f"no clone of {', '.join(lacking)}")
    assert table.written(written(table.read("models"), {}, clones, Path(WHEELS))) == table.path("models").read_text(
        encoding="utf-8"
    )


QWEN = json.dumps(
    {
        "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 8, "hidden_size": 32, "intermediate_size": 64, "vocab_size": 100,
        "max_position_embeddings": 4096,
    }
)  # fmt: skip


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources of one repository, o/new, and of one whose kind nobody counts."""
    hub = {"o/new": json.loads(QWEN), "o/strange": {**json.loads(QWEN), "model_type": "strange"}}
    wheel = Engine(frozenset({"qwen3"}), frozenset({"qwen3"}), frozenset(), frozenset({"Qwen3ForCausalLM"}))
    monkeypatch.setattr(rows, "read", lambda *_: rows.Sources(hub, [], {}, wheel))


def add(*asked: str) -> int:
    return main(["--clones", "c", "--wheels", "w", "--add", *asked])


@pytest.mark.usefixtures("known")
def test_a_model_is_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [row["name"] for row in table.read("models")]
    shutil.copy(table.path("models"), tmp_path)
    monkeypatch.setattr(table, "DATA", tmp_path)
    assert add("new=o/new") == 0
    *kept, new = table.read("models")
    assert [row["name"] for row in kept] == names
    assert (new["repository"], new["layers"], new["max_length"], new["source"]) == ("o/new", "2", "4096", CONFIGS)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("new=o/other", "new=o/other: in none of aiconfigurator, litgpt"),
        ("qwen3-8b=o/new", "qwen3-8b: the table has it"),
        ("new=o/strange", "model_type strange: nobody has taught"),
    ],
)
def test_a_model_of_which_nothing_is_known_is_no_row(asked: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = table.path("models").read_bytes()
    assert add(asked) == 2
    assert said in capsys.readouterr().err
    assert table.path("models").read_bytes() == before


def test_a_training_librarys_table_is_parsed_and_never_run() -> None:
    (exact, long), (family, short) = configs(SOURCE)
    assert exact.fullmatch("o/A-1B-Long")
    assert not exact.fullmatch("o/A-1B")
    assert family.fullmatch("o/A-1B")
    assert family.fullmatch("o/A-1B-Instruct")
    assert (long["num_key_value_heads"], long["max_position_embeddings"], long["vocab_size"]) == (2, 99, 8)
    assert (short["num_key_value_heads"], short["num_hidden_layers"], short["vocab_size"]) == (4, 2, 12)
    assert "max_position_embeddings" not in short


def test_parameters_are_counted_block_by_block() -> None:
    dense = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 8}
    text = {**dense, "intermediate_size": 16, "vocab_size": 10}
    attention, mlp, words = 2 * 8 * 2 * (4 + 2), 3 * 8 * 16, 10 * 8
    assert count.total(text, text, tied=True) == 2 * (attention + mlp) + words
    assert count.total(text, text, tied=False) == 2 * (attention + mlp) + 2 * words
    mixed = {**text, "num_experts": 5, "moe_intermediate_size": 4, "first_k_dense_replace": 1, "n_shared_experts": 2}
    assert count.routed(mixed) == 1 * 5 * 3 * 8 * 4
    assert count.total(mixed, mixed, tied=True) == 2 * attention + mlp + 480 + 8 * (3 * 8 + 5) + words
    assert count.widths(mixed) == [8, 16]


@pytest.mark.parametrize(
    ("repository", "asked"),
    [
        ("google/gemma-3-12b-it", True),
        ("google/gemma-4-31B-it", False),
        ("google/gemma-7b", True),
        ("Qwen/Qwen3-8B", False),
        ("meta-llama/Llama-3.3-70B-Instruct", True),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", True),
    ],
)
def test_who_asks_for_one_generation_need_not_ask_for_the_next(repository: str, asked: bool) -> None:  # noqa: FBT001
    assert gated(repository) is asked
