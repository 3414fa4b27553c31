"""What a whole `up` costs on simulated nodes, on this machine and in this run: `make bench-engine`.

The reference stack with Pulumi against the same charts and manifests one after the other, as a script would: once with
pods that are ready at once, which is what the machine bounds, and once with every pod ready after 15 s, which is what
the graph bounds. Then the same small stack on 2 and on 200 nodes. Needs the Pulumi CLI, helm and the charts.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console

from bedplate.lab.binaries import provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import STACK, Engine, find_cli, lab_profile
from bedplate.lab.site import site
from bedplate.plan.capture import capture_config
from bedplate.plan.graph import Graph
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import secret_keys
from bedplate.stacks.profile.stack_file import PROFILE_KEY
from bench.by_hand import install
from bench.measured import seconds as timed
from bench.measured import show as table
from bench.steps import critical_path, label, seconds

OUT = Console(soft_wrap=True)
EVENTS = {"PULUMI_DEBUG_COMMANDS": "true"}
"""The CLI has `--event-log` only with it."""
REFERENCE = "onprem-h100-roce"
DELAYS = {"at-once": 0, "delayed": 15}
NODES = (2, 200)
Chain: TypeAlias = tuple[float, list[tuple[str, float]]]
"""What bounds it: seconds in all, and of each resource on the longest way that took one or more."""
AT_ONCE = ("--yes", "--skip-preview", "--stack", STACK)


@dataclass(frozen=True)
class Figures:
    """Of one run with the engine."""

    up: float
    noop: float
    destroy: float
    resources: int
    path: Chain
    back: Chain
    """Of destroy, in the order of `up`: what comes last goes first."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where nothing can be measured."""
    parser = argparse.ArgumentParser(prog="bench.engine", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"{', '.join(DELAYS)}, growth; all if none is named")
    chosen = parser.parse_args(arguments).what or [*DELAYS, "growth"]
    cli, helm = find_cli(), shutil.which("helm")
    if not (cli and helm):
        absent = " and ".join(name for name, found in (("the Pulumi CLI", cli), ("helm", helm)) if not found)
        OUT.print(f"Nothing measured: {absent} missing (`make up` installs Pulumi where there is internet)")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen:
            if name in DELAYS:
                against_a_script(name, cli, helm, Path(scratch, name))
            else:
                growth(cli, Path(scratch, name))
    return 0


def against_a_script(name: str, cli: str, helm: str, scratch: Path) -> None:
    """Both ways, each on a cluster of its own, in the same run."""
    profile = lab_profile(REFERENCE)
    with datacenter(profile, DELAYS[name]) as cluster:
        ours = measured(cli, cluster, profile, scratch)
    with datacenter(profile, DELAYS[name]) as cluster:
        counts: dict[str, int] = {}
        alone = timed(lambda: counts.update(install(helm, cluster, graph(profile), scratch)))
    show(name, ours, alone, counts)


def show(name: str, ours: Figures, alone: float, counts: dict[str, int]) -> None:
    """The table, and the chain that bounds it."""
    load_now = os.getloadavg()[0]
    rows = [
        (f"pulumi up, {ours.resources} resources", f"{ours.up:.1f} s"),
        ("one by one, " + ", ".join(f"{count} {sort}" for sort, count in counts.items()), f"{alone:.1f} s"),
        ("ratio", f"{ours.up / alone:.2f}"),
        ("preview without a change", f"{ours.noop:.1f} s"),
        ("destroy", f"{ours.destroy:.1f} s"),
    ]
    for what, (length, members) in (("up", ours.path), ("destroy", ours.back)):
        rows += [(f"critical path of {what}", f"{length:.1f} s")]
        rows += [(f"  {member}", f"{took:.0f} s") for member, took in members]
    table(("figure", "measured"), rows, f"{REFERENCE}, pods ready {name} (load {load_now:.1f})")


def growth(cli: str, scratch: Path) -> None:
    """The lab's stack with ever more nodes."""
    rows: list[tuple[str, ...]] = []
    for count in NODES:
        profile = of_size(count)
        with datacenter(profile) as cluster:
            ours = measured(cli, cluster, profile, scratch / str(count))
        rows.append((str(count), *(f"{value:.1f} s" for value in (ours.up, ours.noop, ours.destroy))))
    table(("nodes with GPUs", "up", "preview without a change", "destroy"), rows, "stack lab")


def of_size(count: int) -> dict[str, Any]:
    """The lab's profile with so many nodes of GPUs, and rails whose addresses suffice for thousands."""
    profile = lab_profile()
    profile["pools"] = [{**pool, "nodes": count if pool["name"] == "h100" else 1} for pool in profile["pools"]]
    profile["fabric"]["ipam"] |= {"network": "10.64.0.0/12", "railPrefix": 16}
    return profile


@contextmanager
def datacenter(profile: dict[str, Any], delay: int = 0) -> Generator[Cluster]:
    """A lab of its own with the profile's nodes, whose pods are ready after so many seconds."""
    cluster = Cluster(f"bench-{os.getpid()}", provide())
    try:
        cluster.start()
        cluster.apply(site(load(profile)))
        if delay:
            patch = f'{{"spec": {{"delay": {{"durationMilliseconds": {delay * 1000}}}}}}}'
            cluster.kubectl("patch", "stage", "pod-ready", "--type=merge", "-p", patch)
        yield cluster
    finally:
        cluster.stop()


def measured(cli: str, cluster: Cluster, profile: dict[str, Any], scratch: Path) -> Figures:
    """From nothing to nothing."""
    scratch.mkdir(parents=True)
    engine = Engine(cluster, scratch / "project", cli, EVENTS).prepare({**profile, "context": cluster.context})
    for key in secret_keys(load(profile)):
        engine.run("config", "set", "--secret", f"bedplate:{key}", "a: secret", "--stack", STACK)
    log = scratch / "events.json"
    up = timed(lambda: engine.run("up", *AT_ONCE, "--event-log", str(log)))
    noop = timed(lambda: engine.run("preview", "--expect-no-changes", "--stack", STACK))
    state = engine.state()
    waits = {one["urn"]: [*one.get("dependencies", []), one["parent"]] for one in state if one.get("parent")}
    own = {one["urn"] for one in state if one.get("custom")}  # a component takes as long as its children
    path, gone = bound(waits, own, log), scratch / "destroy.json"
    destroy = timed(lambda: engine.destroy(*AT_ONCE, "--event-log", str(gone)))
    return Figures(up, noop, destroy, len(state), path, bound(waits, own, gone))


def bound(waits: Mapping[str, Iterable[str]], own: set[str], log: Path) -> Chain:
    """The longest way through the graph, by what each resource of `own` took."""
    took = {urn: spent for urn, spent in seconds(log.read_text().splitlines()).items() if urn in own}
    length, chain = critical_path(waits, took)
    return length, [(label(urn), took[urn]) for urn in chain if took.get(urn, 0) >= 1]


def graph(profile: dict[str, Any]) -> Graph:
    """The stack as planned offline."""
    secrets = {f"bedplate:{key}": "a: secret" for key in secret_keys(load(profile))}
    return capture_config(profile["name"], {PROFILE_KEY: profile, **secrets})


if __name__ == "__main__":
    sys.exit(main())
