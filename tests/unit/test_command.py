"""`bedplate`: one command over all of it, quick to answer and clear about what it does not know."""

import errno
import gc
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.cli import main
from bedplate.commands import COMMANDS, Command
from bedplate.completion import fitting
from tests.rooms import ROOMS, ROOT, modules
from tests.stack_files import STACKS


def bedplate(*words: str, cwd: Path = ROOT, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bedplate", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]


def test_help_names_every_command_within_80_columns() -> None:
    said = bedplate("--help").stdout
    assert [line.split()[0] for line in said.splitlines()[2:-3]] == [command.name for command in COMMANDS]
    assert max(map(len, said.splitlines())) <= 80


def test_help_imports_nothing_that_a_command_needs() -> None:
    code = "import sys; from bedplate.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"pulumi", "pydantic", "yaml", "rich", "plan", "policies"} & set(done.stderr.split()) == set()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_of_the_table_answers_for_help(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    name = getattr(command, "name", "")
    try:
        status = main([name, "--help"])
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    assert out.startswith("usage: ")


@pytest.mark.parametrize(("word", "fix"), [("plam", "did you mean plan?"), ("xyz", "`bedplate --help` lists them")])
def test_a_misspelt_command_is_one_line(word: str, fix: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word]) == 2
    assert capsys.readouterr().err == f"{word}: no such command; {fix}\n"


def test_the_version_is_one_and_semantic(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split()[1].count(".") == 2


def test_shells_complete_commands_and_stacks() -> None:
    assert fitting(["pl"]) == ["plan"]
    assert fitting(["plan", ""]) == fitting(["doctor", ""]) == list(STACKS)
    assert fitting(["job", "render", "x.yaml", "--stack", "eks"]) == ["eks-p5"]
    assert fitting(["completion", ""]) == []
    assert fitting(["migrate", "gke"]) == ["gke-a3-mega"]
    assert fitting(["plan", "lab", ""]) == []
    assert fitting(["size", "tr"]) == ["train"]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("verify lab --level ", ["nodes", "quick", "full"]),
        ("check x --format s", ["sarif"]),
        ("diff --fail-on loses", ["loses-quota", "loses-data"]),
        ("size serve m --precision f", ["fp8", "fp4"]),
        ("size train m --zero ", ["0", "1", "2", "3"]),
        ("rules --explain NCCL-301", ["NCCL-301"]),
        ("init new --like eks", ["eks-p5"]),
        ("init ", []),
        ("lab nodes eks", ["eks-p5"]),
        ("lab --name x no", ["nodes"]),
        ("up lab --y", []),
        ("pulumi refresh gke", ["gke-a3-mega"]),
        ("plan --json eks", ["eks-p5"]),
        ("job submit run.yaml --profile eks", ["eks-p5"]),
        ("evidence verify x --j", ["--json"]),
        ("plan lab --pro", ["--profile"]),
        ("plan lab --project x --tr", ["--traceback"]),
    ],
)
def test_shells_complete_values_by_what_a_command_takes(words: str, some: list[str]) -> None:
    assert fitting(words.split(" ")) == some


def test_shells_complete_contexts_of_the_kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fitting(["init", "x", "--from-cluster", ""]) == []
    (tmp_path / "kubectl").write_text('#!/bin/sh\n[ "$*" = "config get-contexts -o name" ] && echo prod && echo test\n')
    (tmp_path / "kubectl").chmod(0o755)
    assert fitting(["init", "x", "--from-cluster", "p"]) == ["prod"]
    assert fitting(["job", "list", "--context", ""]) == ["prod", "test"]


def test_a_line_that_is_begun_does_nothing_and_the_next_one_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        fitting([command.name, "lab", "--"])
    assert capsys.readouterr() == ("", "")
    assert main(["rules", "--list"]) == 0


def test_every_command_has_the_one_parser() -> None:
    own = [
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in modules(room)
        if "argparse.ArgumentParser(" in path.read_text() and room != "bench"
    ]
    # What runs in a pod has no package beside it.
    assert sorted(own) == [
        "bedplate/components/verification/all_reduce.py",
        "bedplate/verify/probes/server.py",
        "bedplate/verify/probes/volume.py",
    ]


