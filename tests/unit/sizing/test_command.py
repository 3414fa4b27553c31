"""`python -m bedplate.sizing`, as people and machines call it."""

import json

import pytest

from bedplate.sizing.__main__ import main

TRAIN = ["train", "llama-70b", "--stack", "onprem-h100-roce", "--tp", "8", "--zero", "1"]
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
    figures = json.loads(capsys.readouterr().out)
    assert {"topic", "name", "value", "unit", "arithmetic", "source"} == set(figures[0])
    assert all(figure["arithmetic"] and figure["source"] for figure in figures)


def test_a_servers_cache_is_that_of_the_fit_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SERVE, "--json", "--concurrency", "200", "--read-gbs", "0.1"]) == 0
    figures = {figure["name"]: figure["value"] for figure in json.loads(capsys.readouterr().out)}
    assert figures["longest sequences at once"] == 55
    assert figures["needed"] == 4
    assert figures["to the first answer"] == int(1.5 * (141.104 / 0.1 + 180))


def test_a_model_that_is_shorter_than_usual_is_asked_for_its_own_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "phi-3-mini-4k", "--shape", "dgx-h100", "--json"]) == 0
    figures = {figure["name"]: figure["arithmetic"] for figure in json.loads(capsys.readouterr().out)}
    assert figures["longest sequences at once"].endswith(" / 4096")


def test_a_stacks_addresses_ports_and_quotas_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "--stack", "onprem-h100-roce", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"leaf switches": 1, "interfaces": 64, "addresses": 512}.items() <= {
        figure["name"]: figure["value"] for figure in figures
    }.items()
    quotas = {figure["unit"]: figure["value"] for figure in figures if figure["name"] == "quota"}
    assert quotas["nvidia.com/gpu"] == 64


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "lama-70b", "--shape", "dgx-h100"], "MODEL lama-70b: unknown; did you mean llama-70b?"),
        (["serve", "zzz", "--shape", "dgx-h100"], "MODEL zzz: unknown; known: "),
        (["train", "llama-70b", "--shape", "dgx-h10"], "--shape dgx-h10: unknown; did you mean dgx-h100?"),
        (["train", "llama-70b"], "where: name either a stack"),
        (["train", "llama-70b", "--stack", "nosuch"], "known stacks: "),
        (["train", "llama-70b", "--stack", "inference-l40s"], "several pools have GPUs; name one of "),
        (["train", "llama-70b", "--stack", "lab", "--pool", "nosuch"], "--pool nosuch: unknown; name one of "),
        (["train", "llama-70b", "--shape", "dgx-h100"], "the states of llama-3.1-70b alone need 19 such GPUs"),
        (["serve", "llama-70b", "--shape", "dgx-h100"], "weights 141 GB a GPU × 1.1 while they load = 155 GB, of 76.5"),
        (["serve", "llama-70b", "--shape", "dgx-h100", "--tp", "2"], "while they load = 77.6 GB, of 76.5 usable"),
        ([*SERVE, "--longest", "999999"], "workspace 4 = 129 GB a GPU, of 76.5 usable"),
        ([*SERVE, "--longest", "131073"], "llama-3.1-70b was made for 131072 tokens"),
        (["serve", "phi-4", "--shape", "dgx-h100", "--tp", "4"], "10 KV heads neither divide by tp 4 nor divide it"),
        (["serve", "llama-70b", "--shape", "dgx-h100", "--tp", "16"], "leaves NVLink"),
        ([*SERVE, "--concurrency", "9999"], "of which h100 holds 16"),
        (["cluster"], "name a stack"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_a_measured_rate_of_failures_takes_the_place_of_the_published_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--mtti", "7.9", "--write-gbs", "20", "--json"]) == 0
    figures = {figure["name"]: figure for figure in json.loads(capsys.readouterr().out)}
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
