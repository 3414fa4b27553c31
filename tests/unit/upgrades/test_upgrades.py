"""What is known of the way from one release to another, and what must be said of it."""

import json

import pytest

from components.chart import Chart
from stacks.profile.charts import component, helm_sections
from tests.stack_files import STACKS, document, profile
from upgrades import __main__ as command
from upgrades.fields import fields, keys, touched
from upgrades.records import TRANSITIONS, Transition, Verdict, verdict, way
from upgrades.show import SHOWN


def charts() -> dict[str, Chart]:
    """Every chart that a stack of ours installs."""
    sections = [section for stack in STACKS for _, section in helm_sections(profile(stack))]
    return {chart.name: chart for section in sections if (chart := component(type(section)).CHART)}


@pytest.mark.parametrize("chart", [chart for chart in charts().values() if chart.older], ids=lambda chart: chart.name)
def test_a_pin_does_not_change_without_a_record_of_the_way_to_it(chart: Chart) -> None:
    recorded = {step.old for step in TRANSITIONS if step.chart == chart.name}
    for old in chart.older:
        if old in recorded:
            assert way(chart.name, old, chart.version), f"{chart.name} {old}: no way to the pin {chart.version}"
    assert {step.new for step in TRANSITIONS if step.chart == chart.name} >= {chart.version}


@pytest.mark.parametrize("step", TRANSITIONS, ids=lambda step: f"{step.chart} {step.old}")
def test_a_record_says_who_says_so_and_only_a_drill_makes_it_safe(step: Transition) -> None:
    assert step.sources
    assert step.steps
    assert step.verdict != Verdict.SAFE or any(source.startswith("tests/") for source in step.sources)
    assert step.chart in charts()


def test_the_gpu_operators_way_over_five_releases_names_its_keys_and_fields() -> None:
    found = command.upgrade("gpu-operator", "v24.9.2", "v26.7.0")
    assert found.verdict == Verdict.MANUAL
    assert len(found.steps) == 4
    assert found.keys is not None
    assert "driver.useOpenKernelModules" in found.keys.gone
    assert "driver.kernelModuleType" in found.keys.come
    assert found.fields is not None
    assert "ClusterPolicy.driver.kernelModuleType" in found.fields.come


def test_the_network_operators_way_names_what_its_custom_resource_lost() -> None:
    found = fields("network-operator", "24.7.0", "26.4.1")
    assert found is not None
    assert "NicClusterPolicy.secondaryNetwork.ipamPlugin" in found.gone
    compared = keys("network-operator", "24.7.0", "26.4.1")
    assert compared is not None
    assert "deployCR" in compared.gone


def test_a_way_that_nobody_recorded_is_unknown_and_no_way_is_not_safe() -> None:
    assert verdict(way("kueue", "0.1.0", "0.19.2")) == Verdict.UNKNOWN
    assert verdict(way("gpu-operator", "v26.7.0", "v24.9.2")) == Verdict.UNKNOWN, "back is another way"
    assert fields("kueue", "0.1.0", "0.19.2") is None
    assert keys("gpu-operator", "v0.0.1", "v26.7.0") is None


def test_a_key_that_a_profile_sets_and_nothing_reads_is_named() -> None:
    overrides = {"driver": {"useOpenKernelModules": True, "version": "x"}, "operator": {"defaultRuntime": "crio"}}
    assert list(touched(overrides, ("driver.useOpenKernelModules", "driver.other", "operator.x.y"))) == [
        "driver.useOpenKernelModules"
    ]
    found = command.upgrade("gpu-operator", "v24.9.2", "v25.3.4", overrides)
    assert found.dead == ("driver.useOpenKernelModules", "operator.defaultRuntime")


def test_people_see_steps_and_sources_within_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "gpu-operator", "--from", "v26.3.3", "--to", "v26.7.0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("gpu-operator v26.3.3 → v26.7.0: manual\n")
    assert "1. pin driver.version" in out
    assert "source: NVIDIA/cloud-native-docs" in out
    assert max(map(len, out.splitlines())) <= 80


def test_machines_get_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "gpu-operator", "--from", "v24.9.2", "--to", "v26.7.0", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "manual"
    assert len(found["keys"]["come"]) > SHOWN


def test_an_unknown_way_is_said_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "kueue", "--from", "0.1.0", "--to", "0.19.2"]) == 1
    assert "no record of this way" in capsys.readouterr().out


def test_a_stack_at_its_pins_has_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--stack", "lab"]) == 0
    assert "Every chart is at this release's pin." in capsys.readouterr().out


def test_a_stack_that_holds_a_chart_back_gets_its_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held = document("onprem-h100-roce")
    held["gpuOperator"] = {"version": "v26.3.3"}
    monkeypatch.setattr("stacks.profile.stack_file.StackFiles.profile", lambda *_: held)
    assert command.main(["--stack", "onprem-h100-roce"]) == 0
    assert capsys.readouterr().out.startswith("gpu-operator v26.3.3 → v26.7.0: manual")


@pytest.mark.parametrize(
    "words", [[], ["--chart", "x"], ["--stack", "lab", "--chart", "x", "--from", "1", "--to", "2"]]
)
def test_half_a_question_is_a_wrong_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(words) == 2
    assert "name a stack" in capsys.readouterr().err


def test_a_stack_that_is_not_there_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--stack", "nosuch"]) == 2
    assert "there is no stacks/Pulumi.nosuch.yaml" in capsys.readouterr().err
