"""`python -m bedplate.sizing`, as people and machines call it."""

import json
from pathlib import Path

import pytest

from bedplate import usage
from bedplate.components.serving.models import MODELS
from bedplate.sizing import __main__ as size
from bedplate.sizing.__main__ import main
from bedplate.sizing.server import server

TRAIN = ["train", "llama-70b", "--stack", "onprem-h100-roce", "--tp", "8", "--zero", "1"]
EXPERTS = ["serve", "qwen3-235b-a22b", "--shape", "dgx-h200", "--nodes", "2", "--precision", "fp8"]
SERVE = ["serve", "llama-70b", "--stack", "onprem-h100-roce", "--tp", "4"]


@pytest.mark.parametrize("words", [TRAIN, SERVE, ["cluster", "--stack", "onprem-h100-roce"]])
def test_figures_show_their_arithmetic_at_80_columns(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    assert "×" in out


@pytest.mark.parametrize(
    "words", [TRAIN, [*SERVE, "--concurrency", "9", "--read-gbs", "1"], ["cluster", "--stack", "onprem-h100-roce"]]
)
def test_machines_get_the_same_figures_with_their_sources(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert {"topic", "name", "value", "unit", "arithmetic", "source"} == set(figures[0])
    assert all(figure["arithmetic"] and figure["source"] for figure in figures)


def test_a_servers_cache_is_that_of_the_fit_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SERVE, "--json", "--concurrency", "200", "--read-gbs", "0.1"]) == 0
    figures = {figure["name"]: figure["value"] for figure in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["longest sequences at once"] == 51
    assert figures["needed"] == 4
    assert figures["to the first answer"] == int(1.5 * (141.104 / 0.1 + 180))


def test_a_model_that_is_shorter_than_usual_is_asked_for_its_own_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "phi-3-mini-4k", "--shape", "dgx-h100", "--json"]) == 0
    figures = {figure["name"]: figure["arithmetic"] for figure in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["longest sequences at once"].endswith(" / 4096")


def test_a_stacks_addresses_ports_and_quotas_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "--stack", "onprem-h100-roce", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert {"leaf switches": 1, "interfaces": 64, "addresses": 512}.items() <= {
        figure["name"]: figure["value"] for figure in figures
    }.items()
    quotas = {figure["unit"]: figure["value"] for figure in figures if figure["name"] == "quota"}
    assert quotas["nvidia.com/gpu"] == 64


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "lama-70b", "--shape", "dgx-h100"], "MODEL lama-70b: unknown; did you mean llama-70b?"),
        (["serve", "zzz", "--shape", "dgx-h100"], "MODEL zzz: unknown; docs/models.md has every name"),
        (["serve", "docs/", "--shape", "dgx-h100"], "MODEL docs/: no .yaml or .yml file"),
        (["serve", "mine/config.json", "--shape", "dgx-h100"], "MODEL mine/config.json: no .yaml or .yml file"),
        (["serve", "llama-8b", "--shape", "dgx-h100", "--pool", "gpu"], "--pool gpu: a shape has no pools; remove it"),
        (["train", "llama-70b", "--shape", "dgx-h10"], "--shape dgx-h10: unknown; did you mean dgx-h100?"),
        (["train", "llama-70b"], "where: name either a stack"),
        (["train", "llama-70b", "--stack", "nosuch"], "known stacks: "),
        (["train", "llama-70b", "--stack", "inference-l40s"], "several pools have GPUs; name one of "),
        (["train", "llama-70b", "--stack", "lab", "--pool", "nosuch"], "--pool nosuch: unknown; name one of "),
        (["train", "llama-70b", "--shape", "dgx-h100"], "the states of llama-3.1-70b alone need 19 such GPUs"),
        (
            ["serve", "llama-70b", "--shape", "dgx-h100"],
            "--tp 1: 141 GB of weights are 141.1 GB on each GPU, 155.2 GB while they load, of 76.5",
        ),
        (
            ["serve", "llama-70b", "--shape", "dgx-h100", "--tp", "2"],
            "70.6 GB on each GPU, 77.6 GB while they load, of 76.5 GB",
        ),
        ([*SERVE, "--longest", "999999"], "the rest holds 420473 tokens, and one request of 999999 wants a tenth more"),
        ([*SERVE, "--longest", "131073"], "--longest 131073: the model was made for 131072 tokens"),
        (
            ["serve", "phi-4", "--shape", "dgx-h100", "--tp", "4"],
            "--tp 4: it must divide the model's 40 heads, and divide its 10 KV heads",
        ),
        (["serve", "llama-70b", "--shape", "dgx-h100", "--tp", "16"], "leaves NVLink"),
        ([*SERVE, "--concurrency", "9999"], "of which h100 holds 16"),
        (["cluster"], "name a stack"),
        (["serve", "llama-8b", "--shape", "dgx-h100", "--ep"], "--ep: the model has no experts, and vLLM refuses to"),
        ([*EXPERTS, "--tp", "8"], "--tp 8: each GPU's part of an expert is 1536 / 8 = 192 wide, and FP8 has a scale"),
        (
            [*EXPERTS, "--dp", "12", "--ep", "--nodes", "2"],
            "--dp 12: each of its nodes has 8, and that does not divide",
        ),
        (
            ["serve", "llama-8b", "--shape", "dgx-h100", "--nodes", "2", "--dp", "16"],
            "--dp 16: the model has no experts",
        ),
        (["serve", "llama-70b", "--shape", "p6e-gb200.36xlarge", "--nodes", "2", "--tp", "8"], "has 4 GPUs: use --pp"),
        (["serve", "llama-8b", "--shape", "p3.2xlarge", "--precision", "fp8"], "the GPU is of compute capability 7.0"),
        (["serve", "no-such.yaml", "--shape", "dgx-h100"], "MODEL no-such.yaml: No such file or directory"),
        (["train", "llama-8b", "--shape", "dgx-h100", "--precision", "nvfp4"], "has no such products"),
        (["train", "llama-8b", "--shape", "dgx-h100", "--pp", "64"], "pp 64: llama-3.1-8b has 32 layers"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_a_measured_rate_of_failures_takes_the_place_of_the_published_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--mtti", "7.9", "--write-gbs", "20", "--json"]) == 0
    figures = {figure["name"]: figure for figure in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["between failures"]["value"] == pytest.approx(7.9)
    assert figures["between failures"]["source"] == "--mtti"
    assert figures["one every"]["value"] == pytest.approx((2 * 987.728 / 20 * 7.9 * 3600) ** 0.5 / 60)


def test_leaf_switches_are_counted_where_somebody_must_buy_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "--stack", "eks-p5", "--json"]) == 0
    assert "leaf switches" not in capsys.readouterr().out
    assert main(["cluster", "--stack", "onprem-h100-ib", "--oversubscription", "2"]) == 0
    assert "2 down for each up" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("option", [["--mfu", "1.5"], ["--tp", "0"], ["--tokens", "nan"], ["--stall", "-1"]])
