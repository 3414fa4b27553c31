"""What a change does to every cluster of a fleet: one row each, the worst first."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.fleet.member import Formation, Member
from bedplate.fleet.plans import graph_of
from bedplate.folders import PACKAGE
from bedplate.plan.deployment import deployment
from bedplate.review.danger import Danger
from bedplate.review.findings import Finding, failing, findings
from bedplate.review.plans import Plan, of_states, read, tree_of
from bedplate.review.reach import reached
from bedplate.review.show import summary
from bedplate.stacks.facts.derive import facts
from bedplate.wrong import WrongError

SECONDS = 3600
"""How long the other side may take: 50 clusters take half a minute."""
HERE = "."


@dataclass(frozen=True)
class Row:
    """One cluster's."""

    name: str
    wave: str
    """Empty: it has left the fleet."""
    version_sets: tuple[str, str]
    changes: tuple[Finding, ...]
    at_risk: int
    """GPUs whose jobs the change disturbs."""
    gpus: int
    is_new: bool = False

    @property
    def danger(self) -> Danger:
        """The worst that is in it."""
        return max((each.judgement.danger for each in self.changes), default=Danger.NOTHING)

    @property
    def says(self) -> str:
        """All of it in a phrase."""
        if not self.wave:
            return "leaves the fleet, and stays as it is"
        return "joins the fleet" if self.is_new else summary(list(self.changes))

    @property
    def acknowledged(self) -> tuple[str, ...]:
        """What the profile says of its dangers."""
        return tuple(dict.fromkeys(each.acknowledged for each in self.changes if each.acknowledged))

    def as_json(self, level: Danger | None) -> dict[str, Any]:
        """What a machine reads."""
        refused = failing(self.changes, level) if level else []
        return {
            "cluster": self.name,
            "wave": self.wave or None,
            "danger": self.danger.label,
            "summary": self.says,
            "gpusAtRisk": self.at_risk,
            "gpus": self.gpus,
            "sets": list(self.version_sets),
            "acknowledged": list(self.acknowledged),
            "refused": [each.title for each in refused],
            "changes": [each.as_json() for each in self.changes],
        }


def rows(formed: Formation, earlier: Path) -> list[Row]:
    """Of the fleet against the plans of an earlier one, a folder of `bedplate fleet plan --out`."""
    before = {each.name: each for each in earlier.iterdir() if (each / "deployment.json").is_file()}
    here = [_row(formed, member, before.pop(member.name, None)) for member in formed.members]
    gone = [Row(name, "", (_set(read(name, each)), ""), (), 0, 0) for name, each in before.items()]
    return sorted([*here, *gone], key=lambda row: (-row.danger, -row.at_risk, row.name))


def _row(formed: Formation, member: Member, before: Path | None) -> Row:
    wave, now = formed.wave_of(member.name), member.profile.version_set or ""
    if before is None:
        return Row(member.name, wave, ("", now), (), 0, member.gpus, is_new=True)
    graph = graph_of(member)
    old = read("before", before)
    new = Plan("now", of_states(deployment(graph)["deployment"]["resources"]), graph.profile)
    changes = findings(old, new)
    gpus = sum(pool.total_gpus for pool in reached(changes, facts(member.profile)))
    return Row(member.name, wave, (_set(old), now), tuple(changes), gpus, member.gpus)


def _set(plan: Plan) -> str:
    return str((plan.profile or {}).get("set") or "")


def refused(changes: Iterable[Row], level: Danger) -> Iterator[tuple[str, Finding]]:
    """What no profile acknowledges, with its cluster."""
    return ((row.name, each) for row in changes for each in failing(row.changes, level))


@contextmanager
def planned_at(revision: str, file: Path) -> Generator[Path]:
    """A folder with the plans of the fleet as it was; an earlier `fleet plan --out` is taken as it is."""
    if (Path(revision) / "fleet.json").is_file():
        yield Path(revision)
        return
    top = _top(file)
    with tempfile.TemporaryDirectory(prefix="bedplate-fleet-") as scratch, tree_of(revision, top) as tree:
        out = Path(scratch) / "plans"
        out.mkdir()
        there = tree / file.resolve().relative_to(top)
        if there.is_file():  # else there was no fleet, and every cluster is new to it
            _plan(revision, there, tree, out)
        yield out


def _top(file: Path) -> Path:
    git = shutil.which("git") or "git"
    words = [git, "-C", str(file.resolve().parent), "rev-parse", "--show-toplevel"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        fix = "run it in a clone, or name a folder of `bedplate fleet plan --out`"
        raise WrongError(f"{file}: lies in no git repository; {fix}")
    return Path(done.stdout.strip())


def _plan(revision: str, file: Path, tree: Path, out: Path) -> None:
    """By the code of that revision, where the repository has Bedplate in it; else by this one."""
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(PACKAGE.parent))))
    words = [sys.executable, "-m", "bedplate", "fleet", "plan", str(file), "--out", str(out), "--json"]
    environment = {**os.environ, "PYTHONPATH": path}
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            words, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise WrongError(f"{revision}: no plans of the fleet after {SECONDS} s") from error
    try:
        faults = [each["fault"] for each in json.loads(done.stdout)["clusters"] if each["fault"]]
    except (ValueError, KeyError):
        faults = done.stderr.strip().splitlines() or ["no plans were written"]
    if faults:
        raise WrongError("\n".join(f"{revision}: {line}" for line in faults))
