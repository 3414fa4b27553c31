"""A baseline: what a repository had before, written by the check itself, so that it can refuse what is new."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from typing import Any

from bedplate.components.bounded_yaml import parsed_json
from bedplate.policies.judging.verdict import Verdict
from bedplate.wrong import WrongError

FIELDS = ("rule", "file", "resource", "count")
Key = tuple[str, str, str]
"""Rule, file, resource: a complaint keeps them while lines and numbers change."""


def _key(verdict: Verdict, folder: Path) -> Key:
    return verdict.rule, Path(relpath(verdict.file, folder)).as_posix() if verdict.file else "", verdict.resource


def write_baseline(file: Path, verdicts: Iterable[Verdict]) -> int:
    """Write what there is now, and say how many; waived complaints are known already."""
    keys = Counter(_key(each, file.parent) for each in verdicts if each.severity != "waived")
    known = [dict(zip(FIELDS, (*key, keys[key]), strict=True)) for key in sorted(keys)]
    file.write_text(json.dumps({"known": known}, indent=1) + "\n", encoding="utf-8")
    return keys.total()


def read_baseline(file: Path) -> Counter[Key]:
    """How often each complaint was there when the baseline was written."""
    try:
        stated: Any = parsed_json(file.read_bytes())
        return Counter({(each["rule"], each["file"], each["resource"]): int(each["count"]) for each in stated["known"]})
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "strerror", None) or "it is no baseline; write it with --write-baseline"
        raise WrongError(f"--baseline {file}: {reason}") from None


@dataclass(frozen=True)
class Compared:
    """Verdicts against a baseline."""

    new: list[Verdict]
    known: int
    gone: int

    def line(self, file: Path) -> str:
        """What the end of a report says about it."""
        gone = f", {self.gone} of it gone: write it anew" if self.gone else ""
        return f"known from {file}: {self.known}{gone}"


def beyond(verdicts: Iterable[Verdict], file: Path) -> Compared:
    """The verdicts that are new, how many are known, and how many known ones are gone."""
    left = read_baseline(file)
    new: list[Verdict] = []
    known = 0
    for verdict in verdicts:
        key = _key(verdict, file.parent)
        if verdict.severity != "waived" and left[key] > 0:
            left[key] -= 1
            known += 1
        else:
            new.append(verdict)
    return Compared(new, known, (+left).total())
