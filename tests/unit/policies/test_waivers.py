"""Waivers: on the object, in the profile, in a file beside the manifests; and the baseline of an existing repository."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bedplate.components.waiver import Waiver
from bedplate.policies.command.cli import main
from bedplate.policies.facts import Facts
from bedplate.policies.judging import waivers as clock
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.charts import from_manifest
from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, put
from tests.unit.policies.test_cli import ADVISORY, CLEAN, MANDATORY, write

TODAY = date(2026, 11, 22)
KEY = "waive.bedplate.dev/NCCL-310"


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "today", lambda: TODAY)
    monkeypatch.setattr("bedplate.policies.judging.judge.today", lambda: TODAY)
    monkeypatch.setattr("bedplate.policies.judging.waiver_files.today", lambda: TODAY)


def without_memory(**annotations: str) -> Any:
    """A server that breaks NCCL-310, with annotations on it."""
    doc = put({"x": v.deployment()}, ("x", "spec", "template", "spec", "volumes"), [])
    return put(doc, ("x", "metadata", "annotations"), annotations)["x"]


def found(doc: Any, *listed: Waiver) -> Verdict:
    verdicts = judge([from_manifest(doc)], Facts(waivers=listed), complete=False)
    (verdict,) = [each for each in verdicts if each.rule == "NCCL-310"]
    return verdict


def test_without_a_waiver_the_rule_is_mandatory() -> None:
    assert found(without_memory()).severity == "mandatory"


@pytest.mark.parametrize("value", ["one GPU a replica, measured", "until 2026-11-22: one GPU a replica, measured"])
def test_an_annotation_with_a_reason_waives_and_the_report_shows_it(value: str) -> None:
    verdict = found(without_memory(**{KEY: value}))
    assert (verdict.severity, verdict.waiver) == ("waived", "one GPU a replica, measured")
    assert "Waived" in verdict.message
    assert verdict.as_json()["waiver"] == "one GPU a replica, measured"


def test_the_annotation_may_stand_on_the_pod_template() -> None:
    doc = put({"x": without_memory()}, ("x", "spec", "template", "metadata", "annotations"), {KEY: "measured"})["x"]
    assert found(doc).severity == "waived"


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("until 2026-11-21: measured", "Its waiver ended on 2026-11-21: measured."),
        ("", "Its waiver gives no reason."),
        ("  ", "Its waiver gives no reason."),
        ("until next year: measured", "Its waiver must be written `until 2027-01-31: reason`."),
        (
            "until 2026-11-31: measured",
            "ends on 2026-11-31, which is no day; must be written `until 2027-01-31: reason`.",
        ),
        ("until 2026-12-31:", "Its waiver must be written `until 2027-01-31: reason`."),
    ],
)
def test_a_waiver_that_has_ended_or_gives_no_reason_waives_nothing(value: str, word: str) -> None:
    verdict = found(without_memory(**{KEY: value}))
    assert verdict.severity == "mandatory"
    assert verdict.message.endswith(word)


def test_a_waiver_of_another_rule_waives_nothing() -> None:
    assert found(without_memory(**{"waive.bedplate.dev/NCCL-311": "measured"})).severity == "mandatory"


@pytest.mark.parametrize(
    ("resource", "severity"),
    [
        ("Deployment serve/vllm", "waived"),
        ("Deployment serve/*", "waived"),
        ("* serve/vllm", "waived"),
        ("Deployment serve/vll", "mandatory"),
        ("Deployment other/*", "mandatory"),
        ("Deployment serve.vllm", "mandatory"),
    ],
)
def test_the_profile_waives_by_the_name_that_reports_use(resource: str, severity: str) -> None:
    listed = Waiver(rule="NCCL-310", resource=resource, reason="measured")
    assert found(without_memory(), listed).severity == severity


def test_a_role_may_follow_the_name() -> None:
    assert Waiver(rule="NCCL-310", resource="PyTorchJob a/b", reason="x").covers("NCCL-310", "PyTorchJob a/b Worker")


def test_a_waiver_of_the_profile_ends_too() -> None:
    listed = Waiver(rule="NCCL-310", resource="*", reason="measured", until=TODAY - timedelta(days=1))
    assert found(without_memory(), listed).severity == "mandatory"


FILE = "waivers:\n- {rule: STO-701, resource: PersistentVolume fs, reason: the tutorial of the vendor}\n"


def test_a_file_beside_the_manifests_waives_for_its_folder_and_below(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one" / "deep").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    write(tmp_path / "one" / "deep", a=MANDATORY)
    (tmp_path / "one" / "bedplate-waivers.yaml").write_text(FILE)
    assert main(["check", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "waived STO-701 line 4" in out
    assert "0 mandatory, 0 advisory, 1 waived" in out
    assert "skipped" not in out
    write(tmp_path / "two", a=MANDATORY)
    assert main(["check", str(tmp_path)]) == 1
    assert main(["check", str(tmp_path), "--waivers", str(tmp_path / "one" / "bedplate-waivers.yaml")]) == 0
    assert main(["check", str(tmp_path / "one" / "deep" / "a.yaml")]) == 0


def test_a_file_named_on_the_command_line_finds_the_waivers_beside_it(tmp_path: Path) -> None:
    (tmp_path / "bedplate-waivers.yaml").write_text(FILE)
    assert main(["check", str(write(tmp_path, a=MANDATORY) / "a.yaml")]) == 0


def test_a_waiver_that_nothing_needs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bedplate-waivers.yaml").write_text(FILE)
    main(["check", str(write(tmp_path, a=CLEAN))])
    assert "waiver without a complaint: STO-701 PersistentVolume fs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("waivers:\n- {rule: STO-999, resource: x, reason: y}\n", "waivers[0].rule: STO-999: no rule has this name"),
        ("waivers:\n- {rule: STO-701, resource: x}\n", "waivers[0].reason: absent, and needed: add it"),
        (
            "waivers:\n- {rule: STO-701, resource: x, reason: ' '}\n",
            'waivers[0].reason = " ": write a text that is not empty',
        ),
        (
            "waivers:\n- {rule: STO-701, resource: x, reason: y, until: soon}\n",
            'waivers[0].until = "soon": write a day of the calendar',
        ),
        ("waiver: []\n", "waiver: there is no such key; known are waivers"),
        ("waivers: [\n", "line 2: "),
    ],
)
def test_a_wrong_waiver_file_is_one_clear_line(
    text: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bedplate-waivers.yaml").write_text(text)
    assert main(["check", str(write(tmp_path, a=MANDATORY))]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    place = "" if fault.startswith("line") else f"line {text.count('- {rule') + 1}: "
    assert f"bedplate-waivers.yaml: {place}{fault}" in line


def test_sarif_and_github_show_what_is_waived(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bedplate-waivers.yaml").write_text(FILE)
    write(tmp_path, a=MANDATORY)
    main(["check", str(tmp_path), "--format", "sarif"])
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "the tutorial of the vendor"}]
    assert result["level"] == "error"
    main(["check", str(tmp_path), "--format", "github"])
    assert capsys.readouterr().out.startswith("::notice ")


def test_a_baseline_lets_an_existing_repository_refuse_what_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = str(tmp_path / "baseline.json")
    (tmp_path / "jobs").mkdir()
    jobs = str(write(tmp_path / "jobs", a=MANDATORY, b=ADVISORY))
    assert main(["check", jobs, "--write-baseline", known]) == 0
    assert f"{known}: 2 complaints written" in capsys.readouterr().out
    assert main(["check", jobs, "--baseline", known]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "0 mandatory, 0 advisory"
    write(tmp_path / "jobs", c=MANDATORY.replace("fs", "new"), b=CLEAN)
    assert main(["check", jobs, "--baseline", known]) == 1
    out = capsys.readouterr().out
    assert "PersistentVolume new" in out
    assert "PersistentVolume fs" not in out
    assert f"known from {known}: 1, 1 of it gone: write it anew" in out


def test_a_second_complaint_of_the_same_rule_on_the_same_object_is_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = str(tmp_path / "baseline.json")
    (tmp_path / "jobs").mkdir()
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: a, image: 'a:1', env: [%s]}]}\n"
    one, two = (f"{{name: NCCL_{name}_LEVEL, value: '5'}}" for name in ("P2P", "NET_GDR"))
    only = [f"--level={rule}=disabled" for rule in ("NCCL-301", "GPU-102")]
    jobs = write(tmp_path / "jobs", a=pod % one)
    main(["check", str(jobs), *only, "--write-baseline", known])
    write(jobs, a=pod % f"{one}, {two}")
    capsys.readouterr()
    assert main(["check", str(jobs), *only, "--level=NCCL-303=mandatory", "--baseline", known]) == 1
    assert "1 mandatory, 0 advisory" in capsys.readouterr().out


def test_a_baseline_moves_with_its_repository(tmp_path: Path) -> None:
    (tmp_path / "here" / "jobs").mkdir(parents=True)
    write(tmp_path / "here" / "jobs", a=MANDATORY)
    main(["check", str(tmp_path / "here"), "--write-baseline", str(tmp_path / "here" / "known.json")])
    (tmp_path / "here").rename(tmp_path / "there")
    assert main(["check", str(tmp_path / "there"), "--baseline", str(tmp_path / "there" / "known.json")]) == 0


@pytest.mark.parametrize("text", [None, "[]", "{", '{"known": [{}]}'])
def test_a_file_that_is_no_baseline_is_one_clear_line(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known"
    if text is not None:
        known.write_text(text)
    assert main(["check", str(write(tmp_path, a=MANDATORY)), "--baseline", str(known)]) == 2
    assert capsys.readouterr().err.startswith(f"--baseline {known}: ")


def test_a_job_keeps_its_other_complaints() -> None:
    doc = put(
        {"x": without_memory(**{KEY: "measured"})}, ("x", "spec", "template", "spec", "containers", "0", "image"), GONE
    )
    severities = {each.rule: each.severity for each in judge([from_manifest(doc["x"])], Facts(), complete=False)}
    assert severities.pop("NCCL-310") == "waived"
    assert "waived" not in severities.values()
