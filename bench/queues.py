"""What the stack's queues cost at scale, on this machine and in this run: `make bench`.

The real Kueue and JobSet as the stack configures them, the real scheduler, simulated nodes. Two loads, each through the
queues and then past them, in a namespace that Kueue leaves alone: more jobs of one node than can be looked at at once,
and a gang of 512 whole nodes that must stand in one block. Seconds run from the first request until a watch has shown
every job complete, or every pod of the gang running.
"""

import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from bedplate.components.facts import Facts
from bedplate.components.training.render import manifests
from bedplate.components.workload.kinds import Kind
from bedplate.lab import LabError
from bedplate.lab.binaries import provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.controllers import choice
from bedplate.lab.controllers.install import install
from bedplate.lab.nodes import TOPOGRAPH, nodes
from bedplate.lab.watch import PHASE, condition, counts, watch
from bedplate.plan.capture import capture_config
from bedplate.progress import progress
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.load import load
from bedplate.stacks.profile.stack_file import PROFILE_KEY
from bench.lab import datacenter, peaks
from bench.measured import seconds, show

CONTROLLERS = ("kueue", "jobset")
BLOCK, RACK = TOPOGRAPH
GANG = 512
"""Nodes of the gang, and of a block: it fits exactly."""
TEAM, PAST = "research", "past"
SENDERS = 8
"""Of kubectl, each of which may send 300 requests before it slows itself down to 50 a second."""
PATIENCE = 1800


@dataclass(frozen=True)
class Figures:
    """Seconds by name, through the queues and past them, and MiB by process."""

    through: Mapping[str, float]
    past: Mapping[str, float]
    memory: Mapping[str, int]
    blocks: int
    """In which the gang of the queues stands."""


def measure(size: int, jobs: int, name: str = "queues") -> Figures:
    """Both loads on so many nodes."""
    with queued(on_rails(size), name) as (cluster, known):
        cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PAST}}])
        past = _loads(cluster, known, jobs, PAST)
        with progress("taking the first loads away"):
            cluster.kubectl("delete", "namespace", PAST, f"--timeout={PATIENCE}s")
        through = _loads(cluster, known, jobs, TEAM)
        return Figures(through, past, peaks(cluster), len(_blocks(cluster)))


@contextmanager
def queued(document: Mapping[str, Any], name: str) -> Generator[tuple[Cluster, Facts]]:
    """A lab with the profile's nodes, in blocks, and the real Kueue and JobSet; gone afterwards."""
    profile, graph = load(document), capture_config("bench", {PROFILE_KEY: document})
    chosen = choice.built(choice.choose(graph, build=True))
    if missing := [f"{one}: {chosen.played[one]}" for one in CONTROLLERS if one not in chosen.real]:
        raise LabError("; ".join(missing))
    cluster, joining = Cluster(name, provide(), real=tuple(chosen.real)), list(in_blocks(nodes(profile)))
    try:
        with progress("starting the control plane"):
            cluster.start()
        with progress(f"{len(joining):,} nodes join"):
            cluster.create(joining)
            watch(cluster, "nodes", condition("Ready"), counts("True", len(joining)), PATIENCE)
        with progress("starting Kueue and JobSet"):
            install(cluster, graph, chosen)
        yield cluster, facts(profile)
    finally:
        cluster.stop()


def on_rails(size: int) -> dict[str, Any]:
    """A profile of so many DGX H100 on RoCE, one team and three levels of topology: block, rack, node."""
    return datacenter(
        size,
        fabric={
            "kind": "roce",
            "exposure": "shared",
            "rails": [f"rail{i}" for i in range(8)],
            "ipam": {"kind": "nv-ipam", "network": "10.0.0.0/12", "railPrefix": 15},
        },
        networkOperator={},
        tenancy={"teams": [{"name": TEAM}]},
        scheduling={"kind": "kueue", "topology": {"levels": [BLOCK, RACK]}},
        training={"jobset": {}},
    )


