"""Where kinds of other projects carry pod templates: by their CustomResourceDefinitions, as data that a tool writes."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bedplate.policies.resources.model import Resource
from bedplate.policies.values import UNKNOWN, Tree, integer, is_map, text, tree, trees

TABLE = Path(__file__).with_name("paths.csv")
"""By kind the paths of its pod templates, with the keys of containers that have another name there, and the source in
`bedplate/catalog/data/sources.csv`, or the release that we install. `[]` are the items of a list, `*` the values
of a map. Written by `python -m tests.tools.pod_paths`."""
COUNTS = ("replicas", "parallelism", "size", "podGroupSize")
"""What beside or above a template says how many pods it makes."""
ROLE = re.compile(r"(GroupSpec|Template|Pattern|Spec)$")
UNNAMED = {
    *("spec", "template", "podSpec", "rayClusterSpec", "rayClusterConfig", "jobTemplate", "groupTemplate"),
    *("leaderWorkerTemplate", "leaderWorkerPattern", "standalonePattern"),
}
"""Steps that tell no role."""


@dataclass(frozen=True)
class Place:
    """What stands at a path."""

    node: object
    role: str = ""
    counts: tuple[object, ...] = ()
    """How often it is multiplied, since the last list or map of roles."""
    main: Sequence[str] = ()
    """Keys at which a container stands that has another name here."""

    @property
    def replicas(self) -> object:
        """How many such pods run side by side; unknown where one number is."""
        product = 1
        for count in map(integer, self.counts):
            if count is None:
                return UNKNOWN
            product *= count
        return product


@cache
def rows() -> Mapping[tuple[str, str], Sequence[tuple[Sequence[str], Sequence[str]]]]:
    """Steps of each path, and the keys of containers, by API group and kind."""
    found: dict[tuple[str, str], list[tuple[Sequence[str], Sequence[str]]]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            steps = row["path"].replace("[]", ".[]").split(".")
            found.setdefault((row["group"], row["kind"]), []).append((steps, row["main"].split()))
    return found


def places(resource: Resource) -> Iterator[Place]:
    """What an object has at the paths of its kind."""
    for steps, main in rows().get((resource.group, resource.kind), ()):
        for place in _below(Place(resource.props, main=main), steps):
            if is_map(place.node) and place.node:
                yield place


def _below(place: Place, steps: Sequence[str]) -> Iterator[Place]:
    if not steps:
        yield place
        return
    step, *rest = steps
    for below in _stepped(place, step):
        yield from _below(below, rest)


def _stepped(place: Place, step: str) -> Iterator[Place]:
    if step == "[]":
        for item in trees(place.node):
            yield replace(place, node=item, role=text(item.get("name")) or text(item.get("groupName")), counts=())
    elif step == "*":
        for key, value in tree(place.node).items():
            yield replace(place, node=value, role=key, counts=())
    else:
        node = tree(place.node)
        role = place.role if step in UNNAMED else f"{place.role} {ROLE.sub('', step)}".strip()
        yield replace(place, node=node.get(step), role=role, counts=(*place.counts, *_counts(node, step)))


def _counts(node: Tree, step: str) -> Iterator[object]:
    for key in (*COUNTS, f"{ROLE.sub('', step)}Replicas"):
        if (count := node.get(key)) is not None:
            yield count
