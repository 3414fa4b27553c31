"""The files of the catalogue: comma-separated, one line a row, cells padded so that a change is read in its column.

A cell is never empty. `none` says that there is no such thing, `unknown` that nobody has published it or we have not
read it; both are said on purpose, and readers tell the two apart by the column.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

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


def counts(cell: str) -> dict[str, int]:
    """Words with a number each, `1g.10gb:7 2g.20gb:3`."""
    pairs = (word.rpartition(":") for word in words(cell))
    return {name: int(count) for name, _, count in pairs}


def text(cell: str) -> str:
    """A word, or nothing."""
    return cell if said(cell) else ""


def whole(cell: str) -> int:
    """A number; 0 where there is none or it is not published."""
    return int(cell) if said(cell) else 0


def perhaps(cell: str) -> int | None:
    """A number; None where there is none or it is not published."""
    return int(cell) if said(cell) else None


def figure(cell: str) -> float | None:
    """A figure; None where there is none or it is not published."""
    return float(cell) if said(cell) else None
