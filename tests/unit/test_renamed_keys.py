"""A renamed key works for a minor version with a warning, is refused after that, and is written anew by one command."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate import __version__
from bedplate.cli import main
from bedplate.stacks.load import load
from bedplate.stacks.profile import renamed
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.renamed import RENAMED, Renaming
from bedplate.stacks.profile.validation import paths
from tests.rooms import ROOT

COUNT = Renaming("pools[].count", "nodes", "0.2")
GPU = Renaming("gpu", "gpuOperator", "0.2")
OVER = Renaming("pools[].count", "nodes", "0.2", refused=True)
BARE = (ROOT / "tests" / "profiles" / "l40s-lab.yaml").read_text()


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A profile as it was written before two keys were renamed, in a folder of its own."""
    monkeypatch.setattr(renamed, "RENAMED", (COUNT, GPU))
    monkeypatch.chdir(tmp_path)
    text = BARE.replace("nodes: ", "count: ").replace("gpuOperator: ", '"gpu": ').replace("gpuOperator:", '"gpu":')
    (tmp_path / "prod.yaml").write_text(f"# ours\n{text}")
    assert "count: " in text
    assert '"gpu":' in text
    return tmp_path / "prod.yaml"


def minor(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


def test_an_old_name_means_the_same_profile(old: Path) -> None:
    assert load(yaml.safe_load(old.read_text())) == load(yaml.safe_load(BARE))


def test_the_plan_warns_with_file_line_value_and_the_new_name(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--profile", "prod.yaml", "--format", "json"]) == 0
    out = yaml.safe_load(capsys.readouterr().out)
    number = 1 + next(index for index, line in enumerate(old.read_text().splitlines()) if "count: " in line)
    first = out["warnings"][0]
    assert first.startswith(f"prod.yaml:{number}: pools[0].count = ")
    assert first.endswith(": since 0.2 it is called nodes; write nodes, or `bedplate migrate` it")


def test_after_its_minor_version_it_is_refused_with_the_same_words(
    old: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renamed, "RENAMED", (OVER, GPU))
    assert main(["plan", "--profile", "prod.yaml"]) == 2
    first = capsys.readouterr().err.splitlines()[0]
    assert ": pools[0].count = " in first
    assert first.endswith(": since 0.2 it is called nodes; write nodes, or `bedplate migrate` it")


@pytest.mark.parametrize("row", [COUNT, OVER], ids=["warned", "refused"])
def test_migrate_rewrites_the_names_and_nothing_else(
    old: Path, row: Renaming, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renamed, "RENAMED", (row, GPU))
    before = old.read_text()
    assert main(["migrate", "--check", "prod.yaml"]) == 1
    assert old.read_text() == before
    assert main(["migrate", "prod.yaml"]) == 0
    assert old.read_text() == before.replace("count: ", "nodes: ").replace('"gpu":', "gpuOperator:")
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith(": count is nodes now")
    assert [line for line in said if not line.startswith("prod.yaml:")] == []
    assert main(["migrate", "prod.yaml"]) == 0
    assert capsys.readouterr().out == "prod.yaml: every key has its name of today\n"


def test_a_stack_file_with_other_keys_around_umlauts_and_dos_lines_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renamed, "RENAMED", (COUNT,))
    text = "# für uns \u2603\nconfig:\n  count: 1 # not ours\n  bedplate:profile:\n    pools:\n      - {name: a, 'count': 3} # drei\n"
    file = tmp_path / "Pulumi.prod.yaml"
    file.write_bytes(text.replace("\n", "\r\n").encode())
    assert main(["migrate", str(file)]) == 0
    assert file.read_bytes().decode() == text.replace("'count'", "nodes").replace("\n", "\r\n")


def test_old_and_new_side_by_side_are_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(renamed, "RENAMED", (COUNT,))
    file = tmp_path / "prod.yaml"
    file.write_text("pools:\n  - name: a\n    count: 3\n    nodes: 4\n")
    assert main(["migrate", str(file)]) == 2
    assert capsys.readouterr().err == f"{file}:3: pools[0].count = 3: nodes stands beside it; keep that one\n"
    assert "count: 3" in file.read_text()


def test_a_key_that_an_anchor_shares_is_left_to_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(renamed, "RENAMED", (COUNT,))
    file = tmp_path / "prod.yaml"
    file.write_text(text := "x: &a {count: 3}\npools:\n  - {<<: *a, name: a}\n")
    assert main(["migrate", str(file)]) == 2
    assert "an old key comes from an anchor that others share; rename it by hand" in capsys.readouterr().err
    assert file.read_text() == text


def test_a_file_that_holds_no_profile_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.yaml").write_text("- a\n")
    (tmp_path / "Pulumi.x.yaml").write_text("config: {other: 1}\n")
    for name in ("list.yaml", "Pulumi.x.yaml", "none.yaml"):
        assert main(["migrate", str(tmp_path / name)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(str(tmp_path / name))
        assert said.count("\n") == 1


def unsaid(table: tuple[Renaming, ...], notes: str) -> list[str]:
    """Old names that the release notes do not show with their new ones."""
    return [
        one.old
        for one in table
        if not any(f"`{one.old}`" in line and f"`{one.new}`" in line for line in notes.splitlines())
    ]


def test_the_release_notes_name_every_renamed_key() -> None:
    assert unsaid(RENAMED, (ROOT / "CHANGELOG.md").read_text()) == []
    assert unsaid((COUNT, GPU), "* `pools[].count` is called `nodes`.\n") == ["gpu"]


def faults(table: tuple[Renaming, ...], version: str) -> list[str]:
    """Rows that the models or the version contradict."""
    known: dict[str, Any] = paths(Profile)
    spelt = {place for places in known.values() for place in places}
    new = [one.old for one in table if f"{one.old.rpartition('.')[0]}.{one.new}".removeprefix(".") not in spelt]
    still = [one.old for one in table if one.old in spelt]
    over = [one.old for one in table if one.refused != (minor(one.since) < minor(version))]
    return [*new, *still, *over]


def test_every_row_names_a_key_that_is_there_and_ends_with_its_minor_version() -> None:
    assert faults(RENAMED, __version__) == []
    assert faults((COUNT, GPU), "0.2.3") == []
    assert faults((COUNT,), "0.3.0") == [COUNT.old]
    assert faults((OVER,), "0.2.0") == [OVER.old]
    assert faults((Renaming("pools[].shape", "machine", "0.2"),), "0.2.0") == ["pools[].shape", "pools[].shape"]


def test_a_refusal_names_every_old_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renamed, "RENAMED", (OVER,))
    document = yaml.safe_load(BARE.replace("nodes: ", "count: "))
    with pytest.raises(ProfileError) as wrong:
        load(document)
    assert len(wrong.value.problems) == len(document["pools"])
