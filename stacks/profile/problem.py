"""What is wrong with a profile, said in one line: the YAML key, the value, the reason and the fix."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pulumi

from bedplate.stacks.profile.bases import places
from bedplate.stacks.profile.secrecy import MASK, is_secret, masked
from bedplate.wrong import WrongError

T = TypeVar("T")
LONGEST = 60


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
