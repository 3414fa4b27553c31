"""Machines and GPUs are named in the catalogue and nowhere else in the product: a table beside it would drift again."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from bedplate.catalog.gpus import GPUS
from bedplate.catalog.machines import MACHINES
from tests.rooms import ROOT

NOT_PRODUCT = {"tests", "docs", "examples", ".venv", ".tools", ".ci"}
MODELS = sorted({part for gpu in GPUS.values() for part in (gpu.stem, gpu.product)}, key=len, reverse=True)
NAMED = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    rf"{'|'.join(map(re.escape, MODELS))}|GB?[23]\d\d|GB?\[23\]|[pg]r?\d+[a-z]*(?:-[a-z0-9]+)?\\?\.(?:\d*x?large|metal)"
    r"|(?:dgx|hgx)-[abh]\d+|^(?:p[3-9]|g[4-9])[a-z]{0,2}$|p\d[a-z]*-|a[234]x?-(?:high|mega|ultra|max)gpu|g[24]-standard|(?:Standard_)?N[CDV]\d+\w*|(?:BM|VM)\\?\.GPU"
    r")(?![a-z])"
)
"""A machine type or a GPU model, also as a piece of a pattern."""
SENTENCE = re.compile(r"[a-zA-Z]\w* \w* ?[a-z]")
"""Prose may speak of machines: messages, reasons, sources. A table's keys and values have no words beside them."""
ALLOWED = {
    "bench/planted.py": "what nvidia-smi prints on the node that the benchmark plants",
    "bench/datacenter.yaml": "the profile of the datacenter that the benchmark is of",
    **{f"stacks/{path.name}": "a profile" for path in (ROOT / "stacks").glob("Pulumi.*.yaml")},
}
"""Files that may name one, each with the reason."""
DATA = {".toml", ".yaml", ".yml", ".json", ".jsonnet", ".sh", ".tpl", ".csv"}
"""Files of the product that a table may stand in, beside Python's."""

SMALL = [name for name, one in MACHINES.items() if one.cloud is None and not name.startswith(("dgx", "hgx"))]
"""Our own names of what a site builds from cards are words of no seller's, so no code can match a cloud's by them."""


def product(*suffixes: str) -> Iterator[Path]:
    for top in sorted(ROOT.iterdir()):
        if top.is_dir() and top.name not in NOT_PRODUCT and not top.name.startswith("."):
            yield from (path for path in sorted(top.rglob("*")) if path.suffix in suffixes and not _catalogue(path))


def _catalogue(path: Path) -> bool:
    return path.is_relative_to(ROOT / "bedplate" / "catalog")


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Strings that are no docstring."""
    tree = ast.parse(source)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Of a file of data, without its comments."""
    return ((number, line.partition("# ")[0]) for number, line in enumerate(text.splitlines(), 1))


def _of_a_table(found: Iterable[tuple[int, str]]) -> list[str]:
    return [f"{line}: {text}" for line, text in found if NAMED.search(text) and not SENTENCE.search(text)]


def named(source: str) -> list[str]:
    return _of_a_table(literals(source))


def named_in(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return named(text) if path.suffix == ".py" else _of_a_table(lines(text))


def test_no_other_file_of_the_product_has_a_table_of_machines_or_gpus() -> None:
    found = {str(path.relative_to(ROOT)): named_in(path) for path in product(".py", *DATA)}
    assert {Path(name).suffix for name in found} >= {".py", ".toml", ".yaml", ".json"}
    assert {path: lines for path, lines in found.items() if lines and path not in ALLOWED} == {}
    assert [path for path in ALLOWED if not found[path]] == [], "allowed, and names none"


def test_a_fourteenth_table_would_be_seen() -> None:
    assert [name for name in (*MACHINES, *GPUS) if not named(f"X = {{{name!r}: 1}}")] == SMALL
    pieces = ('("p4", "p5", "g6")', r'compile(r"BM\.GPU\.?(4|A100)\S*")', 'compile(r"GB[23]00")', '("a3-ultragpu",)')
    assert [text for text in pieces if not named(f"X = {text}")] == []
    assert named('X = "The GB200 of a rack needs a claim"') == []


def test_a_table_beside_the_code_would_be_seen(tmp_path: Path) -> None:
    tables = {
        "a.toml": '[nics]\n"p5.48xlarge" = 32\n',
        "a.yaml": "memory:\n  H100: 80\n",
        "a.csv": "name, gib\nL40S, 48\n",
    }
    for name, text in tables.items():
        (tmp_path / name).write_text(text)
        assert named_in(tmp_path / name), name
    (tmp_path / "a.toml").write_text('# as on H100\nfix = "Use an image for GB200 of ARM"\n')
    assert named_in(tmp_path / "a.toml") == []
