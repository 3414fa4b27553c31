"""Fields and values that no API server takes, in files: what Pulumi makes, its provider checks."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bedplate.policies.facts import Facts
from bedplate.policies.manifests.schemas import Misfit, available, filled_in, misfits, source
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import quantity, text, tree, version, whole

REMOVED = Path(__file__).with_name("removed.csv")
"""API versions by the release of Kubernetes that serves them no more; without `instead` the kind is gone."""


@cache
def _removed() -> Mapping[tuple[str, str], tuple[str, str]]:
    """The release and what is there instead, by API version and kind."""
    with REMOVED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["api"], kind): (row["release"], row["instead"]) for row in rows for kind in row["kinds"].split()}


def _misfits(resource: Resource, facts: Facts) -> tuple[Misfit, ...]:
    """Of a manifest, validated once for both rules: a resource of a program has no file."""
    release = facts.kubernetes_version
    if not (resource.file and resource.api_version and available() and whole(resource.props)):
        return ()
    if release not in resource.misfits:
        resource.misfits[release] = tuple(misfits(resource.props, release))
    return resource.misfits[release]


def _complaint(resource: Resource, misfit: Misfit) -> Complaint:
    """Advice for a custom resource: the cluster may run another release than the one we know."""
    project = source(resource.props)
    where = f" ({project})" if project else ""
    return Complaint(f"{misfit.path} {misfit.reason}{where}", severity=ADVISORY if project else None)


@rule("OBJ-901", MANDATORY, also=ADVISORY, on=Resource)
def known_fields(resource: Resource, facts: Facts) -> Complaints:
    """Every field of a manifest is one that its kind has.

    Kinds of Kubernetes are held against the release that the facts name, else the newest. Of a custom resource it is
    advice, by the release of its project that Bedplate knows. It needs the extra `bedplate[schema]`.
    """
    yield from (_complaint(resource, misfit) for misfit in _misfits(resource, facts) if misfit.unknown)


@rule("OBJ-902", MANDATORY, also=ADVISORY, on=Resource)
def right_types(resource: Resource, facts: Facts) -> Complaints:
    """Every value of a manifest has the type that its field has.

    A text that somebody fills in (`${REPLICAS}`, `{{ .Values.x }}`) has no type yet.
    """
    yield from (_complaint(resource, misfit) for misfit in _misfits(resource, facts) if not misfit.unknown)


@rule("OBJ-903", MANDATORY, on=Pod)
def quantities(pod: Pod, _: Facts) -> Complaints:
    """Each amount in a container's requests and limits can be read as a quantity."""
    for container in pod.all_containers:
        for part, amounts in tree(container.get("resources")).items():
            for name, amount in tree(amounts).items():
                if isinstance(amount, str) and quantity(amount) is None and not filled_in(amount):
                    yield f"container {text(container.get('name'))}: {part} of {name} is {amount!r}"


@rule("OBJ-904", ADVISORY, on=Resource)
def keys_once(resource: Resource, _: Facts) -> Complaints:
    """No mapping of a document has a key twice."""
    for key in resource.twice:
        yield f"the key {key} stands twice in one mapping"


@rule("OBJ-905", MANDATORY, also=ADVISORY, on=Resource)
def served_api(resource: Resource, facts: Facts) -> Complaints:
    """The cluster's release of Kubernetes serves the API version; where the release is not known, it is advice."""
    release, instead = _removed().get((resource.api_version, resource.kind), ("", ""))
    if release and (facts.kubernetes_version is None or version(facts.kubernetes_version) >= version(release)):
        what = f"{resource.api_version} {resource.kind} is not served since Kubernetes {release}"
        fix = f"Write {instead}" if instead else "Remove it: nothing took its place in the API"
        yield Complaint(what, fix, None if facts.kubernetes_version else ADVISORY)
