"""Files of waivers: beside the manifests that they are about, or named on the command line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bedplate.components.waiver import Waiver, WaiverFile
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.judging.waivers import listed, today
from bedplate.policies.manifests.records import line_of, record_in, shown
from bedplate.policies.rule import REGISTRY
from bedplate.wrong import WrongError


@dataclass(frozen=True)
class Waivers:
    """The waivers of one file."""

    file: Path
    everywhere: bool
    """Whether it was named, and so holds for every manifest; else for those beside and below it."""
    waivers: tuple[Waiver, ...]

    def reaches(self, verdict: Verdict) -> bool:
        """Whether the verdict's manifest is one that the file is about."""
        return self.everywhere or self.file.parent.resolve() in Path(verdict.file).resolve().parents


def waivers_in(file: Path, *, everywhere: bool) -> Waivers:
    """The waivers of a file; what is wrong with it is said by key."""
    stated = record_in(file, WaiverFile, "waivers: [{rule: NCCL-310, resource: 'Pod a/b', reason: ...}]")
    for place, each in enumerate(stated.waivers):
        if each.rule not in REGISTRY:
            steps = ("waivers", place, "rule")
            where = f"{file}: line {line_of(file.read_bytes(), steps)}: {shown(steps)}"
            raise WrongError(f"{where}: {each.rule}: no rule has this name")
    return Waivers(file, everywhere, stated.waivers)


def waived(verdicts: Iterable[Verdict], files: Iterable[Waivers]) -> list[Verdict]:
    """The verdicts, as waived where a file allows them."""
    return sorted(_waived(verdict, tuple(files)) for verdict in verdicts)


def _waived(verdict: Verdict, files: tuple[Waivers, ...]) -> Verdict:
    for each in files:
        allowed = listed(each.waivers, verdict.rule, verdict.resource) if each.reaches(verdict) else None
        if allowed and verdict.severity != "waived":
            return allowed.applied(verdict, today())
    return verdict


def idle(verdicts: Iterable[Verdict], files: Iterable[Waivers]) -> Iterator[str]:
    """Waivers that no complaint needs: what they allowed is mended, or their resource is misspelt."""
    found = list(verdicts)
    for each in files:
        for waiver in each.waivers:
            if not any(waiver.covers(one.rule, one.resource) and each.reaches(one) for one in found):
                yield f"waiver without a complaint: {waiver.rule} {waiver.resource} ({each.file})"