def in_blocks(some: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The nodes in blocks as large as the gang, those with GPUs first."""
    for index, node in enumerate(some):
        node["metadata"]["labels"][BLOCK] = f"block-{index // GANG}"
        yield node


def _loads(cluster: Cluster, known: Facts, jobs: int, place: str) -> dict[str, float]:
    """Seconds of each load."""
    name = "past the queues" if place == PAST else "through the queues"
    small = [_whole(known, "Job", f"small-{i}", 1, "1s") for i in range(jobs)]
    with progress(f"{jobs:,} jobs {name}"):
        many = seconds(lambda: _complete(cluster, [_at(one, place) for job in small for one in job], place, jobs))
    gang = [_at(one, place) for one in _whole(known, "JobSet", "gang", GANG, "1h")]
    with progress(f"a gang of {GANG} nodes {name}"):
        placed = seconds(lambda: _runs(cluster, gang, place))
    return {f"{jobs:,} jobs of one node complete": many, f"gang of {GANG} nodes running": placed}


def job(known: Facts, **stated: object) -> list[dict[str, Any]]:
    """The objects of a team's job, as its members would write it."""
    usual = {"image": "example.com/train:1", "script": ["train.py"], "grace": 1}
    return manifests(load_job(usual | stated, known), known)


def _whole(known: Facts, kind: Kind, name: str, size: int, runs_for: str) -> list[dict[str, Any]]:
    """A job of whole nodes that says for how long the lab lets it run."""
    block = {"topology": {"required": BLOCK}} if size > 1 else {}
    runs = {"lab.bedplate/runs-for": runs_for}
    return job(known, name=name, team=TEAM, kind=kind, nodes=size, annotations=runs, **block)


def _at(one: dict[str, Any], place: str) -> dict[str, Any]:
    """The same object in another namespace; without its queue where that is not the team's."""
    labels: dict[str, str] = one["metadata"]["labels"]
    kept = {key: value for key, value in labels.items() if place == TEAM or "kueue" not in key}
    return {**one, "metadata": {**one["metadata"], "namespace": place, "labels": kept}}


def _complete(cluster: Cluster, objects: Sequence[dict[str, Any]], place: str, number: int) -> None:
    with ThreadPoolExecutor(SENDERS) as senders:
        list(senders.map(cluster.create, [objects[i::SENDERS] for i in range(SENDERS)]))
    watch(cluster, f"jobs --namespace {place}", condition("Complete"), counts("True", number), PATIENCE)


def _runs(cluster: Cluster, objects: Sequence[dict[str, Any]], place: str) -> None:
    cluster.create(objects)
    watch(cluster, f"pods --namespace {place} -l bedplate/job=gang", PHASE, counts("Running", GANG), PATIENCE)


def _blocks(cluster: Cluster) -> set[str]:
    """Those in which pods of the team's gang stand."""
    words = ("--namespace", TEAM, "-l", "bedplate/job=gang", "-o", "jsonpath={.items[*].spec.nodeName}")
    hosts = set(cluster.kubectl("get", "pods", *words).split())
    columns = "custom-columns=:.metadata.name,:.metadata.labels." + BLOCK.replace(".", r"\.")
    rows = (line.split() for line in cluster.kubectl("get", "nodes", "--no-headers", "-o", columns).splitlines())
    return {block for host, block in rows if host in hosts}


def main(size: int, jobs: int) -> int:
    """Measure and print."""
    figures = measure(size, jobs)
    both = ((what, through, figures.past[what]) for what, through in figures.through.items())
    rows = ((what, f"{through:.1f} s", f"{past:.1f} s", f"{through / past:.2f}") for what, through, past in both)
    show((f"on {size:,} nodes", "through the queues", "past them", "ratio"), rows)
    memory = ", ".join(f"{name} {mib:,}" for name, mib in figures.memory.items())
    Console().print(f"The gang stands in {figures.blocks} block. Memory at its highest, MiB: {memory}")
    return 0


if __name__ == "__main__":
    asked = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(asked + [1000, 2000][len(asked) :])))
