"""`bedplate plan`: what it prints, where, and with which exit status."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.folders import PROJECT
from bedplate.plan.__main__ import main

TOY = Path(__file__).parent / "toy"


def plan(*arguments: str, project: Path = TOY) -> int:
    return main([*arguments, "--project", str(project)])


def project_with(folder: Path, program: str) -> Path:
    shutil.copytree(TOY, folder / "project")
    (folder / "project" / "__main__.py").write_text(program)
    return folder / "project"


def test_the_tree_fits_80_columns_and_shows_order_gates_and_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("dev") == 0

    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    assert "second Operator  after first" in out
    assert "Release first  operator 1.2.3" in out
    assert "gate first-ready  jsonpath={.status.state}=ready within 30m" in out
    assert "To set before `bedplate up`: toy:token, by `bedplate pulumi config ENV set" in " ".join(out.split())
    assert "does not know what is deployed" in out


def test_json_holds_the_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("prod", "--json") == 0

    brief = json.loads(capsys.readouterr().out)
    assert brief["stack"] == "prod"
    assert set(brief["resources"][0]) == {"urn", "type", "name", "parent", "dependencies", "provider", "inputs"}
    assert brief["releases"][0] == {
        "name": "first",
        "chart": "operator",
        "version": "1.2.3",
        "repo": "https://charts.example.org",
        "namespace": "first",
    }
    assert brief["gates"][0] == {
        "name": "first-ready",
        "kind": "Policy",
        "waitFor": "jsonpath={.status.state}=ready",
        "timeout": "30m",
    }
    assert brief["kustomize"] == [{"name": "trainer", "source": "https://example.org/trainer?ref=v1"}]
    assert brief["counts"]["Release"] == 2
    assert brief["secrets"] == []


def test_an_unknown_stack_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("nowhere") == 2
    expected = "nowhere: there is no stacks/Pulumi.nowhere.yaml; known stacks: dev, prod\n"
    assert capsys.readouterr().err == expected


def test_without_a_stack_the_known_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert plan() == 2
    assert (
        capsys.readouterr().err
        == "name a stack, or a file that holds a profile: bedplate plan ENV; known stacks: dev, prod\n"
    )


@pytest.mark.parametrize("words", [(), ("--profile",)])
def test_a_file_stands_where_a_stack_does(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, str(PROJECT / "tests" / "profiles" / "l40s-lab.yaml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stack"] == "l40s-lab"


def test_a_written_plan_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("dev", "--out", str(tmp_path / "out")) == 0
    assert capsys.readouterr().out.endswith(f"Written to {tmp_path}/out; open report.html there.\n")


def test_a_reader_who_leaves_early_hears_no_complaint() -> None:
    command = f"{sys.executable} -m bedplate.plan prod --json --project {TOY} | head -c 10"
    done = subprocess.run(["bash", "-c", command], cwd=PROJECT, capture_output=True, text=True, check=True)

    assert (len(done.stdout), done.stderr) == (10, "")


def test_colours_are_for_terminals_and_for_those_who_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in on_terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in on_terminal(monkeypatch)


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> str:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert plan("dev") == 0
    return terminal.getvalue()


def test_what_the_program_refuses_is_one_line_per_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = "import pulumi\nraise pulumi.RunError('pools.0.count: 0: too few\\nfabric.kind: foo: unknown')\n"

    assert plan("dev", project=project_with(tmp_path, program)) == 2
    assert capsys.readouterr().err == "pools.0.count: 0: too few\nfabric.kind: foo: unknown\n"


def test_an_unexpected_error_is_one_line_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = project_with(tmp_path, "values = {}\nvalues['absent']\n")

    assert plan("dev", project=project) == 1
    err = capsys.readouterr().err
    assert err == "__main__.py:2: KeyError: 'absent' (--traceback shows the whole way there)\n"


def test_the_whole_traceback_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("dev", "--traceback", project=project_with(tmp_path, "{}['absent']\n")) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_what_the_program_prints_does_not_mix_with_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan("dev", "--json", project=project_with(tmp_path, "print('chatter')\n")) == 0

    out, err = capsys.readouterr()
    assert json.loads(out)["resources"] == []
    assert err == "chatter\n"
