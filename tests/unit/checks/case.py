"""One profile at the edge of a rule, and every line that refuses it."""

import copy
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from bedplate.stacks.checks.check import check
from bedplate.stacks.load import secrets_in
from bedplate.stacks.profile.models import empty_sections
from bedplate.stacks.profile.profile import Profile
from tests.refusals import says
from tests.stack_files import document

GONE = object()
Document = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A profile, and of each line that it brings the words that must be in it; no lines: it is taken."""

    profile: Profile
    lines: tuple[tuple[str, ...], ...]

    def holds(self) -> bool:
        """As many lines as are named, each with its words."""
        found = self.said()
        return len(found) == len(self.lines) and all(any(says(line, words) for line in found) for words in self.lines)

    def said(self) -> list[str]:
        """What the checks say of the profile."""
        return [str(problem) for problem in check(self.profile)]


@dataclass(frozen=True)
class Refusal(Case):
    """A profile that some line must refuse; others may say more."""

    def holds(self) -> bool:
        """Some line has all words."""
        (words,) = self.lines
        return any(says(line, words) for line in self.said())


def taken(profile: Document) -> Case:
    """A sound profile."""
    return Case(Profile.model_validate(profile), ())


def refused(profile: Document, *lines: tuple[str, ...]) -> Case:
    """A profile with these faults and no others."""
    return Case(Profile.model_validate(profile), lines)


def checked(profile: Document, words: tuple[str, ...]) -> Refusal | None:
    """A refusal by the checks; None where the model, or the look for secrets and empty sections, refuses it before."""
    if list(secrets_in(profile)) or list(empty_sections(profile, Profile)):
        return None
    try:
        return Refusal(Profile.model_validate(profile), (words,))
    except ValidationError:
        return None


def edited(base: str | Document, changes: dict[str, Any]) -> Document:
    """A stack's profile, or another, with values put at dotted paths; numbers index lists, the next one appends."""
    profile = document(base) if isinstance(base, str) else copy.deepcopy(base)
    for path, value in changes.items():
        *above, last = path.split(".")
        target: Any = profile
        for key in above:
            target = target[int(key)] if isinstance(target, list) else target.setdefault(key, {})
        _put(target, last, value)
    return profile


def _put(target: Any, key: str, value: object) -> None:
    if isinstance(target, list) and int(key) == len(target):
        target.append(value)
    elif isinstance(target, list):
        target[int(key)] = value
    elif value is GONE:
        target.pop(key, None)
    else:
        target[key] = value
