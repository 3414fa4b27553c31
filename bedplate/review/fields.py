"""Two values held against each other, leaf by leaf."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

_ITEM = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True)
class Field:
    """One leaf that differs; None where it is absent."""

    path: str
    old: Any
    new: Any

    @property
    def place(self) -> str:
        """The path with `[]` for every item: `spec.rules[0].name` is at `spec.rules[].name`."""
        return _ITEM.sub("[]", self.path)

    @property
    def moved(self) -> bool:
        """It is a list of names, of which only the order differs."""
        return bool(self.old) and isinstance(self.old, list) and isinstance(self.new, list)

    def within(self, *prefixes: str) -> bool:
        """It is one of these, or below one."""
        return any(self.path == prefix or self.path.startswith((f"{prefix}.", f"{prefix}[")) for prefix in prefixes)


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Field]:
    """Every leaf that differs, and every list whose named items are in another order."""
    before, after = dict(leaves(old)), dict(leaves(new))
    for path in dict.fromkeys((*before, *after)):
        if before.get(path) != after.get(path) and not _filled(path, before, after):
            yield Field(path, before.get(path), after.get(path))
    yield from _moved(dict(_orders(old)), dict(_orders(new)))


def _moved(before: Mapping[str, list[object]], after: Mapping[str, list[object]]) -> Iterator[Field]:
    """Lists of which the items that stay are in another order: of flavors and containers it means something."""
    for path, names in before.items():
        stay = [name for name in names if name in after.get(path, ())]
        now = [name for name in after.get(path, ()) if name in names]
        if stay != now:
            yield Field(path, stay, now)


def _orders(value: object, path: str = "") -> Iterator[tuple[str, list[object]]]:
    """Of every list whose items go by their names: the names."""
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            yield from _orders(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        items = cast("list[object]", value)
        keys = _keys(items)
        if keys != list(range(len(items))):
            yield path, keys
        for key, item in zip(keys, items, strict=True):
            yield from _orders(item, f"{path}[{key}]")


def _filled(path: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Empty on one side, and leaves below it on the other: those say all."""
    other = after if path in before else before
    below = (f"{path}.", f"{path}[")
    return (before if path in before else after)[path] in ({}, []) and any(
        path_there.startswith(below) for path_there in other
    )


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Paths as people write them; items of a list go by their name, so that a new one does not shift the others."""
    if isinstance(value, Mapping) and value:
        for key, item in cast("Mapping[str, object]", value).items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        items = cast("list[object]", value)
        for key, item in zip(_keys(items), items, strict=True):
            yield from leaves(item, f"{path}[{key}]")
    else:
        yield path, value


def _keys(items: list[object]) -> list[object]:
    """Their names; their places where two have the same name, as a user and a service account may."""
    names = [cast("Mapping[str, object]", item).get("name") if isinstance(item, Mapping) else None for item in items]
    shared = len({str(name) for name in names if name is not None}) < len([name for name in names if name is not None])
    return [place if name is None or shared else name for place, name in enumerate(names)]
