"""How the GPUs of a node are cut, from how many slices of each kind it has: no label says it of each GPU.

All cut GPUs alike, or the one division in which none of them has room for a slice more; where several would do, nothing
is guessed. A GPU holds so many compute slices, and eighths of its memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from bedplate.stacks.hardware.gpus import EIGHTHS, GPUS, Gpu

Layout = Mapping[str, int]


def model(product: str | None) -> Gpu | None:
    """The GPU by the name that GPU Feature Discovery gives it."""
    return next((gpu for gpu in GPUS.values() if gpu.product == product), None)


def divided(product: str | None, gpus: int, slices: Layout) -> tuple[Layout, ...]:
    """What each of so many cut GPUs holds; empty where the counts do not tell."""
    if not gpus or not slices:
        return ()
    if not any(count % gpus for count in slices.values()):
        return ({name: count // gpus for name, count in slices.items()},) * gpus
    gpu = model(product)
    if gpu is None or slices.keys() - gpu.mig.keys():
        return ()
    full = [layout for layout in _layouts(gpu, tuple(slices)) if not _fitting(gpu, layout)]
    divisions = list(islice(_divisions(full, gpus, slices), 2))
    return divisions[0] if len(divisions) == 1 else ()


def written(layouts: Sequence[Layout], whole: int) -> dict[str, Any]:
    """As a pool says it: `mig` where all GPUs are cut alike, else `migLayouts`; whole ones get the last numbers."""
    alike: dict[str, tuple[Layout, list[int]]] = {}
    for number, layout in enumerate(layouts):
        alike.setdefault(str(layout), (layout, []))[1].append(number)
    if len(alike) == 1 and not whole:
        return {"mig": dict(layouts[0])}
    return {"migLayouts": [{"gpus": gpus, "slices": dict(layout)} for layout, gpus in alike.values()]}


def _divisions(full: list[Layout], gpus: int, left: Layout) -> Iterator[tuple[Layout, ...]]:
    """Each set of full GPUs that makes up the slices, once: no layout before one that was taken."""
    if not gpus:
        if not any(left.values()):
            yield ()
        return
    for index, layout in enumerate(full):
        rest = {name: count - layout.get(name, 0) for name, count in left.items()}
        if min(rest.values()) >= 0:
            yield from ((layout, *others) for others in _divisions(full[index:], gpus - 1, rest))


def _layouts(gpu: Gpu, names: tuple[str, ...]) -> Iterator[Layout]:
    """Everything that one GPU can hold of some profiles, nothing among it."""
    if not names:
        yield {}
        return
    for below in _layouts(gpu, names[1:]):
        for count in range(gpu.mig[names[0]] + 1):
            layout = {**below, names[0]: count} if count else below
            if _holds(gpu, layout):
                yield layout


def _fitting(gpu: Gpu, layout: Layout) -> list[str]:
    """Profiles of which it would hold one more."""
    return [name for name in gpu.mig if _holds(gpu, {**layout, name: layout.get(name, 0) + 1})]


def _holds(gpu: Gpu, layout: Layout) -> bool:
    return gpu.computes(layout) <= gpu.compute_slices and gpu.eighths(layout) <= EIGHTHS
