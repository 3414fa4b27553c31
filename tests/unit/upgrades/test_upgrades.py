"""What is known of the way from one release to another, and what must be said of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.components.chart_keys import chart_name
from bedplate.releases import upgrade as command
from bedplate.stacks.profile.charts import chart, helm_sections
from bedplate.upgrades.fields import Difference, fields, keys, touched
from bedplate.upgrades.records import Transition, Verdict, every, verdict, way
from bedplate.upgrades.show import SHOWN, show
from bedplate.upgrades.upgrade import Upgrade
from tests.stack_files import document, profile
from tests.tools.pages import upgrades as page


@pytest.mark.parametrize("step", every(), ids=lambda step: f"{step.chart} {step.old}")
def test_a_record_says_who_says_so_and_what_to_do(step: Transition) -> None:
    assert step.sources
    assert step.steps


def test_the_gpu_operators_way_over_five_releases_names_its_keys_and_fields() -> None:
    found = command.upgrade("gpu-operator", "v24.9.2", "v26.7.0")
    assert found.verdict == Verdict.MANUAL
    assert len(found.steps) == 4
    assert found.keys is not None
    assert "driver.useOpenKernelModules" in found.keys.gone
    assert "driver.kernelModuleType" in found.keys.come
    assert found.fields is not None
    assert "ClusterPolicy.driver.kernelModuleType" in found.fields.come


def test_a_key_that_both_releases_honour_neither_goes_nor_comes_however_deep_its_defaults_are() -> None:
    found = keys("gpu-operator", "v24.9.2", "v26.7.0")
    assert found is not None
    assert {"cdi.default", "operator.initContainer.image", "driver.nvidiaDriverCRD.nodeSelector"} <= set(found.gone)
    still = ("operator.nodeSelector", "kataManager.config", "annotations.openshift")
    assert not [key for key in (*found.gone, *found.come) if key.startswith(still)]
    overrides = {"operator": {"nodeSelector": {"kubernetes.io/os": "linux"}}}
    assert command.upgrade("gpu-operator", "v26.3.3", "v26.7.0", overrides).dead == ()


def test_the_network_operators_way_names_what_its_custom_resource_lost() -> None:
    found = fields("network-operator", "24.7.0", "26.4.1")
    assert found is not None
    assert "NicClusterPolicy.secondaryNetwork.ipamPlugin" in found.gone
    compared = keys("network-operator", "24.7.0", "26.4.1")
    assert compared is not None
    assert "deployCR" in compared.gone
    found = command.upgrade("network-operator", "24.7.0", "26.4.1")
    assert [step.new for step in found.steps] == [
        "24.10.0",
        "25.1.0",
        "25.4.0",
        "25.7.0",
        "25.10.0",
        "26.1.2",
        "26.4.1",
    ]
    assert found.fields is not None
    assert "SriovNetwork.vlan: maximum 4094" in found.fields.narrower


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


def test_people_see_whom_a_step_disturbs_and_nothing_where_it_disturbs_nobody(
    capsys: pytest.CaptureFixture[str],
) -> None:
    step = Transition("kueue", "0.1.0", "0.2.0", Verdict.MANUAL, "every node", ("do",), ("somebody",))
    quiet = replace(step, old="0.2.0", new="0.3.0", drains="")
    show([Upgrade("kueue", "0.1.0", "0.3.0", (step, quiet), None, None)])
    out = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "0.1.0 → 0.2.0: manual; drains every node" in out
    assert "0.2.0 → 0.3.0: manual" in out


@pytest.mark.parametrize(("number", "more"), [(SHOWN, ""), (SHOWN + 1, " and 1 more (--json)")])
def test_people_see_the_first_fields_and_how_many_there_are_besides(
    capsys: pytest.CaptureFixture[str], number: int, more: str
) -> None:
    gone = Difference(gone=tuple(f"A.f{index}" for index in range(number)))
    show([Upgrade("kueue", "0.1.0", "0.2.0", (), gone, None)])
    out = " ".join(capsys.readouterr().out.split())
    assert f"fields of custom resources, gone: A.f0, {', '.join(gone.gone[1:SHOWN])}{more} keys of values" in out


def test_machines_get_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "gpu-operator", "--from", "v24.9.2", "--to", "v26.7.0", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["upgrades"]
    assert found["verdict"] == "manual"
    assert len(found["keys"]["come"]) > SHOWN
    known = Difference(gone=("A.b",), narrower=("A.c",))
    assert Upgrade("a", "1", "2", (), known, None).as_json()["fields"] == {
        "gone": ("A.b",),
        "come": (),
        "narrower": ("A.c",),
    }
    assert Upgrade("a", "1", "2", (), None, None).as_json()["fields"] is None


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
    monkeypatch.setattr("bedplate.stacks.profile.stack_file.StackFiles.profile", lambda *_: held)
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


def test_a_patch_release_is_taken_for_the_one_of_its_line_and_is_no_longer_safe() -> None:
    found = command.upgrade("jobset", "0.10.0", "0.11.1")
    assert found.taken == ("0.10.0 is taken for 0.10.1, which was tried",)
    assert [step.verdict for step in found.steps] == [Verdict.SAFE]
    assert found.verdict == Verdict.MANUAL
    assert command.upgrade("jobset", "0.10.1", "0.11.1").verdict == Verdict.SAFE


def test_people_see_what_became_of_the_objects(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "kubeflow-trainer", "--from", "2.1.0", "--to", "2.2.1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "tried with 50 objects (ClusterTrainingRuntime, TrainJob, TrainingRuntime): dropped" in out
    assert "TrainJob.podTemplateOverrides" in out
    assert "refused from now on: ClusterTrainingRuntime.mlPolicy" in out


def test_people_see_what_is_stored_anew_and_how_to_finish_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "kueue", "--from", "0.15.8", "--to", "0.16.9"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "stored in v1beta2 from now on, in v1beta1 before: admissionchecks, clusterqueues," in out
    assert "status.storedVersions" in out
    assert "dropped AdmissionCheck.retryDelayMinutes" in out


def test_a_way_that_the_api_server_bars_fails_and_says_what_to_do_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--chart", "kueue", "--from", "0.13.8", "--to", "0.14.8"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "the API server refuses topologies.kueue.x-k8s.io" in out
    assert "1. save what there is" in out


def plan_of(folder: Path, **versions: str) -> Path:
    """An earlier plan of the lab's stack, with other releases."""
    sections = [chart(section) for _, section in helm_sections(profile("lab"))]
    releases = [{"chart": one.name, "version": versions.get(one.name, one.version)} for one in sections]
    folder.joinpath("releases.json").write_text(json.dumps(releases))
    return folder


