"""Write a digest of every object that clusters and jobs are made of: `python -m tests.tools.golden_objects`.

A line for each that the stacks and the kinds of clusters declare: its URN's last parts and a digest of its inputs; and
in `jobs.txt` a line for each object of every example, wherever it can be rendered. A change of the code that nobody meant shows as a line
of a cluster that nobody thought of; one that is meant is looked at (`bedplate diff`) and written down here.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.folders import PROJECT
from bedplate.plan.graph import Graph
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.stack_file import StackFiles
from tests.stack_files import graph, graph_of
from tests.training_jobs import FABRICS, SCHEDULERS, cluster, rendered

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "graph" / "objects"
PROFILES = ROOT / "profiles"
REFUSED = "# refused: "
SOUND = sorted(path.stem for path in PROFILES.glob("*.yaml") if not path.read_text().startswith(REFUSED))
CLUSTERS = (*StackFiles().known(), *SOUND)
JOBS = "jobs"
WRITTEN = (*CLUSTERS, JOBS)
EXAMPLES = sorted((PROJECT / "examples" / "jobs").glob("*.yaml"))
OF_ITS_PLACE = ("team", "pool", "checkpoint", "volumes")
"""Keys of an example that name what only its own cluster has."""


def declared(cluster: str) -> Graph:
    """What a stack, or a profile of a kind of cluster, declares."""
    if cluster in SOUND:
        return graph_of(yaml.safe_load((PROFILES / f"{cluster}.yaml").read_text(encoding="utf-8")))
    return graph(cluster)


def digests(name: str) -> Mapping[str, str]:
    """Of a cluster, type and name of every resource to a digest of its inputs; of JOBS, every object of the examples."""
    return dict(sorted(_of_jobs() if name == JOBS else _of_resources(declared(name))))


def _of_resources(found: Graph) -> Iterator[tuple[str, str]]:
    for node in found.resources:
        # What a dynamic resource carries of its own code differs from Python to Python.
        own = {key: value for key, value in node.inputs.items() if not key.startswith("__")}
        yield "::".join(node.urn.split("::")[2:]), _digest(own)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _of_jobs() -> Iterator[tuple[str, str]]:
    for stack in FABRICS.values():
        for scheduler in SCHEDULERS:
            for path in EXAMPLES:
                for number, one in enumerate(_rendered(path, stack, scheduler)):
                    yield f"{stack} {scheduler} {path.stem} {number} {one['kind']}", _digest(one)


def _rendered(path: Path, stack: str, scheduler: str) -> list[dict[str, Any]]:
    """Nothing where this cluster cannot run it."""
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    here = {key: value for key, value in written.items() if key not in OF_ITS_PLACE}
    try:
        return rendered(here | {"team": "research"}, cluster(stack, scheduler))
    except ProfileError:
        return []


def golden(name: str) -> Mapping[str, str]:
    """As they were written down last; nothing of a cluster that is new."""
    file = FOLDER / f"{name}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {one: digest for digest, _, one in (line.partition(" ") for line in lines)}


def main() -> None:
    """Bring the files up to date."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for name in WRITTEN:
        lines = (f"{digest} {one}\n" for one, digest in digests(name).items())
        (FOLDER / f"{name}.txt").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
