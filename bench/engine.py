"""What a whole `up` costs on the lab, on this machine and in this run: `make bench-engine`.

Three figures. The stack with Pulumi against the same charts with the same values installed one after the other with
`helm upgrade --install --wait`, as a script would; a preview that finds nothing to do; and the critical path of the
graph against the time that the whole took. Needs the Pulumi CLI, helm and the charts, and says so where they are not.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from lab.binaries import LabError, provide
from lab.cluster import DEFAULT, Cluster
from lab.engine import STACK, Engine, find_cli, lab_profile
from lab.site import site
from lab.steps import critical_path, seconds
from plan.capture import capture_config
from plan.graph import Graph, Node
from stacks.load import load
from stacks.profile.stack_file import PROFILE_KEY

OUT = Console()
EVENTS = {"PULUMI_DEBUG_COMMANDS": "true"}
"""The CLI has `--event-log` only with it."""


def main() -> int:
    """Measure and print; 1 where nothing can be measured."""
    cli, helm = find_cli(), shutil.which("helm")
    if not (cli and helm):
        absent = " and ".join(name for name, found in (("the Pulumi CLI", cli), ("helm", helm)) if not found)
        OUT.print(f"Nothing measured: {absent} missing (`make up` installs Pulumi where there is internet)")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        with datacenter() as cluster:
            engine = Engine(cluster, Path(scratch, "project"), cli, EVENTS).prepare()
            pulumi, noop, path = whole_stack(engine, Path(scratch))
        with datacenter() as cluster:
            one_by_one = taken(lambda: install(helm, cluster, graph(), Path(scratch)))
    show(pulumi, one_by_one, noop, path)
    return 0


def show(pulumi: float, one_by_one: float, noop: float, path: float) -> None:
    """The table."""
    table = Table("figure", "measured")
    table.add_row("whole stack, pulumi up", f"{pulumi:.1f} s")
    table.add_row("same charts, helm one by one", f"{one_by_one:.1f} s")
    table.add_row("ratio", f"{pulumi / one_by_one:.2f}")
    table.add_row("preview without a change", f"{noop:.1f} s")
    table.add_row("critical path of the graph", f"{path:.1f} s")
    OUT.print(table)


@contextmanager
def datacenter() -> Generator[Cluster]:
    """A lab with the nodes of its profile; the real one's name, as its context is the one the profile allows."""
    cluster = Cluster(DEFAULT, provide())
    if cluster.processes():
        raise LabError("the lab is running: `make down` first, as figures need one of their own")
    try:
        cluster.start()
        cluster.apply(site(load(lab_profile())))
        yield cluster
    finally:
        cluster.stop()


def whole_stack(engine: Engine, scratch: Path) -> tuple[float, float, float]:
    """Seconds of `up`, of a preview without a change, and of the slowest chain."""
    log = scratch / "events.json"
    up = taken(lambda: engine.run("up", "--yes", "--skip-preview", "--stack", STACK, "--event-log", str(log)))
    noop = taken(lambda: engine.run("preview", "--expect-no-changes", "--stack", STACK))
    waits = {node.urn: tuple(node.waits_for()) for node in graph().nodes}
    return up, noop, critical_path(waits, seconds(log.read_text().splitlines()))[0]


def graph() -> Graph:
    """The lab's stack as planned offline."""
    return capture_config(STACK, {PROFILE_KEY: lab_profile()})


def install(helm: str, cluster: Cluster, planned: Graph, scratch: Path) -> None:
    """Every chart of the plan in its order, each waited for."""
    for release in planned.resources:
        if release.kind == "Release":
            values = scratch / f"{release.name}.yaml"
            values.write_text(yaml.safe_dump(dict(release.inputs.get("values") or {})))
            command = helm_command(helm, release, values)
            subprocess.run(command, env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig)}, check=True)  # noqa: S603


def helm_command(helm: str, release: Node, values: Path) -> list[str]:
    """What a script would run for a release of ours."""
    repository: dict[str, str] = release.inputs.get("repositoryOpts") or {}
    where = ["--repo", repository["repo"]] if repository else []
    place = ["--namespace", release.inputs["namespace"], "--create-namespace", "--values", str(values)]
    version = ["--version", release.inputs["version"]]
    return [helm, "upgrade", "--install", release.name, release.inputs["chart"], *where, *version, *place, "--wait"]


def taken(work: Callable[[], object]) -> float:
    """Seconds that it took."""
    started = time.monotonic()
    work()
    return time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main())
