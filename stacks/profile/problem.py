"""What is wrong with a profile, said in one line: the YAML key, the value, the reason and the fix.

Key, reason and fix of each check stand in `problems/` beside this file, a file a subject, read when an error is to be
said. `{pool.name}` there is what the check passes as `pool`; of a list all items are named, `{teams:or}` with "or".
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, TypeVar

import pulumi

from bedplate.stacks.profile.bases import places
from bedplate.stacks.profile.secrecy import MASK, is_secret, masked
from bedplate.wrong import WrongError

T = TypeVar("T")
LONGEST = 60
PROBLEMS = Path(__file__).with_name("problems")


@dataclass(frozen=True)
class Problem:
    """One fault."""

    key: str
    """Path below `bedplate:profile`, such as `pools[0].shape`."""
    value: object
    reason: str
    fix: str

    def __str__(self) -> str:
        """The line that a user reads; a value that may be a secret is not shown."""
        return masked(f"{self.key} = {shown(self.key, self.value)}: {self.reason}; {self.fix}")


@cache
def words(subject: str) -> Mapping[str, Mapping[str, str]]:
    """The templates of a subject's problems, by their names."""
    return tomllib.loads((PROBLEMS / f"{subject}.toml").read_text(encoding="utf-8"))


class _Words(Formatter):
    """Names the items of a list, with a word before the last ones."""

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - as the standard library has it
        """`;` stands without a space before it, and no word is a comma."""
        if not isinstance(value, list | tuple | Mapping):
            return super().format_field(value, format_spec)
        between = {"": ", ", ";": "; "}.get(format_spec, f" {format_spec} ")
        return between.join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]


def problem(name: str, value: object = None, key: str = "", /, **about: object) -> Problem:
    """The problem of such a name, `subject.name`: the value at fault, `key` of its words, and what they speak of."""
    subject, _, own = name.partition(".")
    about = {"key": key, **about}
    place, reason, fix = (_Words().vformat(words(subject)[own][part], (), about) for part in ("key", "reason", "fix"))
    return Problem(place, value, reason, fix)


def keyed(key: str, items: Iterable[T]) -> Iterator[tuple[str, T]]:
    """Each item of a list with its key, such as `pools[0]`."""
    return ((f"{key}[{index}]", item) for index, item in enumerate(items))


class ProfileError(WrongError, pulumi.RunError):
    """The profile cannot be deployed; the message has one line per fault, and nothing was touched."""

    def __init__(self, problems: list[Problem], source: str = "profile", place: Path | None = None) -> None:
        self.problems = problems
        super().__init__("\n".join(self.lines(source, place or Path(source))))

    def lines(self, shown: str, file: Path) -> list[str]:
        """One for each fault, with its line in the file where that is in sight."""
        keys = [problem.key for problem in self.problems]
        heads = places(file, shown, keys) if file.is_file() else [shown] * len(keys)
        return [f"{head}: {problem}" for head, problem in zip(heads, self.problems, strict=True)]


def shown(key: str, value: object) -> str:
    """`value` in one line, short, and masked where it or its key looks like a secret."""
    if is_secret(key, value):
        return MASK
    text = "absent" if value is None else masked(" ".join(str(value).split()))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
