"""`fleet.yaml`: who is in which wave, and every fault as one line with its place."""

import json
import subprocess
from pathlib import Path

import pytest

from bedplate.cli import main
from bedplate.fleet.reading import formation
from bedplate.fleet.schema import SCHEMA_FILE, fleet_schema
from bedplate.wrong import WrongError
from tests.unit.fleet.conftest import Write, cluster

FLEET = """\
    name: f
    clusters:
      - {path: clusters/a.yaml, labels: {tier: lab}}
      - {path: "clusters/[b-d].yaml"}
    waves:
      - {name: canary, labels: {tier: lab}}
      - {name: half, percent: 50}
      - {name: rest}
    """
FOUR = {name: cluster(name) for name in "abcd"}


def refusal(file: Path) -> list[str]:
    with pytest.raises(WrongError) as caught:
        formation(file)
    return str(caught.value).splitlines()


def test_each_cluster_is_in_the_first_wave_that_picks_it(write: Write) -> None:
    formed = formation(write(FLEET, **FOUR))
    picked = {wave.name: [one.name for one in members] for wave, members in formed.waves}
    assert picked == {"canary": ["a"], "half": ["b", "c"], "rest": ["d"]}


def test_a_folder_names_every_profile_in_it_and_no_base(write: Write) -> None:
    fleet = "name: f\nclusters: [{path: clusters}]\nwaves: [{name: all}]\n"
    assert [one.name for one in formation(write(fleet, **FOUR)).members] == ["a", "b", "c", "d"]


def test_clusters_of_another_repository_come_at_a_revision(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write("", e=cluster("e", nodes=3))
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@t"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["tag", "v1"]):
        subprocess.run([*git, *words], check=True)
    fleet = f"name: f\nclusters: [{{path: clusters/e.yaml, repository: {tmp_path}, revision: v1}}]\nwaves: [{{name: all}}]\n"
    file = write(fleet, e=cluster("e", nodes=6))
    (one,) = formation(file).members
    assert [pool.nodes for pool in one.profile.pools if pool.name == "l40s"] == [3]
    file.write_text(fleet.replace("v1", "v2"))
    assert "v2: cannot be had" in refusal(file)[0]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("percent: 50", "percent: 50, clusters: [a]", "fleet.yaml:7: waves[1] = half: a wave without clusters"),
        ("labels: {tier: lab}}\n      - {name: half", "clusters: [x]}\n      - {name: half", "fleet.yaml:6: waves[0].clusters[0] = x: no cluster"),
        ("      - {name: rest}\n", "", "fleet.yaml:5: waves = d: in no wave; add a last wave"),
        ("name: rest", "name: half", "fleet.yaml:8: waves[2].name = half: another wave has this name"),
        ("percent: 50", "percentage: 50", "fleet.yaml:7: waves[1].percentage = 50: unknown key; did you mean percent?"),
        ("clusters/a.yaml", "clusters/z.yaml", "fleet.yaml:3: clusters[0].path = clusters/z.yaml: there is no such file"),
        ("path: clusters/a.yaml", "path: clusters/a.yaml, revision: v1", "clusters[0].revision = v1: of no repository"),
        ("    name: f\n", "    name: f\n    budgets: {gpus: 8}\n", "fleet.yaml:2: budgets.gpus = 8: a alone has 16 GPUs"),
        ("    name: f\n", "    name: f\n    windows: [{opens: 9:00, closes: 17:00}]\n", "windows[0].closes = 1020: a number where text belongs"),
        ("    name: f\n", "    name: f\n    windows: [{opens: '09:00', closes: '17:00', zone: CEST}]\n", "windows[0].zone = CEST: no time zone"),
        ("    name: f\n", "    name: f\n    gates: [{kind: query, title: wait, promql: x}]\n", "nothing says which answer passes"),
        ("    name: f\n", "    name: f\n    gates: [{kind: smoke}]\n", "gates[0].kind = smoke: not a known kind"),
        ("    name: f\n", "    name: f\n    budgets:\n", "fleet.yaml:2: budgets = absent: it says nothing"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line_with_its_place(write: Write, before: str, after: str, line: str) -> None:
    assert before in FLEET
    lines = refusal(write(FLEET.replace(before, after), **FOUR))
    assert any(line in one for one in lines), lines
    assert all(one.startswith("fleet.yaml:") for one in lines)


def test_two_clusters_of_one_context_are_refused(write: Write) -> None:
    same = cluster("b").replace("context: b", "context: a")
    (line,) = refusal(write(FLEET, **{**FOUR, "b": same}))
    assert line.startswith("fleet.yaml:4: clusters[1].path = clusters/[b-d].yaml: b and a name the same context, a;")


def test_faults_of_all_profiles_are_told_at_once_each_with_its_own_file_and_line(write: Write) -> None:
    file = write(FLEET, **{**FOUR, "b": cluster("b", more="nodse: 3\n"), "c": "base: c.yaml\n"})
    lines = refusal(file)
    assert lines[0].startswith("clusters/b.yaml:6: nodse = 3: unknown key")
    assert lines[1].startswith("clusters/c.yaml:1: base = c.yaml: the bases go round in a circle")


def test_the_command_ends_with_2_and_one_line(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(FLEET.replace("percent: 50", "percent: 500"), **FOUR)
    assert main(["fleet", "plan", str(file)]) == 2
    assert capsys.readouterr().err.startswith("fleet.yaml:7: waves[1].percent = 500: ")


def test_the_schema_is_what_the_model_says() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == json.loads(json.dumps(fleet_schema())), "run `make schema`"
