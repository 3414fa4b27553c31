"""The road from one version set to another and back, with an engine that remembers what it was told to deploy."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.charts import sets
from bedplate.plan.graph import Graph
from bedplate.releases import travel, upgrade
from bedplate.releases.road import road, versions
from bedplate.stacks.load import load_stack
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFiles
from bedplate.upgrades.upgrade import Upgrade
from tests.rooms import ROOT
from tests.stack_files import document as profile_document
from tests.stack_files import graph_of

STACK = "onprem-h100-roce"
OLD, NEW = sets.known()[-2:]
BEFORE, AFTER = sets.pins(OLD), sets.pins(NEW)
MOVED = ["network-operator", "gpu-operator"]
"""What differs between the two, in the order in which it is deployed."""
COMMENT = "# as it was deployed in autumn"


@dataclass
class Engine:
    """Deploys what the profile's file says at that moment, and looks at it."""

    files: StackFiles
    broken: Callable[[Mapping[str, str]], bool] = lambda _: False
    """What never gets ready."""
    sick: str = ""
    """A command that is red whatever is deployed."""
    asked: list[str] = field(default_factory=list[str])
    deployed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Versions of the two operators at each `up`."""

    def run(self, words: Sequence[str]) -> int:
        self.asked.append(words[0])
        if words[0] != "up":
            return int(words[0] == self.sick)
        here = versions(load_stack(STACK, self.files))
        self.deployed.append((here[MOVED[0]], here[MOVED[1]]))
        return int(self.broken(here))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StackFiles:
    """A project with the reference cluster, deployed with the older set."""
    text = (ROOT / "stacks" / f"Pulumi.{STACK}.yaml").read_text()
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text("name: bedplate\nruntime: python\nstackConfigDir: stacks\n")
    place = tmp_path / "stacks" / f"Pulumi.{STACK}.yaml"
    own = f'    name: {STACK}\n    verification: {{team: research, image: "nvcr.io/nvidia/pytorch:25.06-py3"}}\n    set: "{OLD}" {COMMENT}\n'
    place.write_text(text.replace(f"    name: {STACK}\n", own))
    monkeypatch.chdir(tmp_path)
    return StackFiles.here()


def go(engine: Engine, to: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(travel, "commands", lambda: engine.run)
    return upgrade.main([STACK, "--to", to, "--yes"])


def stands(files: StackFiles) -> dict[str, Any]:
    return {key: value for key, value in files.profile(STACK).items() if key in ("set", "upgrade")}


def at(network: str, gpu: str) -> tuple[str, str]:
    one = {"old": BEFORE, "new": AFTER}
    return one[network][MOVED[0]], one[gpu][MOVED[1]]


def test_a_road_has_a_stage_for_each_chart_that_differs_in_the_order_of_the_deployment(files: StackFiles) -> None:
    way = road(files, STACK, NEW)
    assert [(one.name, one.old, one.new) for one in way.stages] == [(each, BEFORE[each], AFTER[each]) for each in MOVED]
    assert way.verdict.label == "manual"
    assert way.first == "look"


def test_without_a_word_it_is_only_a_plan(files: StackFiles, capsys: pytest.CaptureFixture[str]) -> None:
    text = files.place(STACK).read_text()
    assert upgrade.main([STACK, "--to", NEW]) == 0
    said = capsys.readouterr().out
    assert f"2. gpu-operator {BEFORE['gpu-operator']} → {AFTER['gpu-operator']}: manual" in said
    assert "drains" in said
    assert f"bedplate upgrade {STACK} --to {NEW} --yes" in said
    assert max(map(len, said.splitlines())) <= 80
    assert files.place(STACK).read_text() == text


def test_the_plan_is_there_for_machines(files: StackFiles, capsys: pytest.CaptureFixture[str]) -> None:
    assert upgrade.main([STACK, "--to", NEW, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["from"], said["to"], [one["name"] for one in said["stages"]]) == ({"set": OLD}, NEW, MOVED)
    assert said["stages"][1]["known"]["steps"]


def test_a_road_is_gone_stage_by_stage_with_every_gate_after_each(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(files)
    assert go(engine, NEW, monkeypatch) == 0
    assert engine.deployed == [at("new", "old"), at("new", "new")]
    gates = ["verify", "doctor"]
    assert engine.asked == [*gates, "up", *gates, "up", *gates]
    assert stands(files) == {"set": NEW}
    assert f'set: "{NEW}" {COMMENT}' in files.place(STACK).read_text()


def test_a_cluster_that_is_not_well_is_left_alone(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, engine = files.place(STACK).read_text(), Engine(files, sick="doctor")
    assert go(engine, NEW, monkeypatch) == 1
    assert engine.deployed == []
    assert files.place(STACK).read_text() == text
    assert "nothing was changed" in capsys.readouterr().err


def test_a_stage_that_is_broken_stops_the_road_and_the_next_run_goes_on(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = Engine(files, broken=lambda here: here[MOVED[0]] == AFTER[MOVED[0]])
    assert go(engine, NEW, monkeypatch) == 1
    assert engine.deployed == [at("new", "old")]
    assert engine.asked[-1] == "up", "what is not deployed is not verified"
    assert stands(files) == {"set": OLD, "upgrade": {"to": NEW, "moved": MOVED[:1]}}
    assert f"back: `bedplate upgrade {STACK} --to {OLD}`" in capsys.readouterr().err
    assert go(engine, NEW, monkeypatch) == 1, "still broken: it is deployed and looked at again"
    assert engine.deployed == [at("new", "old")] * 2
    mended = Engine(files)
    assert go(mended, NEW, monkeypatch) == 0
    assert mended.deployed == [at("new", "old"), at("new", "new")]
    assert stands(files) == {"set": NEW}


@pytest.mark.parametrize("gate", ["verify", "doctor"])
def test_a_gate_that_is_red_after_a_stage_stops_as_well(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, gate: str
) -> None:
    engine = Engine(files)

    def run(words: Sequence[str]) -> int:
        return engine.run(words) or int(words[0] == gate and bool(engine.deployed))

    monkeypatch.setattr(travel, "commands", lambda: run)
    assert upgrade.main([STACK, "--to", NEW, "--yes"]) == 1
    assert engine.deployed == [at("new", "old")]
    assert engine.asked[-1] == gate


def test_the_last_stage_that_is_broken_is_looked_at_again_before_the_road_has_arrived(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert go(Engine(files, broken=lambda here: here[MOVED[1]] == AFTER[MOVED[1]]), NEW, monkeypatch) == 1
    mended = Engine(files)
    assert go(mended, NEW, monkeypatch) == 0
    assert mended.deployed == [at("new", "new")]


def test_from_the_middle_it_goes_back_without_a_look_at_what_is_broken(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert go(Engine(files, broken=lambda here: here[MOVED[1]] == AFTER[MOVED[1]]), NEW, monkeypatch) == 1
    engine = Engine(files)
    assert go(engine, OLD, monkeypatch) == 0
    assert engine.deployed == [at("new", "old"), at("old", "old")]
    assert engine.asked[0] == "up"
    assert stands(files) == {"set": OLD}


def test_a_way_back_that_is_broken_goes_on_too(files: StackFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    assert go(Engine(files, broken=lambda here: here[MOVED[1]] == AFTER[MOVED[1]]), NEW, monkeypatch) == 1
    assert go(Engine(files, broken=lambda here: here[MOVED[0]] == BEFORE[MOVED[0]]), OLD, monkeypatch) == 1
    assert stands(files) == {"set": OLD, "upgrade": {"to": NEW, "moved": []}}
    engine = Engine(files)
    assert go(engine, OLD, monkeypatch) == 0
    assert engine.deployed == [at("old", "old")]
    assert stands(files) == {"set": OLD}


def test_from_the_end_it_goes_back_over_the_same_records(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert go(Engine(files), NEW, monkeypatch) == 0
    capsys.readouterr()
    engine = Engine(files)
    assert go(engine, OLD, monkeypatch) == 0
    assert engine.deployed == [at("old", "new"), at("old", "old")]
    assert "and back: none lost" in capsys.readouterr().out
    assert stands(files) == {"set": OLD}


def test_who_is_interrupted_finds_the_place_again(files: StackFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(words: Sequence[str]) -> int:
        if words[0] == "up":
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(travel, "commands", lambda: run)
    with pytest.raises(KeyboardInterrupt):
        upgrade.main([STACK, "--to", NEW, "--yes"])
    engine = Engine(files)
    assert go(engine, NEW, monkeypatch) == 0
    assert engine.deployed == [at("new", "old"), at("new", "new")]


def test_what_the_profile_holds_itself_stays_and_is_named(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = files.place(STACK)
    stated = place.read_text().replace("    gpuOperator:\n", f"    gpuOperator:\n      version: {BEFORE[MOVED[1]]}\n")
    place.write_text(stated)
    engine = Engine(files)
    assert go(engine, NEW, monkeypatch) == 0
    assert engine.deployed == [at("new", "old")]
    assert "gpu-operator stays" in capsys.readouterr().out


@pytest.mark.parametrize("steps", ["none", "blocked"])
def test_a_way_that_nobody_knows_or_that_is_blocked_is_not_begun(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], steps: str
) -> None:
    from bedplate.upgrades.records import way as recorded

    ways = {"none": (), "blocked": recorded("kueue", "0.13.8", "0.14.8")}
    unknown = Upgrade("gpu-operator", "a", "b", ways[steps], None, None)
    monkeypatch.setattr("bedplate.releases.road.upgrade", lambda *_: unknown)
    engine = Engine(files)
    assert go(engine, NEW, monkeypatch) == 1
    assert engine.asked == []
    assert ("no record of this way" if steps == "none" else "blocked") in capsys.readouterr().out


def test_a_stage_that_breaks_a_rule_is_told_before_the_first(
    files: StackFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = files.place(STACK)
    overrides = "      overrides: {operator: {initContainer: {image: cuda}}}\n"
    place.write_text(place.read_text().replace("    gpuOperator:\n", f"    gpuOperator:\n{overrides}"))
    engine = Engine(files)
    assert go(engine, NEW, monkeypatch) == 2
    assert engine.asked == []
    assert "operator.initContainer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("to", "said"),
    [
        (OLD, f"--to {OLD}: {STACK} has that set"),
        ("2020.01", f"--to 2020.01: no version set of this Bedplate; use one of {', '.join(sets.known())}"),
    ],
)
def test_a_road_to_nowhere_is_refused(
    files: StackFiles, capsys: pytest.CaptureFixture[str], to: str, said: str
) -> None:
    assert upgrade.main([STACK, "--to", to]) == 2
    assert capsys.readouterr().err == f"{said}\n"


def test_who_names_no_set_is_told_to_write_the_one_that_is_deployed(
    files: StackFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    place = files.place(STACK)
    place.write_text(place.read_text().replace(f'    set: "{OLD}" {COMMENT}\n', ""))
    assert upgrade.main([STACK, "--to", NEW]) == 2
    assert "if an older one is deployed, write it first" in capsys.readouterr().err


def test_the_gates_of_a_profile_without_verification_are_the_others(files: StackFiles) -> None:
    profile = load_stack(STACK, files).model_copy(update={"verification": None})
    assert list(travel.gates(profile, STACK, deploys=True)) == [("up", STACK, "--yes"), ("doctor", STACK)]


def test_the_commands_are_those_of_bedplate(files: StackFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    told: list[tuple[str, list[str], str | None]] = []

    def stub(name: str) -> Callable[[list[str]], int]:
        def main(words: list[str]) -> int:
            told.append((name, words, os.environ.get("KUBECONFIG") and Path(os.environ["KUBECONFIG"]).read_text()))
            return 3

        return main

    for name, module in (("up", "engine.command"), ("doctor", "live.doctor"), ("verify", "verify.__main__")):
        monkeypatch.setattr(f"bedplate.{module}.main", stub(name))
    monkeypatch.setenv("KUBECONFIG_TEXT", "of CI")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    run = travel.commands()
    assert [run(words) for words in travel.gates(load_stack(STACK, files), STACK, deploys=True)] == [3, 3, 3]
    kubeconfig = "of CI\n"
    assert told == [
        ("up", ["up", STACK, "--yes"], kubeconfig),
        ("verify", [STACK, "--level", "quick"], kubeconfig),
        ("doctor", [STACK], kubeconfig),
    ]
    assert "KUBECONFIG" not in os.environ


def test_the_engine_is_reached_by_the_one_way_and_deploys_what_the_stage_says(
    files: StackFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pulumi's CLI is a script here that keeps the profile's file as it finds it at each `up`."""
    from bedplate.engine import tool

    cli = tmp_path / "pulumi"
    file = files.place(STACK)
    cli.write_text(
        f'#!/bin/sh\n[ "$1" = up ] && cat {file} >> {tmp_path}/seen && echo --- >> {tmp_path}/seen\nexit 0\n'
    )
    cli.chmod(0o755)
    monkeypatch.setattr(tool, "cli", lambda: str(cli))
    monkeypatch.setattr(tool, "policies", lambda *_: ())
    monkeypatch.setattr("bedplate.stacks.providers.guard", lambda *_: 0)
    monkeypatch.setattr("bedplate.engine.command.lacking", lambda *_, **__: ())
    monkeypatch.setattr("bedplate.live.doctor.main", lambda _: 0)
    monkeypatch.setattr("bedplate.verify.__main__.main", lambda _: 0)
    monkeypatch.setenv("PULUMI_BACKEND_URL", "file:///state")
    assert upgrade.main([STACK, "--to", NEW, "--yes"]) == 0
    *seen, _ = (tmp_path / "seen").read_text().split("---\n")
    moved = [yaml.safe_load(one)["config"][PROFILE_KEY]["upgrade"]["moved"] for one in seen]
    assert moved == [MOVED[:1], MOVED]


def test_what_the_last_stage_deployed_is_what_the_set_deploys() -> None:
    document = profile_document(STACK)
    on_the_way = {**document, "set": OLD, "upgrade": {"to": NEW, "moved": MOVED}}
    assert as_planned(graph_of(on_the_way)) == as_planned(graph_of({**document, "set": NEW}))
    assert as_planned(graph_of({**document, "set": NEW})) == as_planned(graph_of(document))


def as_planned(graph: Graph) -> list[tuple[str, Mapping[str, Any]]]:
    return [(node.urn, node.inputs) for node in graph.resources]
