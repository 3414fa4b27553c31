"""Write a digest of every object that the stacks and the kinds of clusters declare: `python -m tests.tools.golden_objects`.

A line for each: its URN's last parts and a digest of its inputs. A change of the code that nobody meant shows as a line
of a cluster that nobody thought of; one that is meant is looked at (`bedplate diff`) and written down here.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from plan.graph import Graph
from stacks.profile.stack_file import StackFiles
from tests.stack_files import graph, graph_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "graph" / "objects"
PROFILES = ROOT / "profiles"
REFUSED = "# refused: "
SOUND = sorted(path.stem for path in PROFILES.glob("*.yaml") if not path.read_text().startswith(REFUSED))
CLUSTERS = (*StackFiles().known(), *SOUND)


def declared(cluster: str) -> Graph:
    """What a stack, or a profile of a kind of cluster, declares."""
    if cluster in SOUND:
        return graph_of(yaml.safe_load((PROFILES / f"{cluster}.yaml").read_text(encoding="utf-8")))
    return graph(cluster)


def digests(found: Graph) -> Mapping[str, str]:
    """Type and name of every resource to a digest of its inputs."""
    return dict(sorted(_digests(found)))


def _digests(found: Graph) -> Iterator[tuple[str, str]]:
    for node in found.resources:
        # What a dynamic resource carries of its own code differs from Python to Python.
        own = {key: value for key, value in node.inputs.items() if not key.startswith("__")}
        text = json.dumps(own, sort_keys=True, default=str)
        yield "::".join(node.urn.split("::")[2:]), hashlib.sha256(text.encode()).hexdigest()[:12]


def golden(cluster: str) -> Mapping[str, str]:
    """As they were written down last; nothing of a cluster that is new."""
    file = FOLDER / f"{cluster}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {name: digest for digest, _, name in (line.partition(" ") for line in lines)}


def main() -> None:
    """Bring the files up to date."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for cluster in CLUSTERS:
        lines = (f"{digest} {name}\n" for name, digest in digests(declared(cluster)).items())
        (FOLDER / f"{cluster}.txt").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
