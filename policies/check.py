"""`python -m policies check`: what a run has looked at, and what it found."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policies.judge import Verdict
from policies.kinds import known
from policies.manifests import Reading

SHOWN = 12
"""Kinds that the end of a report names."""


@dataclass(frozen=True)
class Tally:
    """What a run has looked at: the end of every report, so that no silence passes for a clean result."""

    reading: Reading

    @property
    def unknown(self) -> Counter[str]:
        """Objects of kinds that no rule knows."""
        return Counter(each.kind or "(no kind)" for each in self.reading.resources if not known(each))

    @property
    def judged(self) -> int:
        """Objects of the other kinds."""
        return len(self.reading.resources) - self.unknown.total()

    def lines(self) -> Iterator[str]:
        """Objects and files, then what was not judged and why."""
        yield f"{_count(self.judged, 'object')} judged in {_count(self.reading.files, 'file')}"
        if self.unknown:
            named = [f"{kind} ({number})" for kind, number in self.unknown.most_common(SHOWN)]
            more = [f"and {len(self.unknown) - SHOWN} more"] if len(self.unknown) > SHOWN else []
            yield f"not judged, of kinds that no rule knows: {', '.join([*named, *more])}"
        for what, number in sorted(self.reading.skipped.items()):
            yield f"skipped: {number} \N{MULTIPLICATION SIGN} {what}"

    def nothing(self, paths: Sequence[object]) -> str:
        """Why a run that judged nothing is no success."""
        where = " ".join(map(str, paths))
        return f"{where}: nothing was judged; name files or folders with Kubernetes objects, or pipe them to `check -`"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def violated(verdicts: list[Verdict]) -> bool:
    """Whether a mandatory rule is."""
    return any(verdict.severity == "mandatory" for verdict in verdicts)
