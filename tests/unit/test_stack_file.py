"""Stack files are read in one way, and whoever asks for one that is not right is told so in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.lab.__main__ import main as lab
from bedplate.plan.__main__ import main as plan
from bedplate.policies.command.cli import main as policies
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFileError, StackFiles
from tests.rooms import ROOT
from tests.stack_files import STACKS

WRONG = {
    "broken": ("config: {a: [}", "stacks/Pulumi.broken.yaml: is not YAML: while parsing"),
    "bytes": (b"\xff\xfe\xfa", "stacks/Pulumi.bytes.yaml: is not YAML: it is UTF-16; save it as UTF-8"),
    "list": ("[1, 2]", "stacks/Pulumi.list.yaml: holds a list where a mapping belongs"),
    "empty": ("", "stacks/Pulumi.empty.yaml: config: not set; the profile belongs below it"),
    "bare": ("encryptionsalt: v1:x", "stacks/Pulumi.bare.yaml: config: not set; the profile belongs below it"),
    "words": ("config: [1]", "stacks/Pulumi.words.yaml: config: holds a list where a mapping belongs"),
    "other": (
        "config: {aws:region: x}",
        "stacks/Pulumi.other.yaml: bedplate:profile: not set; add the cluster's profile",
    ),
    "text": ("config: {bedplate:profile: x}", "stacks/Pulumi.text.yaml: bedplate:profile: holds text where a mapping"),
}


@pytest.fixture
def files(tmp_path: Path) -> StackFiles:
    (tmp_path / "stacks").mkdir()
    for stack, (text, _) in WRONG.items():
        (tmp_path / "stacks" / f"Pulumi.{stack}.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return StackFiles(tmp_path)


@pytest.mark.parametrize(("stack", "message"), [(stack, message) for stack, (_, message) in WRONG.items()])
def test_what_a_file_lacks_is_one_line_with_its_name(files: StackFiles, stack: str, message: str) -> None:
    with pytest.raises(StackFileError) as wrong:
        files.profile(stack)
    assert str(wrong.value).startswith(message)
    assert "\n" not in str(wrong.value)


@pytest.mark.parametrize("stack", ["moon", "../stacks/Pulumi.bare", ""])
def test_a_stack_without_a_file_names_those_that_have_one(files: StackFiles, stack: str) -> None:
    with pytest.raises(StackFileError, match="; known stacks: bare, broken, bytes, empty, list, other, text, words"):
        files.profile(stack)


def test_a_file_that_may_not_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "stacks" / "Pulumi.dev.yaml").mkdir(parents=True)
    with pytest.raises(StackFileError, match=r"^stacks/Pulumi.dev.yaml: cannot be read: Is a directory$"):
        StackFiles(tmp_path).config("dev")


def test_a_key_without_a_namespace_is_the_projects(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {profile: {name: x}, aws:region: y}")
    own = StackFiles(tmp_path, folder="", project="house")
    assert own.config("dev") == {"house:profile": {"name": "x"}, "aws:region": "y"}
    assert own.file("dev") == "Pulumi.dev.yaml"


@pytest.mark.parametrize("stack", STACKS)
def test_our_own_files_hold_a_profile(stack: str) -> None:
    assert StackFiles().profile(stack) == StackFiles().config(stack)[PROFILE_KEY]
    assert StackFiles().profile(stack)["name"]


@pytest.mark.parametrize(("stack", "message"), [(stack, message) for stack, (_, message) in WRONG.items()])
def test_policies_and_lab_say_it_and_end_with_status_2(
    files: StackFiles, stack: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bedplate.policies.command.cluster.STACKS", files)
    assert policies(["check", str(files.root), "--profile", stack]) == 2
    assert capsys.readouterr().err.startswith(message)
    assert policies(["config", "--profile", stack]) == 2
    assert capsys.readouterr().err.startswith(message)
    for command in ("nodes", "up"):
        with files.chosen():
            assert lab([command, stack]) == 2
        assert capsys.readouterr().err.startswith(f"lab: {message}")


@pytest.mark.parametrize("stack", ["empty", "bare", "other"])
def test_the_plan_asks_for_the_profile_as_pulumi_would(
    files: StackFiles, stack: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (files.root / "Pulumi.yaml").write_text((ROOT / "Pulumi.yaml").read_text())

    assert plan([stack, "--project", str(files.root)]) == 2
    expected = f"stacks/Pulumi.{stack}.yaml: bedplate:profile: not set, and Pulumi.yaml gives no default: The cluster"
    assert capsys.readouterr().err.startswith(expected)


def test_a_wrong_name_costs_no_import_of_pulumi_or_pydantic() -> None:
    code = "import sys, bedplate.plan.__main__ as p; p.main(['moon']); sys.exit(bool({'pulumi', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("moon: there is no stacks/Pulumi.moon.yaml; known stacks: eks-p5")
    assert done.returncode == 0
