"""Keys of the profile that have another name now: the old one is understood, with a warning, for a minor version.

After that it is refused with the same words. `bedplate migrate FILE` writes the new names into a file. A key that goes
to another section is no row here: it is refused with the place where it belongs (stacks/profile/validation.py).
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bedplate.stacks.profile.problem import Problem, ProfileError


@dataclass(frozen=True)
class Renaming:
    """One key."""

    old: str
    """Where it stood, as messages write it without numbers: `pools[].count`."""
    new: str
    """Its name now, in the same section: `nodes`."""
    since: str
    """The minor version that renamed it, `0.2`: throughout that one the old name works."""
    refused: bool = False
    """That minor version is over."""


RENAMED: tuple[Renaming, ...] = ()
"""Each row also has its line in CHANGELOG.md."""


@dataclass(frozen=True)
class Old:
    """An old name in a document."""

    renaming: Renaming
    key: str
    """With the numbers of its place: `pools[1].count`."""
    holder: dict[str, Any]
    """The section that it stands in."""
    name: str

    @property
    def problem(self) -> Problem:
        """What is said about it, as a warning and as a refusal."""
        if self.both:
            return Problem(self.key, self.holder[self.name], f"{self.renaming.new} stands beside it", "keep that one")
        reason = f"since {self.renaming.since} it is called {self.renaming.new}"
        return Problem(self.key, self.holder[self.name], reason, f"write {self.renaming.new}, or `bedplate migrate` it")

    @property
    def both(self) -> bool:
        """Old and new stand side by side: nobody can say which is meant."""
        return self.renaming.new in self.holder


def old_names(document: Mapping[str, Any]) -> list[Old]:
    """Every one in a profile, in the order of the table."""
    return [
        Old(renaming, key, holder, name)
        for renaming in RENAMED
        for key, holder, name in _places(document, renaming.old)
    ]


def with_new_names(
    document: Mapping[str, Any], source: str = "profile", place: Path | None = None, *, refuse: bool = True
) -> Mapping[str, Any]:
    """A profile as today's models take it; raises ProfileError for what is not understood any more."""
    if not RENAMED:
        return document
    new = deepcopy(dict(document))
    renamings = old_names(new)
    if problems := [old.problem for old in renamings if old.both or (refuse and old.renaming.refused)]:
        raise ProfileError(problems, source, place)
    for old in renamings:
        items = [(old.renaming.new if key == old.name else key, value) for key, value in old.holder.items()]
        old.holder.clear()
        old.holder.update(items)
    return new


def warnings(document: Mapping[str, Any], shown: str, file: Path) -> list[str]:
    """A line for each old name that still works."""
    return ProfileError([old.problem for old in old_names(document)]).lines(shown, file)


def _places(value: object, path: str, above: str = "") -> Iterator[tuple[str, dict[str, Any], str]]:
    """Key, section and name of each place that a path without numbers is."""
    name, _, rest = path.partition(".")
    holder = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    plain = name.removesuffix("[]")
    if plain not in holder:
        return
    key = f"{above}{plain}"
    if not rest:
        yield key, holder, plain
    elif plain == name:
        yield from _places(holder[plain], rest, f"{key}.")
    elif isinstance(items := holder[plain], list):
        for index, item in enumerate(cast("list[object]", items)):
            yield from _places(item, rest, f"{key}[{index}].")
