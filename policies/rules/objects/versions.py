"""API versions that Kubernetes has stopped to serve."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import dig, tree, version

REMOVED = Path(__file__).with_name("removed.csv")
"""API versions by the release of Kubernetes that serves them no more; without `instead` the kind is gone. With `same`
the fields of the new version are those of the old one; of the others some were renamed, or are asked for now."""


@cache
def _removed() -> Mapping[tuple[str, str], Mapping[str, str]]:
    """The rows of the table by API version and kind."""
    with REMOVED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["api"], kind): row for row in rows for kind in row["kinds"].split()}


@rule("OBJ-905", MANDATORY, also=ADVISORY, on=Resource)
def served_api(resource: Resource, facts: Facts) -> Complaints:
    """The cluster's release of Kubernetes serves the API version; where the release is not known, it is advice."""
    row = _removed().get((resource.api_version, resource.kind))
    if row is None:
        return
    release, instead = row["release"], row["instead"]
    if facts.kubernetes_version is None or version(facts.kubernetes_version) >= version(release):
        what = f"{resource.api_version} {resource.kind} is not served since Kubernetes {release}"
        fix = f"Write {instead}" if instead else "Remove it: nothing took its place in the API"
        edits = (Edit(resource.props, "apiVersion", instead),) if row["same"] and _means_the_same(resource) else ()
        yield Complaint(what, fix, None if facts.kubernetes_version else ADVISORY, edits=edits)


def _means_the_same(resource: Resource) -> bool:
    """An empty selector of a PodDisruptionBudget was none, and is everything now."""
    return resource.kind != "PodDisruptionBudget" or bool(tree(dig(resource.spec, "selector")))
