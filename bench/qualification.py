"""Whether a node that has not passed ever gets a pod while its gate is killed: `python -m bench.qualification`.

Real scheduler, real Kueue, simulated nodes, the gate as its users start it. Jobs of two teams wait from the beginning
and come in as nodes pass; they ask for more GPUs than the sound nodes have and stay until the gate is done, so that
some wait at every moment. Some nodes are bad, each in one of four ways. The gate gets SIGKILL at moments drawn by lot
all over its work, and is started again. `bench/witness.py` says what was true at every moment.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from unittest.mock import patch

import yaml
from rich.console import Console

from bedplate.components.facts import Facts
from bedplate.lab import LabError
from bedplate.lab.cluster import Cluster
from bedplate.progress import progress
from bench.killed import work
from bench.lab import GPUS_PER_NODE
from bench.measured import show
from bench.planted import stand_in
from bench.queues import SENDERS, job, on_rails, queued
from bench.witness import Judged, Witness, judged

TEAMS = ("research", "platform")
GANG = 40
"""Pods of a job, with a GPU each."""
STAYS = "24h"


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    nodes: int = 1000
    bad: int = 30
    pods: int = 10_000
    kills: int = 20
    at_once: int = 32
    """Nodes under test."""
    seed: int = 1
    patience: float = 3600
    """Seconds that each step may take."""

    @property
    def jobs(self) -> int:
        """Of both teams: whole ones."""
        return self.pods // GANG

    @property
    def room(self) -> int:
        """Jobs that the sound nodes hold."""
        return (self.nodes - self.bad) * GPUS_PER_NODE // GANG


@dataclass(frozen=True)
class Figures:
    """What was seen."""

    judged: Judged
    bad: frozenset[str]
    out: Mapping[str, str]
    """Nodes that stayed out, with the reason on them."""
    tested: int
    kills: int
    seconds: float
    """From the gate's first start to its last end."""
    rest: float
    """From then until every pod has had a node."""


def measure(size: Size, name: str = "qualification") -> Figures:
    """All of it, on a lab of its own."""
    written = profile(size, name)
    with queued(written, name) as (cluster, known), TemporaryDirectory() as folder:
        return _watched(cluster, known, written, size, Path(folder))


def profile(size: Size, name: str) -> dict[str, Any]:
    """A datacenter with a gate before its nodes."""
    section = {"team": TEAMS[0], "image": "example.com/pytorch:1", "qualify": {"atOnce": size.at_once}}
    teams = {"teams": [{"name": team, "borrow": False} for team in TEAMS]}
    return on_rails(size.nodes) | {"context": f"kwok-{name}", "tenancy": teams, "verification": section}


def _watched(cluster: Cluster, known: Facts, written: Mapping[str, Any], size: Size, folder: Path) -> Figures:
    lots = Random(size.seed)  # noqa: S311 - no secret
    bad = frozenset(f"h100-{number}" for number in lots.sample(range(size.nodes), size.bad))
    shown = stand_in(folder, Path(cluster.kubectl_command[0]), bad)
    (folder / "site.yaml").write_text(yaml.safe_dump(dict(written)))
    witness = Witness(cluster.context, TEAMS, size.patience)
    with patch.dict(os.environ, {**shown, "KUBECONFIG": str(cluster.kubeconfig)}):
        witness.start()
        with progress(f"{size.pods:,} pods come to the queues"):
            _submit(cluster, known, size)
        began = monotonic()
        with progress("the gate works, and is killed"):
            kills = work(witness, folder, lots, cues(lots, size), size.patience)
        ended = monotonic()
        with progress("the rest comes in"):
            _rest(cluster, witness, size)
        witness.over = True
    if witness.lost:
        raise LabError("; ".join(witness.lost))
    out = {node: reason for node, reason in witness.tested.items() if reason}
    seen = judged(list(witness.events))
    return Figures(seen, bad, out, len(witness.tested), kills, ended - began, monotonic() - ended)


def _rest(cluster: Cluster, witness: Witness, size: Size) -> None:
    """Once the sound nodes are full, those that run go, and those that still wait come."""
    if not witness.until(lambda: len(witness.held) >= size.room * GANG, size.patience):
        raise LabError(f"{len(witness.held)} pods have a node, and the sound nodes hold {size.room * GANG}")
    runs = "jsonpath={.items[?(@.spec.suspend==false)].metadata.name}"
    # Of both teams before any goes: what comes into the room of one team's jobs must not be taken for old.
    old = {team: cluster.kubectl("get", "jobs", "--namespace", team, "-o", runs).split() for team in TEAMS}
    for team, names in old.items():
        cluster.kubectl("delete", "jobs", "--namespace", team, "--wait=false", *names)
    witness.until(lambda: len(witness.held) >= size.jobs * GANG, size.patience)


def _submit(cluster: Cluster, known: Facts, size: Size) -> None:
    """As the teams' members would, half of the jobs each."""
    said = {"kind": "Job", "nodes": GANG, "gpusPerNode": 1, "annotations": {"lab.bedplate/runs-for": STAYS}}
    jobs = [job(known, name=f"train-{n}", team=TEAMS[n % len(TEAMS)], **said) for n in range(size.jobs)]
    parts = filter(None, ([o for made in jobs[n::SENDERS] for o in made] for n in range(SENDERS)))
    with ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(cluster.create, parts))


def cues(lots: Random, size: Size) -> list[int]:
    """How many nodes are tested at each kill: all over its work, but for the last tenth, which may be short."""
    return sorted(lots.sample(range(1, size.nodes * 9 // 10), size.kills))


def faults(figures: Figures, size: Size) -> list[str]:
    """What should not be."""
    seen = figures.judged
    unnamed, wronged = figures.bad - figures.out.keys(), figures.out.keys() - figures.bad
    return [
        *(f"a pod stood on a node that was not in: {one}" for one in seen.wrong),
        *(f"{node} is bad, and in" for node in sorted(unnamed)),
        *(f"{node} is sound, and out: {figures.out[node]}" for node in sorted(wronged)),
        *([f"{seen.most_tests} nodes were under test"] if seen.most_tests > size.at_once else []),
        *([f"{seen.placed} pods were placed"] if seen.placed < size.jobs * GANG else []),
        *([] if seen.fewest_waiting else ["at a time no job waited"]),
        *([f"{figures.tested} nodes were tested"] if figures.tested != size.nodes else []),
    ]


def main(words: Sequence[str]) -> int:
    """Measure and print."""
    size = Size(*map(int, words))
    figures = measure(size)
    seen = figures.judged
    rows = (
        ("pods on nodes that had not passed", len(seen.wrong)),
        ("pods placed, on sound nodes", f"{seen.placed:,} on {seen.nodes:,}"),
        ("bad nodes out and named", f"{len(figures.bad & figures.out.keys())} of {size.bad}"),
        ("sound nodes out", len(figures.out.keys() - figures.bad)),
        ("nodes under test at once, at most", f"{seen.most_tests} of {size.at_once}"),
        ("jobs waiting meanwhile, at least", seen.fewest_waiting),
        ("the gate's work", f"{figures.seconds:.0f} s"),
        ("until every pod had a node", f"{figures.rest:.0f} s"),
    )
    title = f"{size.nodes:,} nodes, {size.bad} of them bad, the gate killed {figures.kills} times"
    show(("what", "figure"), rows, title)
    wrong = faults(figures, size)
    Console().print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
