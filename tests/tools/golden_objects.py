"""Write what clusters and jobs are made of into `tests/graph/golden`: `python -m tests.tools.golden_objects`.

`objects.txt` has a line for each cluster that the tests know, and one for the jobs of the examples wherever they can be rendered: how
many objects, and one digest of them all. Of one full stack every object is there as text, the guards of its teams in a file of
their own, for whoever reads a change. A change that nobody meant shows as a line of a cluster that nobody thought of; `--show NAME`
says what it is, against the revision that planned what is recorded (`tests/tools/golden_changes.py`).
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bedplate.folders import PROJECT
from bedplate.plan.graph import Graph
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.stack_file import StackFiles
from tests.stack_files import graph, graph_of
from tests.tools.golden_text import FULL, texts
from tests.training_jobs import FABRICS, SCHEDULERS, cluster, rendered

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "graph" / "golden"
DIGESTS = FOLDER / "objects.txt"
PROFILES = ROOT / "profiles"
REFUSED = "# refused: "
SOUND = sorted(path.stem for path in PROFILES.glob("*.yaml") if not path.read_text().startswith(REFUSED))
CLUSTERS = (*StackFiles().known(), *SOUND)
JOBS = "jobs"
WRITTEN = (*CLUSTERS, JOBS)
EXAMPLES = sorted((PROJECT / "examples" / "jobs").glob("*.yaml"))
OF_ITS_PLACE = ("team", "pool", "checkpoint", "volumes")
"""Keys of an example that name what only its own cluster has."""


@cache
def declared(cluster: str) -> Graph:
    """What a stack, or a profile of a kind of cluster, declares; planned once in a process."""
    if cluster in SOUND:
        return graph_of(yaml.safe_load((PROFILES / f"{cluster}.yaml").read_text(encoding="utf-8")))
    return graph(cluster)


def objects(name: str) -> Mapping[str, Any]:
    """Of a cluster, the inputs of every resource by type and name; of JOBS, every object of the examples."""
    return dict(sorted(_of_jobs() if name == JOBS else _of_resources(declared(name))))


def line(name: str, found: Mapping[str, Any]) -> str:
    """What is recorded of a cluster: its name, how many objects it has, and one digest of all of them."""
    digest = hashlib.sha256(json.dumps(found, sort_keys=True, default=str).encode()).hexdigest()[:16]
    return f"{name} {len(found)} {digest}"


def recorded(name: str) -> str:
    """The line as it was written down last; nothing of a cluster that is new."""
    lines = DIGESTS.read_text(encoding="utf-8").splitlines() if DIGESTS.exists() else []
    return next((one for one in lines if one.startswith(f"{name} ")), "")


def files() -> Mapping[Path, str]:
    """Each file of the folder, and what is to stand in it."""
    digests = "".join(f"{line(name, objects(name))}\n" for name in WRITTEN)
    return {DIGESTS: digests, **{FOLDER / name: text for name, text in texts(objects(FULL)).items()}}


def _of_resources(found: Graph) -> Iterator[tuple[str, Any]]:
    for node in found.resources:
        # What a dynamic resource carries of its own code differs from Python to Python.
        own = {key: value for key, value in node.inputs.items() if not key.startswith("__")}
        yield "::".join(node.urn.split("::")[2:]), own


def _of_jobs() -> Iterator[tuple[str, Any]]:
    for stack in FABRICS.values():
        for scheduler in SCHEDULERS:
            for path in EXAMPLES:
                for number, one in enumerate(_rendered(path, stack, scheduler)):
                    yield f"{stack} {scheduler} {path.stem} {number} {one['kind']}", one


def _rendered(path: Path, stack: str, scheduler: str) -> list[dict[str, Any]]:
    """Nothing where this cluster cannot run it."""
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    here = {key: value for key, value in written.items() if key not in OF_ITS_PLACE}
    try:
        return rendered(here | {"team": "research"}, cluster(stack, scheduler))
    except ProfileError:
        return []


def main() -> None:
    """Bring the files up to date; or, of one cluster, print its objects as JSON (`--json`) or what changed (`--show`)."""
    match sys.argv[1:]:
        case ["--json", name]:
            sys.stdout.write(json.dumps(objects(name), sort_keys=True, default=str))
        case ["--show", name]:
            from tests.tools.golden_changes import explained

            sys.stdout.writelines(f"{one}\n" for one in explained(name))
        case _:
            for file, text in files().items():
                file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
