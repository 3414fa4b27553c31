"""`bedplate check`: what a run has looked at, and what it found."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

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
from bedplate.policies.mending.files import mended
from bedplate.policies.reports.outputs import FORMATS
from bedplate.policies.reports.places import Places
from bedplate.policies.values import is_list, is_map, tree
from bedplate.progress import progress
from bedplate.wrong import WrongError

FAILING: Mapping[FailOn, set[str]] = {"mandatory": {"mandatory"}, "advisory": {"mandatory", "advisory"}, "never": set()}
"""Severities that make exit status 1."""
ROUNDS = 5
"""What is mended may show what was hidden behind it; no chain of ours is longer than two."""
SHOWN = 12
"""Kinds that the end of a report names."""


@dataclass(frozen=True)
class Request:
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
    fix: Literal["write", "diff"] | None = None
    """Whether what has one answer is mended in the files, or only shown."""
    cluster: str | None = None
    """The kubeconfig's context whose cluster is judged instead of files; empty: its current one."""


def check(request: Request) -> bool:
    """Judge, report, and say whether nothing fails the run."""
    outcome = _outcome(request)
    if request.fix is None:
        return _report(request, outcome, [])
    mending = mended(outcome.verdicts, outcome.reading)
    if request.fix == "diff":
        _unaltered(mending.diff())
        return _report(request, outcome, list(mending.lines("would mend"))) and not mending.after
    said = list[str]()
    for _ in range(ROUNDS):
        said += mending.lines("mended")
        if not mending.after:
            break
        mending.write()
        outcome = _outcome(request)
        mending = mended(outcome.verdicts, outcome.reading)
    return _report(request, outcome, list(dict.fromkeys(said)))


def _unaltered(patch: str) -> None:
    """For another program each character counts: of CRLF a terminal alone is shown a picture."""
    stream = sys.stdout if sys.stdout.isatty() else getattr(sys.stdout, "beneath", sys.stdout)
    stream.write(patch)


@dataclass(frozen=True)
class Outcome:
    """What a run has found."""

    reading: Reading
    known: list[Derived]
    judged: list[Verdict]
    """All of it, and then what a baseline does not know."""
    verdicts: list[Verdict]
    ends: list[str]
    files: list[Waivers]


def _outcome(request: Request) -> Outcome:
    where = "the cluster" if request.cluster is not None else ", ".join(map(str, request.paths))
    with progress(f"Judging {where}"):
        return _judged(request)


def _judged(request: Request) -> Outcome:
    if request.cluster is not None:
        request, reading = _running(request, request.cluster)
    else:
        reading = read(request.paths, request.exclude, request.chart)
    files = _waivers(request, reading)
    if not request.waivers_beside:
        reading.resources = [replace(each, props=tree(_without_waivers(each.props))) for each in reading.resources]
    parts = deployments(reading.resources)
    known = [derived(part, request.facts) for part in parts]
    pairs = zip(parts, known, strict=True)
    judged = [one for part, found in pairs for one in judge(part, found.facts, request.levels, complete=False)]
    verdicts, ends = _known(request, waived(judged, files))
    return Outcome(reading, known, judged, verdicts, ends, files)


def _running(request: Request, context: str) -> tuple[Request, Reading]:
    """What runs, and the same with the release of Kubernetes that the server says."""
    from bedplate.cluster.kubectl import get  # noqa: PLC0415 (who judges files does not pay for it)
    from bedplate.policies.command.running import read_cluster, server_version  # noqa: PLC0415

    ask = partial(get, context)
    stated = request.facts.kubernetes_version or server_version(ask)
    facts = request.facts.model_copy(update={"kubernetes_version": stated})
    return replace(request, facts=facts), read_cluster(ask, request.exclude)


def _report(request: Request, outcome: Outcome, said: list[str]) -> bool:
    tally, reading, verdicts = Tally(outcome.reading), outcome.reading, outcome.verdicts
    whole = "(all files)" if request.cluster is None else "(the cluster)"
    if report := FORMATS[request.form](verdicts, Places(reading.origins, reading.resources, whole), reading.faults):
        sys.stdout.write(f"{report}\n")
    end = sys.stdout if request.form == "text" else sys.stderr
    idle_ones = idle(outcome.judged, outcome.files)
    end.writelines(f"{line}\n" for line in (*said, *tally.lines(), *_derived(outcome.known), *outcome.ends, *idle_ones))
    if faults := reading.faults or ([] if tally.judged or request.allow_nothing else [tally.nothing(request.paths)]):
        raise WrongError("\n".join(faults))
    failing = FAILING[request.fail_on]
    return request.new_baseline is not None or not any(verdict.severity in failing for verdict in verdicts)


def _without_waivers(value: object) -> object:
    """The same without annotations that waive a rule, on the object and on its pod templates."""
    if is_map(value):
        return {key: _without_waivers(below) for key, below in value.items() if not key.startswith(f"{ANNOTATION}/")}
    return [_without_waivers(item) for item in value] if is_list(value) else value


def _derived(known: list[Derived]) -> list[str]:
    """What was not stated but found, so that nobody wonders why a rule knows the platform."""
    return [f"derived: {said}" for said in sorted({each.said for each in known if each.said})]


def _waivers(request: Request, reading: Reading) -> list[Waivers]:
    """The files that are named, and those beside the manifests."""
    named = [waivers_in(file, everywhere=True) for file in request.waivers]
    if not request.waivers_beside:
        return named
    folders = [Path() if str(path) in STREAMS else path if path.is_dir() else path.parent for path in request.paths]
    above = (each for folder in folders for each in upwards(folder, BESIDE))
    beside = {each.resolve(): each for each in (*above, *reading.waivers)}.values()
    return [*named, *(waivers_in(file, everywhere=False) for file in sorted(beside))]


def _known(request: Request, verdicts: list[Verdict]) -> tuple[list[Verdict], list[str]]:
    """The verdicts that a baseline does not know, and what the end says about it."""
    if request.new_baseline:
        return verdicts, [
            f"{request.new_baseline}: {write_baseline(request.new_baseline, verdicts)} complaints written"
        ]
    if request.baseline is None:
        return verdicts, []
    compared = beyond(verdicts, request.baseline)
    return compared.new, [compared.line(request.baseline)]


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
        where = f" in {_count(self.reading.files, 'file')}" if self.reading.files else ""
        yield f"{_count(self.judged, 'object')} judged{where}"
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