def test_shells_complete_the_verbs_of_jobs_and_the_options_of_a_command() -> None:
    assert fitting(["job", ""]) == ["submit", "list", "why", "logs", "cancel", "render"]
    assert fitting(["job", "c"]) == ["cancel"]
    assert fitting(["plan", "lab", "--fo"]) == ["--format"]
    assert fitting(["job", "logs", "--t"]) == ["--tail"]
    assert fitting(["nothing", "--fo"]) == []


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("doctor --stack eks", {"eks-p5"}),
        ("check --stack eks", {"eks-p5"}),
        ("apply eks", {"eks-p5"}),
        ("upgrade lab --to 2026", {"2026.10", "2026.11"}),
        ("releases show 2026", {"2026.10", "2026.11"}),
        ("size train llama-3.1-70", {"llama-3.1-70b"}),
        ("size serve llama-70b --shape dgx-h1", {"dgx-h100"}),
        ("docs profile/fa", {"profile/fabric"}),
        ("plan lab --json --format ma", {"markdown"}),
    ],
)
def test_values_are_completed_by_whatever_names_them(words: str, some: set[str]) -> None:
    assert some <= set(fitting(words.split(" ")))


def test_shells_complete_teams_from_the_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fitting(["job", "list", "-n", "re"]) == ["research"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Pulumi.yaml").write_text("name: ours\n")
    (tmp_path / "Pulumi.prod.yaml").write_text(
        "config: {'bedplate:profile': {tenancy: {teams: [{name: ml}, {name: web}]}}}\n"
    )
    assert fitting(["job", "why", "--namespace", ""]) == ["ml", "web"]
    (tmp_path / "Pulumi.prod.yaml").write_text("config: [")
    assert fitting(["job", "why", "--namespace", ""]) == []


def test_shells_complete_jobs_of_the_namespace_and_say_nothing_where_no_cluster_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kubectl = tmp_path / "kubectl"
    one = '{"kind": "Job", "metadata": {"name": "llama-8b", "labels": {"bedplate/job": "llama-8b"}}}'
    kubectl.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/said\n'
        f'case "$*" in *api-resources*) echo jobs.batch;; *) echo \'{{"items": [{one}]}}\';; esac\n'
    )
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert fitting(["job", "why", "-n", "research", ""]) == ["llama-8b"]
    assert fitting(["job", "cancel", "x"]) == []
    assert "--namespace research" in (tmp_path / "said").read_text()
    kubectl.write_text("#!/bin/sh\nexit 1\n")
    assert fitting(["job", "logs", ""]) == []


def test_a_completion_is_a_program_that_the_shell_runs() -> None:
    assert bedplate("completion", "bash").stdout.startswith("_bedplate()")
    syntax = subprocess.run(["bash", "-n"], input=bedplate("completion", "bash").stdout, text=True, check=False)
    assert syntax.returncode == 0


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "bedplate", "plan", "lab", "--json"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "standard output: cannot be written: No space left on device\n")


def test_a_full_disk_behind_a_file_is_not_said_of_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", "/data/out/report.html")

    def run(_: Command, words: list[str]) -> int:
        raise error

    monkeypatch.setattr(Command, "run", run)
    assert main(["plan", "lab"]) == 1
    assert capsys.readouterr().err == "/data/out/report.html: cannot be written: No space left on device\n"
    sys.stdout.write("is written as before\n")
    assert capsys.readouterr().out == "is written as before\n"


@pytest.mark.parametrize("enabled", [True, False])
def test_the_caller_has_its_collector_as_it_was(enabled: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    seen: list[bool] = []
    monkeypatch.setattr(Command, "run", lambda *_: seen.append(gc.isenabled()) or 0)
    as_usual = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        assert main(["plan", "lab"]) == 0
        assert (seen, gc.isenabled()) == ([False], enabled)
    finally:
        (gc.enable if as_usual else gc.disable)()


def test_a_closed_standard_output_is_one_line_and_no_traceback() -> None:
    command = f"{sys.executable} -m bedplate plan lab --json >&-"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "standard output: cannot be written: it is closed\n"


def test_a_complaint_is_wrapped_on_a_terminal_and_one_line_for_programs() -> None:
    piped = bedplate("plan", "nowhere")
    assert piped.stderr.count("\n") == 1
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bedplate", "plan", "nowhere"]
    subprocess.run(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=theirs, check=False, env={**os.environ, "COLUMNS": "200"}
    )
    os.close(theirs)
    lines = os.read(ours, 4096).decode().replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines) == piped.stderr.strip()
