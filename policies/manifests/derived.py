"""What the manifests themselves say about their cluster, where nobody stated it.

Only marks that one platform alone has count, and only where they leave no doubt: all of them name the same one, and
every file with GPU pods carries one. A folder of examples for several platforms is for none.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.workloads import workload_of
from bedplate.policies.values import is_list, is_map

MARKS = {
    "cloud.google.com/gke-": "gke",
    "networking.gke.io/": "gke",
    "eks.amazonaws.com/": "eks",
    "alpha.eksctl.io/": "eks",
    "kubernetes.azure.com/": "aks",
    "oci.oraclecloud.com/": "oke",
    "oke.oraclecloud.com/": "oke",
}
"""Prefixes of labels, annotations and resources that only one platform's nodes and controllers know."""
PREFIXES = tuple(MARKS)


@dataclass(frozen=True)
class Derived:
    """The facts with what was found, and what that was."""

    facts: Facts
    said: str = ""


def derived(resources: Iterable[Resource], facts: Facts) -> Derived:
    """The facts, with the platform where it was not stated and the manifests leave no doubt."""
    found = list(resources)
    if facts.platform is not None:
        return Derived(facts)
    marks: dict[str, set[str]] = {}
    for each in found:
        marks.setdefault(each.file, set()).update(platforms_in(each.props))
    every = set[str]().union(*marks.values())
    workloads = {each.file for each in found if _uses_gpus(each)}
    if len(every) != 1 or not workloads or not all(marks[file] for file in workloads):
        return Derived(facts)
    (platform,) = every
    return Derived(facts.model_copy(update={"platform": platform}), f"platform {platform}, by the manifests' own marks")


def _uses_gpus(resource: Resource) -> bool:
    workload = workload_of(resource)
    return workload is not None and bool(workload.gpu_pods)


def platforms_in(value: object) -> Iterator[str]:
    """The platforms whose marks stand in a value: as a key, or as the `key` of an affinity or a toleration."""
    if is_map(value):
        for key, below in value.items():
            named = below if key == "key" and isinstance(below, str) else key
            if named.startswith(PREFIXES):
                yield next(platform for prefix, platform in MARKS.items() if named.startswith(prefix))
            yield from platforms_in(below)
    elif is_list(value):
        for item in value:
            yield from platforms_in(item)
