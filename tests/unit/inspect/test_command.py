"""`bedplate inspect` as it is typed: lines, differences, and records that are none."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from bedplate.completion import fitting
from bedplate.inspect.__main__ import COLLECTOR, main
from bedplate.inspect.read import LARGEST
from bedplate.stacks.load import load
from tests.rooms import ROOT
from tests.unit.inspect.test_differences import profile
from tests.unit.inspect.test_machines import recorded

STACK = str(ROOT / "stacks/Pulumi.onprem-h100-ib.yaml")


@pytest.fixture
def node(tmp_path: Path) -> Path:
    path = tmp_path / "gpu-1.node"
    path.write_text(recorded("dgx-h100"))
    return path


def test_lines_go_into_a_profile_as_they_are(node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(node)]) == 0
    written = yaml.safe_load(capsys.readouterr().out)
    pool = {key: value for key, value in written["pools"][0].items() if key != "hcas"} | {"nodes": 16}
    stated = {**profile(), "driverOwner": written["driverOwner"], "pools": [profile()["pools"][0], pool]}
    assert load(stated, "pasted").pools[1].rails == tuple(profile()["fabric"]["rails"])


def test_a_machine_is_compared_with_its_pool(node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(node), "--against", STACK, "--pool", "h100"]) == 1
    said = capsys.readouterr().out
    assert "driverOwner: profile operator" in said
    assert said.endswith("1 machine of pool h100: 1 differ\n")
    assert max(map(len, said.splitlines())) <= 80
    node.write_text(re.sub(r"nvidia\|.*", "nvidia|", recorded("dgx-h100")))
    assert main([str(node), "--against", STACK, "--pool", "h100"]) == 0
    assert capsys.readouterr().out == "1 machine of pool h100: as the profile says\n"


def test_machines_that_differ_are_pools_of_their_own(node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = node.with_name("gpu-2.node")
    other.write_text(recorded("l40s").replace("gpu-1", "gpu-2"))
    assert main([str(node), str(other)]) == 1
    written = capsys.readouterr().out
    assert "# between the machines: shape: dgx-h100 on 1 of 2; gpu-2:" in written
    assert [one["pools"][0]["nodes"] for one in yaml.safe_load_all(written)] == [1, 1]


def test_programs_have_kinds_of_machines_and_differences(node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = node.with_name("gpu-2.node")
    other.write_text(recorded("l40s").replace("gpu-1", "gpu-2"))
    assert main([str(node), str(other), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(kind["machines"], kind["pools"][0]["nodes"]) for kind in found["kinds"]] == [
        (["gpu-1"], 1),
        (["gpu-2"], 1),
    ]
    assert any("shape: dgx-h100" in line for line in found["differences"])
    assert main([str(node), "--against", STACK, "--pool", "h100", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["pool"], found["machines"], len(found["differences"])) == ("h100", ["gpu-1"], 1)


WRONG = {
    "empty": ("", "its first line is not"),
    "a profile": ("name: x\n", "its first line is not"),
    "cut": (recorded("dgx-h100")[:4000], "it breaks off in"),
    "cut in a row": (re.sub(r"\|1024$", "", recorded("dgx-h100")[:900]) + "\n== end\n", "has no section|cells"),
    "escapes": (recorded("dgx-h100").replace("DGX H100", "\x1b]0;owned\x07"), "line 7 has control characters"),
    "a turn of writing": (recorded("dgx-h100").replace("DGX H100", "\u202e"), "line 7 has control characters"),
    "nothing in it": ("== bedplate node 1\n== end\n", "it has no section `host`"),
    "two machines": (recorded("dgx-h100") * 2, "it has 2 section `host`: a file is of one machine"),
    "no address": (recorded("dgx-h100").replace("\n0000:18:00.0|", "\n../../etc|"), "is no PCI address"),
    "strange processors": (recorded("dgx-h100").replace("cpus|0-223", "cpus|all"), "all: no list of processors"),
    "a strange GPU": (recorded("dgx-h100").replace("00000000:1B", "00000000:FF"), "which the kernel does not list"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_record_is_refused_in_one_line(name: str, node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, reason = WRONG[name]
    node.write_text(text)
    assert main([str(node)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert re.search(reason, said.err)
    assert str(node) in said.err


def test_what_cannot_be_read_is_refused_in_one_line(node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content, reason in ((b"\xff\xfe\x00", "not text"), (b"a" * (LARGEST + 1), "larger than 4 MiB")):
        node.write_bytes(content)
        assert main([str(node)]) == 2
        assert reason in capsys.readouterr().err
    os.mkfifo(fifo := node.with_name("fifo"))
    for path in (node.with_name("gone"), node.parent, fifo):
        assert main([str(path)]) == 2
        assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no record of a machine"),
        (["NODE", "--against", STACK], "--against and --pool go together"),
        (["NODE", "--against", STACK, "--pool", "h10"], "--pool = h10: no such pool; did you mean h100?"),
        (["NODE", "NODE"], "gpu-1: two records are of this machine"),
        (["NODE", "--against", "nowhere.yaml", "--pool", "x"], "nowhere.yaml: there is no such file"),
    ],
)
def test_wrong_words_are_one_line(words: list[str], said: str, node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.replace("NODE", str(node)) for word in words]) == 2
    assert said in capsys.readouterr().err


def test_a_record_that_went_over_windows_is_read(node: Path) -> None:
    node.write_bytes(recorded("dgx-h100").replace("\n", "\r\n").encode())
    assert main([str(node)]) == 0


def test_the_collector_needs_a_shell_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """It is printed as it is, writes no file, asks nobody over the network, and any machine ends it."""
    assert main(["--collector"]) == 0
    script = capsys.readouterr().out
    assert script == COLLECTOR.read_text()
    assert not re.search(
        r"(?m)>\s*[\"'/$a-z]|\b(curl|wget|nc|ssh|setpci|rm|mv|tee|modprobe|ip|mlxconfig)\b", _code(script)
    )
    done = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("== bedplate node 1\n")
    assert done.stdout.endswith("== end\n")


def _code(script: str) -> str:
    """Without comments, and without what goes nowhere or to another stream."""
    lines = (line for line in script.splitlines() if not line.lstrip().startswith("#"))
    return re.sub(r"2?>(/dev/null|&[12])", "", "\n".join(lines).replace("mlx5", "").replace("'", ""))


def test_a_shell_is_told_what_follows() -> None:
    assert "inspect" in fitting(["ins"])
    assert {"--collector", "--against", "--pool"} <= set(fitting(["inspect", "--"]))
