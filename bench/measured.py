"""How long things take, and what was measured as a table."""

import gc
import time
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.table import Table


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> float:
    """How long it takes, by the wall unless told otherwise; rubbish of earlier runs is not counted against this one."""
    gc.collect()
    started = clock()
    work()
    return clock() - started


def show(heads: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """A row for each figure."""
    table = Table(*heads, title=title)
    for row in rows:
        table.add_row(*map(str, row))
    Console(soft_wrap=True).print(table)
