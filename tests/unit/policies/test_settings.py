"""What a repository asks of every check, whose waivers count, and what other programs read."""

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from bedplate.policies.command.cli import main

BAD = """apiVersion: v1
kind: Pod
metadata: {name: train, namespace: research%s}
spec:
  containers:
    - {name: a, image: "registry.example/a:1", resources: {limits: {nvidia.com/gpu: 0.4}}}
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "pod.yaml").write_text(BAD % "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ("{}", 1),
        ("levels: {GPU-128: advisory}", 0),
        ("levels: {GPU-128: disabled}", 0),
        ("levels: {GPU-128: advisory}\nfailOn: advisory", 1),
        ("failOn: never", 0),
        ("waivers: [allowed.yaml]", 0),
        ("waivers: [allowed.yaml]\nwaiversBeside: false", 0),
        ("baseline: known.json", 0),
    ],
)
def test_the_settings_of_a_repository_hold_wherever_one_stands(
    repository: Path, monkeypatch: pytest.MonkeyPatch, settings: str, status: int
) -> None:
    waiver = "waivers: [{rule: GPU-128, resource: '*', reason: measured}]"
    (repository / "allowed.yaml").write_text(waiver)
    main(["check", "deploy", "--write-baseline", "known.json"])
    (repository / "bedplate-check.yaml").write_text(settings)
    assert main(["check", "deploy"]) == status
    monkeypatch.chdir(repository / "deploy")
    if "baseline" not in settings:  # a baseline knows its files by the folder that it stands in, too
        assert main(["check", "."]) == status
    assert main(["check", "pod.yaml"]) == status


def test_the_command_line_wins(repository: Path) -> None:
    (repository / "bedplate-check.yaml").write_text("failOn: never\nlevels: {GPU-128: disabled}\nfacts: facts.yaml")
    (repository / "facts.yaml").write_text("platform: nowhere")
    assert main(["check", "deploy"]) == 2
    (repository / "facts.yaml").write_text("platform: gke")
    assert main(["check", "deploy"]) == 0
    assert main(["check", "deploy", "--level", "GPU-128=mandatory", "--fail-on", "mandatory"]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exlude: [a]", "exlude: there is no such key; known are levels, exclude, facts"),
        ("levels: {GPU-999: advisory}", "levels.GPU-999: no rule has this name"),
        ("levels: {GPU-128: heavy}", "levels.GPU-128 = \"heavy\": write 'mandatory', 'advisory' or 'disabled'"),
        ("levels: {GPU-128: off}", "levels.GPU-128 = false: write 'mandatory', 'advisory' or 'disabled'"),
        ("failOn: errors", "failOn = \"errors\": write 'mandatory', 'advisory' or 'never'"),
        ("exclude: vendor/", 'exclude = "vendor/": write a list'),
        ("- a", "write keys and values, such as"),
        ("file: /", "write keys and values, such as"),
        ("a: [", "line 2: "),
        ("facts: a.yaml\nprofile: lab", "facts and profile both say what the cluster is"),
    ],
)
def test_wrong_settings_are_one_line_and_nothing_is_judged(
    repository: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (repository / "bedplate-check.yaml").write_text(text)
    assert main(["check", "deploy"]) == 2
    out = capsys.readouterr()
    assert said in out.err
    assert out.err.startswith("bedplate-check.yaml: ")
    assert (out.err.count("\n"), out.out) == (1, "")


def test_settings_of_another_repository_above_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bedplate-check.yaml").write_text("failOn: never")
    inner = tmp_path / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "pod.yaml").write_text(BAD % "")
    monkeypatch.chdir(inner)
    assert main(["check", "pod.yaml"]) == 1


def test_a_file_of_waivers_reaches_single_files_of_folders_below(repository: Path) -> None:
    (repository / "bedplate-waivers.yaml").write_text("waivers: [{rule: GPU-128, resource: '*', reason: measured}]")
    assert main(["check", "deploy/pod.yaml"]) == 0
    assert main(["check", "deploy"]) == 0


def test_waivers_that_a_pull_request_brings_can_be_forbidden(repository: Path) -> None:
    note = ', annotations: {waive.bedplate.dev/GPU-128: "measured"}'
    (repository / "deploy" / "pod.yaml").write_text(BAD % note)
    assert main(["check", "deploy"]) == 0
    assert main(["check", "deploy", "--no-waivers-beside"]) == 1
    (repository / "deploy" / "pod.yaml").write_text(BAD % "")
    (repository / "bedplate-waivers.yaml").write_text("waivers: [{rule: GPU-128, resource: '*', reason: measured}]")
    assert main(["check", "deploy", "--no-waivers-beside"]) == 1
    assert main(["check", "deploy", "--no-waivers-beside", "--waivers", "bedplate-waivers.yaml"]) == 0


def test_junit_has_a_case_for_each_verdict(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "deploy" / "broken.yaml").write_text("a: [")
    assert main(["check", "deploy", "--format", "junit"]) == 2
    top = fromstring(capsys.readouterr().out)  # noqa: S314 (our own)
    suites = {suite.get("name"): suite for suite in top}
    pod = suites["deploy/pod.yaml"]
    (failure,) = pod.findall("*/failure")
    assert "which is no multiple of 1" in str(failure.text)
    assert int(pod.get("failures", "")) == 1
    assert int(pod.get("tests", "")) == len(pod.findall("testcase"))
    assert suites["files"].get("errors") == "1"


def test_junit_of_a_clean_run_has_one_case_that_passes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "deploy" / "pod.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    assert main(["check", "deploy", "--format", "junit"]) == 0
    (suite,) = fromstring(capsys.readouterr().out)  # noqa: S314 (our own)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")


def test_json_has_what_why_and_fix_apart(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "deploy", "--format", "json"])
    before = {each["rule"]: each for each in json.loads(capsys.readouterr().out)["verdicts"]}
    found = before["GPU-128"]
    assert found["what"] == "container a: nvidia.com/gpu is 0.4, which is no multiple of 1"
    assert found["message"] == f"Pod research/train: {found['what']}. {found['why']}. {found['fix']}."
    (repository / "deploy" / "pod.yaml").write_text("\n\n" + BAD % "")
    main(["check", "deploy", "--format", "json"])
    after = {each["rule"]: each for each in json.loads(capsys.readouterr().out)["verdicts"]}
    assert after["GPU-128"]["fingerprint"] == found["fingerprint"]
    assert after["GPU-128"]["line"] == found["line"] + 2


def test_a_machine_can_list_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--json"]) == 0
    rules = {each["id"]: each for each in json.loads(capsys.readouterr().out)["rules"]}
    assert rules["GPU-128"]["severity"] == "mandatory"
    assert rules["OBJ-901"]["sometimes"] == "advisory"
