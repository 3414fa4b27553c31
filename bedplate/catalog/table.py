"""The files of the catalogue: comma-separated, one line a row, cells padded so that a change is read in its column.

A cell is never empty. `none` says that there is no such thing, `unknown` that nobody has published it or we have not
read it; both are said on purpose, and readers tell the two apart by the column.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
DATA = Path(__file__).parent / "data"
NONE, UNKNOWN = "none", "unknown"
Row = Mapping[str, str]


class CatalogError(Exception):
    """A file of the catalogue that cannot be read, with its line."""


def read(name: str) -> list[Row]:
    """Every row of a file, by its header.

    Raises:
        CatalogError: a row has a cell more or fewer than the header, or an empty one.
    """
    first, *rest = path(name).read_text(encoding="utf-8").splitlines()
    header = _cells(first, -1)
    lines = [_cells(line, len(header) - 1) for line in rest]
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(header) or not all(cells):
            reason = f"{len(cells)} cells of {len(header)}" if all(cells) else "an empty cell; write none or unknown"
            raise CatalogError(f"{name}.csv:{number}: {reason}")
    return [dict(zip(header, cells, strict=True)) for cells in lines]


def path(name: str) -> Path:
    """Where a file lies."""
    return DATA / f"{name}.csv"


def written(rows: Sequence[Row]) -> str:
    """The text of a file: columns padded to their widest cell."""
    lines = [list(rows[0]), *([*row.values()] for row in rows)]
    widths = [max(map(len, column)) + 2 for column in zip(*lines, strict=True)]
    padded = ((f"{cell},".ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join("".join(line).rstrip().removesuffix(",") + "\n" for line in padded)


def _cells(line: str, commas: int) -> list[str]:
    """The last cell may have commas of its own: sources are sentences."""
    return [cell.strip() for cell in line.split(",", commas)]


def said(cell: str) -> bool:
    """Neither none nor unknown."""
    return cell not in (NONE, UNKNOWN)


def words(cell: str) -> tuple[str, ...]:
    """A list of words."""
    return tuple(cell.split()) if said(cell) else ()


def text(cell: str) -> str:
    """A word, or nothing."""
    return cell if said(cell) else ""


def whole(cell: str) -> int:
    """A number; 0 where there is none or it is not published."""
    return int(cell) if said(cell) else 0


def counted(cell: str) -> int | None:
    """A number, 0 where there is none; None where it is not published."""
    return None if cell == UNKNOWN else whole(cell)


def numbers(cell: str) -> tuple[int, ...]:
    """A version, `0.32.0`; nothing of any other word."""
    return tuple(map(int, cell.split("."))) if cell[0].isdigit() else ()


def _counts(cell: str) -> dict[str, int]:
    """Words with a number each, `1g.10gb:7 2g.20gb:3`."""
    pairs = (word.rpartition(":") for word in words(cell))
    return {name: int(count) for name, _, count in pairs}


READERS: Mapping[object, Callable[[str], Any]] = {
    str: text,
    int: int,
    float: float,
    bool: lambda cell: cell == "yes",
    tuple[str, ...]: words,
    tuple[int, ...]: numbers,
    tuple[int, int]: numbers,
    Mapping[str, int]: _counts,
    str | None: lambda cell: text(cell) or None,
    int | None: lambda cell: int(cell) if said(cell) else None,
    float | None: lambda cell: float(cell) if said(cell) else None,
    bool | None: {"yes": True, "no": False}.get,
    tuple[int, ...] | None: lambda cell: numbers(cell) or None,
}
"""How a cell is read, by the type of its field; None is what there is not, or what nobody has published."""


def made(kind: type[T], row: Row, **stated: Any) -> T:  # noqa: ANN401 - a field's own type
    """An object of a row: each field from the column of its name by its type, or as `stated`."""
    read = {name: READERS[type_] for name, type_ in _fields(kind) if name not in stated}
    return kind(**{name: reader(row[name]) for name, reader in read.items()}, **stated)


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, field.type) for field in fields(kind))
