"""A wrong command line is one line that says what is wrong and what to write, with exit status 2; so is a wrong file."""

from pathlib import Path

import pytest

from bedplate.cli import main
from bedplate.commands import COMMANDS
from tests.rooms import ROOMS, ROOT, modules

WORDS: tuple[tuple[str, str], ...] = (
    # What somebody types, and the line that answers.
    ("plam lab", "plam: no such command; did you mean plan?"),
    ("plan lap", "lap: there is no stacks/Pulumi.lap.yaml; did you mean lab? known stacks: eks-p5, "),
    ("plan", "name a stack, or a file that holds a profile: bedplate plan ENV; known stacks: eks-p5, "),
    ("plan lab eks-p5", "bedplate plan: eks-p5: one word too many; `bedplate plan --help` says more"),
    (
        "plan lab --fromat json",
        "bedplate plan: --fromat: no such option; did you mean --format? `bedplate plan --help`",
    ),
    ("plan lab --format jsn", "bedplate plan: --format = jsn: not a choice; did you mean json? `bedplate plan --help`"),
    ("plan lab --format pdf", "bedplate plan: --format = pdf: not a choice; use tree, json, markdown; `bedplate plan"),
    ("plan --profile nowhere.yaml", "nowhere.yaml: there is no such file; name a profile, a stack file or a stack"),
    ("plan --profile /dev", "/dev: is a folder where a stack's name belongs; name a file in it: --profile FILE"),
    ("plan lab --out /dev/null/plan", "--out /dev/null/plan: /dev/null is a file: name a folder"),
    ("plan lab --out /dev/null", "--out /dev/null: /dev/null is a file: name a folder"),
    ("preview eks-p6", "eks-p6: there is no stacks/Pulumi.eks-p6.yaml; did you mean eks-p5? known stacks: "),
    ("up", "bedplate up: ENV: missing; `bedplate up --help` says more"),
    ("down", "bedplate down: ENV: missing; `bedplate down --help` says more"),
    ("pulumi refresh", "bedplate pulumi: ENV: missing; `bedplate pulumi --help` says more"),
    ("job sbumit run.yaml", "bedplate job sbumit: no such verb; did you mean submit?"),
    ("job why", "bedplate job why: NAME: missing; `bedplate job why --help` says more"),
    ("job render nowhere.yaml --stack lab", "nowhere.yaml: cannot be read: No such file or directory"),
    ("check nowhere", "nowhere: there is no such file or folder"),
    ("check", "bedplate check: PATH: missing; `bedplate check --help` says more"),
    ("rules --explain NCCL-3100", "NCCL-3100: no rule has this name; `bedplate rules --list` names them all"),
    ("size train llama-70c --stack lab", "MODEL llama-70c: unknown; did you mean llama-70b?"),
    ("size train llama-70b --shape dgx-h1000", "--shape dgx-h1000: unknown; did you mean dgx-h100?"),
    (
        "size trian llama-70b",
        "bedplate size: command = trian: not a choice; did you mean train? `bedplate size --help`",
    ),
    ("diff a", "a: no plan's folder; say which stack of that revision: --stack ENV"),
    ("upgrade --chart gpu-operator", "name a stack, with --to SET or --from DIR of an earlier plan, or a chart and"),
    ("lab upp", "bedplate lab: command = upp: not a choice; did you mean up? `bedplate lab --help` says more"),
    ("init prod --into README.md", "--into README.md: "),
    (
        "init prod --into /proc/x",
        "/proc/x/clusters/Pulumi.prod.yaml: cannot be written: No such file or directory; name",
    ),
    (
        "size train llama-70b --tokens lots",
        "bedplate size train: --tokens = lots: not a number above 0; `bedplate size train --help`",
    ),
    ("rules --explain", "bedplate rules: --explain: one value must follow it; `bedplate rules --help` says more"),
    ("lab nodes eks-p6", "lab: eks-p6: there is no stacks/Pulumi.eks-p6.yaml; did you mean eks-p5?"),
    ("init", "bedplate init: ENV: missing; `bedplate init --help` says more"),
    ("init prod --like eks", "--like eks: no such example; did you mean eks-p5?"),
    ("completion bsh", "name a shell: bedplate completion bash|zsh|fish"),
)


@pytest.mark.parametrize(("words", "line"), WORDS, ids=[words for words, _ in WORDS])
def test_a_wrong_command_line_is_one_line_with_its_reason_and_fix(
    words: str, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    try:
        status = main(words.split())
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2
    assert said.startswith(line)
    assert said.count("\n") == 1


OURS = [command for command in COMMANDS if command.module != "bedplate.engine.command"]
"""The others hand what they do not know to Pulumi."""


@pytest.mark.parametrize("command", OURS, ids=lambda command: command.name)
def test_no_command_answers_an_unknown_option_with_its_whole_usage(
    command: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    try:
        status = main([getattr(command, "name", ""), "lab", "--no-such-option-at-all"])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2
    assert said.count("\n") == 1
    assert "usage:" not in said


def test_a_fault_names_the_file_as_the_user_gave_it_and_the_line_wherever_he_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = (
        (ROOT / "tests" / "profiles" / "l40s-lab.yaml")
        .read_text()
        .replace('kubernetesVersion: "', "kubernetesVersion: 1.30 #")
    )
    (tmp_path / "clusters").mkdir()
    (tmp_path / "clusters" / "prod.yaml").write_text(profile)
    number = 1 + [line.startswith("kubernetesVersion") for line in profile.splitlines()].index(True)
    job = str(ROOT / "examples" / "jobs" / "indexed-job.yaml")
    for folder, given in ((tmp_path, "clusters/prod.yaml"), (tmp_path / "clusters", "prod.yaml")):
        monkeypatch.chdir(folder)
        for words in (["plan"], ["check", "."], ["job", "render", job], ["size", "train", "llama-70b", "--stack"]):
            option = [] if words[-1] == "--stack" else ["--profile"]
            assert main([*words, *option, given]) == 2
            assert capsys.readouterr().err.startswith(f"{given}:{number}: kubernetesVersion = 1.3: a number where text")


def test_the_fault_of_a_stack_is_found_from_a_folder_below_its_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "prod", "--like", "lab"]) == 0
    file = tmp_path / "clusters" / "Pulumi.prod.yaml"
    file.write_text(file.read_text().replace("    platform: ", "    platform: mainframe # "))
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "clusters")
    for words in (["plan", "prod"], ["preview", "prod"], ["size", "cluster", "--stack", "prod"]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert said.startswith("clusters/Pulumi.prod.yaml:"), said
        assert said.split(":", 2)[1].isdigit()


def test_what_somebody_meant_is_guessed_in_one_place() -> None:
    files = (path for room in ROOMS for path in modules(room))
    guessing = [path.name for path in files if "get_close_matches" in path.read_text(encoding="utf-8")]
    assert guessing == ["nearest.py"]
