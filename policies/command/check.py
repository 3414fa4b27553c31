"""`bedplate check`: what a run has looked at, and what it found."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bedplate.components.waiver import ANNOTATION
from bedplate.policies.command.settings import FailOn
from bedplate.policies.facts import Facts
from bedplate.policies.judging.baseline import beyond, write_baseline
from bedplate.policies.judging.judge import Levels, judge
from bedplate.policies.judging.kinds import known
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.judging.waiver_files import Waivers, idle, waived, waivers_in
from bedplate.policies.manifests.derived import Derived, derived
from bedplate.policies.manifests.files import upwards
from bedplate.policies.manifests.read import BESIDE, STREAMS, Reading, deployments, read
from bedplate.policies.manifests.schemas import available
from bedplate.policies.reports.outputs import FORMATS
from bedplate.policies.reports.places import Places
from bedplate.policies.values import is_list, is_map, tree
from bedplate.wrong import WrongError

FAILING: Mapping[FailOn, set[str]] = {"mandatory": {"mandatory"}, "advisory": {"mandatory", "advisory"}, "never": set()}
"""Severities that make exit status 1."""
SHOWN = 12
"""Kinds that the end of a report names."""


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    paths: tuple[Path, ...]
    facts: Facts
    levels: Levels
    exclude: tuple[str, ...] = ()
    waivers: tuple[Path, ...] = ()
    baseline: Path | None = None
    new_baseline: Path | None = None
    form: str = "text"
    allow_nothing: bool = False
    """Files without a Kubernetes object are no mistake: a commit hook is handed whatever changed."""
    chart: str = ""
    fail_on: FailOn = "mandatory"
    waivers_beside: bool = True
    """Whether annotations, and files of waivers that nobody named, count."""


def check(wanted: Wanted) -> bool:
    """Judge, report, and say whether no mandatory rule is violated."""
    reading = read(wanted.paths, wanted.exclude, wanted.chart)
    files = _waivers(wanted, reading)
    if not wanted.waivers_beside:
        reading.resources = [replace(each, props=tree(_without_waivers(each.props))) for each in reading.resources]
    parts = deployments(reading.resources)
    known = [derived(part, wanted.facts) for part in parts]
    judged = [
        each
        for part, found in zip(parts, known, strict=True)
        for each in judge(part, found.facts, wanted.levels, complete=False)
    ]
    tally = Tally(reading)
    verdicts, ends = _known(wanted, waived(judged, files))
    if report := FORMATS[wanted.form](verdicts, Places(reading.origins), reading.faults):
        sys.stdout.write(f"{report}\n")
    end = sys.stdout if wanted.form == "text" else sys.stderr
    end.writelines(f"{line}\n" for line in (*tally.lines(), *_derived(known), *ends, *idle(judged, files)))
    if faults := reading.faults or ([] if tally.judged or wanted.allow_nothing else [tally.nothing(wanted.paths)]):
        raise WrongError("\n".join(faults))
    return wanted.new_baseline is not None or not any(
        verdict.severity in FAILING[wanted.fail_on] for verdict in verdicts
    )


def _without_waivers(value: object) -> object:
    """The same without annotations that waive a rule, on the object and on its pod templates."""
    if is_map(value):
        return {key: _without_waivers(below) for key, below in value.items() if not key.startswith(f"{ANNOTATION}/")}
    return [_without_waivers(item) for item in value] if is_list(value) else value


def _derived(known: list[Derived]) -> list[str]:
    """What was not stated but found, so that nobody wonders why a rule knows the platform."""
    return [f"derived: {said}" for said in sorted({each.said for each in known if each.said})]


def _waivers(wanted: Wanted, reading: Reading) -> list[Waivers]:
    """The files that are named, and those beside the manifests."""
    named = [waivers_in(file, everywhere=True) for file in wanted.waivers]
    if not wanted.waivers_beside:
        return named
    folders = [Path() if str(path) in STREAMS else path if path.is_dir() else path.parent for path in wanted.paths]
    above = (each for folder in folders for each in upwards(folder, BESIDE))
    beside = {each.resolve(): each for each in (*above, *reading.waivers)}.values()
    return [*named, *(waivers_in(file, everywhere=False) for file in sorted(beside))]


def _known(wanted: Wanted, verdicts: list[Verdict]) -> tuple[list[Verdict], list[str]]:
    """The verdicts that a baseline does not know, and what the end says about it."""
    if wanted.new_baseline:
        return verdicts, [f"{wanted.new_baseline}: {write_baseline(wanted.new_baseline, verdicts)} complaints written"]
    if wanted.baseline is None:
        return verdicts, []
    compared = beyond(verdicts, wanted.baseline)
    return compared.new, [compared.line(wanted.baseline)]


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
        if not available():
            yield "fields were not held against schemas: install bedplate[schema] for it"
        for what, number in sorted(self.reading.skipped.items()):
            yield f"skipped: {number} \N{MULTIPLICATION SIGN} {what}"

    def nothing(self, paths: Sequence[object]) -> str:
        """Why a run that judged nothing is no success."""
        where = " ".join(map(str, paths))
        return f"{where}: nothing was judged; name files or folders with Kubernetes objects, or pipe them to `check -`"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
