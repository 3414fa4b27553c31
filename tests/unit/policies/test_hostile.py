"""Files that mean harm: no traceback, no hang, no escape on a terminal, and whatever lies beside them is judged."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.policies.command.cli import main
from tests.unit.policies.test_cli import MANDATORY, write

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
SECONDS = 60
LEAST = 64


def bomb(levels: int, sequence: bool) -> str:  # noqa: FBT001 (a table's cell)
    """Aliases of which each level repeats the one below ten times."""
    ways = ("[{}]", "*a{}") if sequence else ("{{{}}}", "k{}: *a{}")
    rows = ["a0: &a0 [x]"]
    for level in range(1, levels):
        items = [ways[1].format(level - 1) if sequence else f"k{number}: *a{level - 1}" for number in range(10)]
        rows.append(f"a{level}: &a{level} " + ways[0].format(", ".join(items)))
    return "\n".join(rows) + "\n"


def hostile() -> Iterator[tuple[str, bytes]]:
    """Each by what it is."""
    for levels in (4, 9, 30):
        for sequence in (True, False):
            text = bomb(levels, sequence)
            yield f"{levels} levels of aliases, {sequence}", text.encode()
            yield f"an object with {levels} levels of aliases, {sequence}", f"{HEAD}{text}".encode()
    for depth in (500, 20_000, 100_000):
        for opening in ("[", "{a: ", "- ", "? "):
            yield f"{depth} times {opening!r}", f"{HEAD}spec: {opening * depth}\n".encode()
            yield f"{depth} times {opening!r} of JSON", (opening * depth).encode()
    for name in (
        "\x1b[2J",
        "::error::x",
        "a\u202eb",
        "\x07",
        "\u2028::error::x",
        "%0A::error::x",
        "on",
        "null",
        "~",
        "1e9",
    ):
        yield f"the name {name!r}", f'apiVersion: v1\nkind: Pod\nmetadata: {{name: "{name}"}}\n'.encode()
    for value in (
        ".inf",
        "-.inf",
        ".nan",
        "1e400",
        "0x" + "f" * 5000,
        "9" * 5000,
        "0o7",
        "2027-99-99",
        "!!python/object:os.x {}",
    ):
        spec = "spec: {{replicas: {0}, containers: [{{name: a, resources: {{limits: {{nvidia.com/gpu: {0}}}}}}}]}}\n"
        yield f"the amount {value[:20]}", (HEAD + spec.format(value)).encode()
    yield from {
        "nothing": b"",
        "a byte order mark alone": b"\xef\xbb\xbf",
        "no UTF-8": b"a: \xff\xfe\xfd",
        "UTF-16 in halves": "a: b".encode("utf-16")[:-1],
        "zeros": bytes(5000),
        "a List in Lists": b'{"kind":"List","apiVersion":"v1","items":[' * 50 + b"]}" * 50,
        "an object in itself": b"&a {apiVersion: v1, kind: Pod, metadata: *a}",
        "a merge of itself": b"a: &a {<<: *a}",
        "metadata that is a list": b"apiVersion: v1\nkind: Pod\nmetadata: [a]\nspec: x\n",
        "a kind that is a map": b"apiVersion: v1\nkind: {a: b}\nmetadata: {name: a}\n",
        "keys that are lists": b"{[a, b]: c, {d: e}: f}\n",
        "100,000 documents": b"---\n" * 100_000,
        "one long line": b"a: " + b"x" * 1_000_000,
        "tabs": b"a:\n\tb: c\n",
    }.items()


INPUTS = dict(hostile())


def test_there_are_inputs_enough_to_mean_something() -> None:
    assert len(set(INPUTS.values())) >= LEAST


@pytest.fixture
def bounded() -> Iterator[None]:
    """A hang is a failure, not a wait."""
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("what", INPUTS)
@pytest.mark.parametrize("form", ["text", "github"])
def test_no_file_stops_the_others_or_takes_the_terminal(
    what: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, wrong=MANDATORY)
    (tmp_path / "hostile.yaml").write_bytes(INPUTS[what])
    assert main(["check", str(tmp_path), "--format", form]) in {1, 2}
    out, err = capsys.readouterr()
    assert "STO-701" in out
    assert "Traceback" not in err
    assert not [each for each in f"{out}{err}".replace("\n", "") if not each.isprintable()]
    assert not [line for line in out.splitlines() if line.startswith("::") and "STO-701" not in line and form == "text"]