def test_a_stack_gets_the_way_of_every_chart_since_an_earlier_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = plan_of(tmp_path, kueue="0.18.6", jobset="0.11.1")
    assert command.main(["--stack", "lab", "--from", str(earlier), "--json"]) == 0
    found = {one["chart"]: one for one in json.loads(capsys.readouterr().out)["upgrades"]}
    assert found.keys() == {"kueue", "jobset"}
    assert found["kueue"]["drains"]
    assert found["jobset"]["tried"][0]["objects"] == {"JobSet": 50}
    assert command.main(["--stack", "lab", "--from", str(plan_of(tmp_path))]) == 0
    assert "Every chart is at this release's pin." in capsys.readouterr().out


def test_a_folder_without_a_plan_is_a_wrong_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--stack", "lab", "--from", str(tmp_path)]) == 2
    assert "no plan there (bedplate plan --out DIR)" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["jobset", "oci://registry.k8s.io/jobset/charts/jobset", "/mirror/jobset-0.12.0.tgz", "oci://own/jobset"]
)
def test_a_chart_is_known_wherever_a_plan_takes_it_from(name: str) -> None:
    assert chart_name(name) == "jobset"


def test_the_page_has_a_row_for_every_record() -> None:
    text = page.PAGE.read_text()
    assert page.written(text) == text, "run `make schema`"
    assert text.count("\n| ") > len(every())
