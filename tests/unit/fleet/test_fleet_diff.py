"""`bedplate fleet plan` and `diff`: every cluster in one table, the worst first."""

import json
import subprocess
from pathlib import Path

import pytest

from bedplate.cli import main
from tests.unit.fleet.conftest import Write, cluster

FLEET = "name: f\nclusters: [{path: clusters}]\nwaves: [{name: canary, clusters: [a]}, {name: rest}]\n"


@pytest.fixture
def changed(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three clusters as committed; then a driver for b, a team's label more for c, and d is new."""
    file = write(FLEET, **{name: cluster(name) for name in "abc"})
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@t"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    driver = "gpuOperator: {driverVersion: 580.95.05}\n"
    write(FLEET, b=cluster("b", more=driver), c=cluster("c", nodes=3), d=cluster("d"))
    return file


def test_the_danger_table_has_the_worst_first_with_the_gpus_at_risk(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "diff", "HEAD", "--file", str(changed), "--format", "json"]) == 0
    found = {one["cluster"]: one for one in json.loads(capsys.readouterr().out)["clusters"]}
    assert next(iter(found)) == "b"
    assert (found["b"]["danger"], found["b"]["gpusAtRisk"], found["b"]["gpus"]) == (
        "reloads drivers or network",
        16,
        16,
    )
    assert (found["a"]["summary"], found["d"]["summary"]) == ("no change", "joins the fleet")
    assert (found["a"]["wave"], found["c"]["wave"]) == ("canary", "rest")


def test_a_pull_request_shows_what_changes_and_fails_for_what_nobody_acknowledged(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    level = ["--fail-on", "reloads-drivers-or-network"]
    assert main(["fleet", "diff", "HEAD", "--file", str(changed), "--format", "markdown", *level]) == 1
    said = capsys.readouterr()
    assert "| b | rest | reloads drivers or network | 16 of 16 |" in said.out
    assert "| a |" not in said.out
    assert "<details><summary>b: " in said.out
    assert "not acknowledged: b: update Release gpu-operator: reloads drivers or network" in said.err


def test_plans_in_a_folder_are_what_a_later_diff_is_held_against(
    changed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "plan", str(changed), "--out", str(tmp_path / "plans"), "--json"]) == 0
    (tmp_path / "clusters" / "d.yaml").unlink()
    capsys.readouterr()
    assert main(["fleet", "diff", str(tmp_path / "plans"), "--file", str(changed), "--format", "json"]) == 0
    found = {one["cluster"]: one["summary"] for one in json.loads(capsys.readouterr().out)["clusters"]}
    assert found == {"a": "no change", "b": "no change", "c": "no change", "d": "leaves the fleet, and stays as it is"}
