"""Nothing that a name, a key or a message holds steers the terminal of whoever reads it."""

import ast
import contextlib
import io
import json
import re
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from bedplate import terminal
from bedplate.cli import main
from bedplate.console import Console
from bedplate.live.finding import Finding
from bedplate.live.show import show
from bedplate.printable import Printable, printable, single
from tests.rooms import ROOMS, ROOT, imports, modules

EVIL = "\x1b[2J\x1b]0;owned\x07"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SEEN = "owned"
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"a{EVIL}", "namespace": f"b{EVIL}"}, f"c{EVIL}": 1}


def harmless(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command says of the planted word, which it must say."""
    with contextlib.suppress(SystemExit):
        main(list(words))
    said = "".join(capsys.readouterr())
    assert SEEN in said, said
    assert not STEERS.search(said), ascii(said)
    return said


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", ["text", "details", "github", "json", "sarif"])
def test_check(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    container = {"name": f"x{EVIL}", "image": f"y{EVIL}", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    spec = {"containers": [container], "hostNetwork": True, "nodeSelector": {f"k{EVIL}": f"v{EVIL}"}}
    (folder / f"pod{EVIL}\n::error::forged.yaml").write_text(json.dumps({**POD, "spec": spec}))
    said = harmless(capsys, "check", ".", "--format", form)
    assert not [line for line in said.splitlines() if line.startswith("::error::forged")]


@pytest.mark.parametrize(
    "text",
    [f'config: {{bedplate:profile: {{"a{EVIL}": 1}}}}', f'config: {{bedplate:profile: {{name: "{EVIL}"}}}}'],
    ids=["raw", "raw value"],
)
def test_a_file_that_is_no_yaml(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    file = folder / f"Pulumi.a{EVIL}.yaml"
    file.write_text(text)
    harmless(capsys, "plan", "--profile", str(file))
    harmless(capsys, "check", str(file))


@pytest.mark.parametrize("profile", [{f"a{EVIL}": 1}, {"name": EVIL}, {"platform": EVIL}, {"fabric": {"kind": EVIL}}])
def test_a_profile(folder: Path, capsys: pytest.CaptureFixture[str], profile: object) -> None:
    (folder / "Pulumi.a.yaml").write_text(json.dumps({"config": {"bedplate:profile": profile}}))
    harmless(capsys, "plan", "--profile", "Pulumi.a.yaml")


@pytest.mark.parametrize("form", ["tree", "json"])
def test_plan(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert main(["init", "prod", "--like", "inference-l40s"]) == 0
    own = f"\nimport pulumi_kubernetes\npulumi_kubernetes.core.v1.ConfigMap('a' + {EVIL!r})\n"
    program = folder / "__main__.py"
    program.write_text(program.read_text() + own)
    capsys.readouterr()
    harmless(capsys, "plan", "prod", "--format", form)


@pytest.mark.parametrize("words", [["render", f"job{EVIL}.yaml"], ["job.yaml"], [f"lsit{EVIL}"]])
def test_job(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    (folder / "job.yaml").write_text(json.dumps({"name": EVIL, EVIL: EVIL}))
    harmless(capsys, "job", *words, "--stack", "lab")


@pytest.mark.parametrize("form", ["table", "markdown", "json"])
def test_diff(folder: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    urn = f"urn:pulumi:a::b::kubernetes:core/v1:ConfigMap::a{EVIL}"
    state = {"urn": urn, "type": "kubernetes:core/v1:ConfigMap", "inputs": {f"k{EVIL}": f"v{EVIL}"}}
    (folder / "preview.json").write_text(json.dumps({"steps": [{"op": "create", "urn": urn, "newState": state}]}))
    harmless(capsys, "diff", "--preview", "preview.json", "--format", form)


def test_doctor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = [Finding("nodes", f"node a{EVIL}", f"says {EVIL}", f"because {EVIL}")]
    monkeypatch.setattr("bedplate.live.doctor.main", lambda _: show("lab", found, {f"k{EVIL}": EVIL}) or 1)
    harmless(capsys, "doctor", "lab")


def test_an_unknown_command_an_option_and_a_stack(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder
    for words in ([f"a{EVIL}"], ["plan", f"--a{EVIL}"], ["plan", f"a{EVIL}"]):
        harmless(capsys, *words)


def test_colours_pass_and_markup_of_others_does_not() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=40)
    console._force_terminal = True  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - as on a terminal
    table = Table("a")
    table.add_row(f"cell {EVIL}")
    console.print(Text(f"red {EVIL}", "red"), "[link=https://example.org]x[/link] :warning:")
    console.print(table)
    written = stream.getvalue()
    assert "[link=" in written
    assert ":warning:" in written
    assert not STEERS.search(re.sub("\x1b\\[[0-9;]*m", "", written))
    assert "\x1b]" not in written


def test_the_layout_stays_and_tabs_and_newlines_too() -> None:
    text = "".join(map(chr, (*range(0xA0), 0x202E, 0x2066, 0x2029)))
    assert len(printable(text)) == len(text)
    assert not STEERS.search(printable(text))
    assert printable("a\tb\nc é ж") == "a\tb\nc é ж"
    assert single(f"a\tb\nc{EVIL}") == "a b␊c␛[2J␛]0;owned␇"


def test_a_stream_that_has_less_than_unicode_gets_what_it_has() -> None:
    under = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    out = Printable(under)
    out.write("8 \N{MULTIPLICATION SIGN} a → b… é \udcff\n")
    under.flush()
    assert under.buffer.getvalue() == b"8 x a -> b... \\xe9 \\udcff\n"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_streams_are_as_before_afterwards() -> None:
    before = sys.stdout, sys.stderr
    with terminal.guarded():
        assert isinstance(sys.stdout, Printable)
    assert (sys.stdout, sys.stderr) == before


def test_nobody_goes_round_it() -> None:
    """A console of rich's own, or a raw stream, would print what it is given."""
    own = {ROOT / "bedplate" / "console.py"}
    paths = [path for room in ROOMS if room != "bench" for path in modules(room) if path not in own]
    assert [path for path in paths if any(name.startswith("rich.console.Console") for name in imports(path))] == []
    raw = [path for path in paths if _mentions(path, {"__stderr__", "print"})]
    assert raw == []


def _mentions(path: Path, names: set[str]) -> bool:
    tree = ast.walk(ast.parse(path.read_text()))
    called = (node.func.id for node in tree if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    return not names.isdisjoint(called)