def test_a_number_out_of_its_range_is_a_wrong_command(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*TRAIN, *option])
    assert ended.value.code == 2
    assert option[0] in capsys.readouterr().err


FACTS = "billions: 70.6\nlayers: 80\nheads: 64\nkvHeads: 8\nhidden: 8192\nvocabulary: 128256\n"


def tokens(words: list[str], capsys: pytest.CaptureFixture[str]) -> float:
    assert main(["serve", *words, "--json"]) == 0
    return next(
        one["value"] for one in json.loads(capsys.readouterr().out)["figures"] if one["name"] == "tokens in the cache"
    )


def test_a_model_in_full_is_sized_like_one_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, where = tmp_path / "mine.yaml", ["--shape", "dgx-h100", "--tp", "4"]
    for text in (FACTS, "model:\n" + "".join(f"  {line}\n" for line in FACTS.splitlines())):
        file.write_text(text)
        assert tokens([str(file), *where], capsys) == pytest.approx(tokens(["llama-70b", *where], capsys), rel=0.01)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- 1\n", "no mapping; write the model's facts"),
        ("a: [\n", "no YAML"),
        ("billions: 70\n", "mine.yaml"),
        (FACTS + "kvHead: 8\n", "kvHead"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_a_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    assert main(["serve", str(file), "--shape", "dgx-h100"]) == 2
    assert said in capsys.readouterr().err


def test_copies_share_experts_and_hold_a_cache_each(capsys: pytest.CaptureFixture[str]) -> None:
    one = ["deepseek-r1", "--shape", "dgx-h200", "--precision", "fp8"]
    copies, tensor = tokens([*one, "--dp", "8", "--ep"], capsys), tokens([*one, "--tp", "8"], capsys)
    assert copies > 2 * tensor


def test_copies_over_nodes_leave_each_more_of_its_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    one = ["deepseek-r1", "--shape", "dgx-h200", "--nodes", "2", "--precision", "fp8", "--ep"]
    two, node = tokens([*one, "--dp", "16"], capsys), tokens([*one, "--dp", "8"], capsys)
    assert two > 2 * node


def test_fewer_sequences_in_a_step_leave_more_to_the_cache(capsys: pytest.CaptureFixture[str]) -> None:
    one = ["llama-8b", "--shape", "dgx-h100"]
    usual, fewer = tokens(one, capsys), tokens([*one, "--sequences", "512"], capsys)
    assert (fewer - usual) * 128 * 1024 == pytest.approx(9.7 * 4 * (1024 - 512) * 128_256, rel=0.02)
    assert tokens([*one, "--utilisation", "0.5"], capsys) < usual


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_the_catalogue_may_be_asked_for_by_name(name: str) -> None:
    asked = usage.stated(str(size.__file__), "size").parse_args(["serve", name, "--shape", "dgx-h100"])
    assert server(asked, 8).facts is MODELS[name]


# Tensor, pipeline and context parallelism, shape and nodes of NVIDIA's runs of a model of 126 layers, and of Llama 3's.
UNEVEN = [
    ("--tp 8 --pp 8 --cp 2 --precision fp8", "dgx-h100", "128"),
    ("--tp 8 --pp 16", "dgx-h100", "1024"),
    ("--tp 4 --pp 8 --cp 2 --precision fp8", "p6-b200.48xlarge", "16"),
    ("--tp 4 --pp 16 --precision nvfp4", "p6e-gb200.36xlarge", "64"),
]


@pytest.mark.parametrize(("cut", "shape", "nodes"), UNEVEN)
def test_405b_is_cut_into_as_many_stages_as_others_cut_it(
    cut: str, shape: str, nodes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "llama-405b", "--shape", shape, "--nodes", nodes, "--zero", "1", *cut.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures"]
