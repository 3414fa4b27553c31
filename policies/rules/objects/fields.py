"""Fields and values that no API server takes, in files: what Pulumi makes, its provider checks.

Where a schema leaves one answer, the complaint has it: a name misspelt, a number in quotes.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from bedplate.nearest import nearest
from bedplate.policies.facts import Facts
from bedplate.policies.manifests.schemas import Misfit, available, field_names, filled_in, last_taking, misfits, source
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import Tree, dig, integer, quantity, text, tree, whole

LIKE = 0.8
"""How much of a name must be the same for it to be a misspelling: difflib's ratio."""
MOST = 5


def _repairs(document: Tree, misfit: Misfit, release: str | None) -> Iterator[Edit]:
    """The one change after which the schema takes the document, if there is one."""
    within: Any = document
    for step in misfit.steps[:-1]:
        within = within[step]
    key = misfit.steps[-1] if misfit.steps else ""
    if misfit.unknown:
        yield from _renamed(document, within, misfit, release)
    elif (value := _fitting(within[key] if misfit.steps else None, misfit.fitting)) is not None:
        yield Edit(within, key, value)


def _renamed(document: Tree, within: Any, misfit: Misfit, release: str | None) -> Iterator[Edit]:  # noqa: ANN401 (YAML)
    """Another name of the schema's that is much like it, and fits that place with the value that is there."""
    name = str(misfit.steps[-1])
    near = nearest(name, sorted(field_names(document, release) - set(within)), MOST, LIKE)
    right = [each for each in near if _fits(document, misfit, each, release)]
    if len(right) == 1:
        yield Edit(within, name, rename=right[0])


def _fits(document: Tree, misfit: Misfit, name: str, release: str | None) -> bool:
    """Whether nothing new is wrong with the other name, and one thing less."""
    other: Any = deepcopy(document)
    within = other
    for step in misfit.steps[:-1]:
        within = within[step]
    within[name] = within.pop(misfit.steps[-1])
    before = {each.path for each in misfits(document, release)}
    return {each.path for each in misfits(other, release)} == before - {misfit.path}


def _fitting(value: object, fitting: tuple[str, ...]) -> object:
    """The same value in the type or the spelling that fits; None where that is a guess."""
    if not isinstance(value, str):
        return str(value).lower() if "string" in fitting and isinstance(value, int | float) else None
    if "integer" in fitting:
        return integer(value)
    same = [each for each in fitting if each.lower() == value.lower()]
    return same[0] if len(same) == 1 else None


def _misfits(resource: Resource, facts: Facts) -> tuple[Misfit, ...]:
    """Of a manifest, validated once for both rules: a resource of a program has no file."""
    release = facts.kubernetes_version
    if not (resource.file and resource.api_version and available() and whole(resource.props)):
        return ()
    if release not in resource.misfits:
        resource.misfits[release] = tuple(misfits(resource.props, release))
    return resource.misfits[release]


def _complaint(resource: Resource, facts: Facts, misfit: Misfit) -> Complaint:
    """Advice where the cluster may run another release than the newest, which takes it."""
    known = source(resource.props)
    before = "" if known or facts.kubernetes_version else last_taking(resource.props, misfit)
    where = f" ({known})" if known else f" after Kubernetes {before}" if before else ""
    edits = () if before else tuple(_repairs(resource.props, misfit, facts.kubernetes_version))
    severity = ADVISORY if known or before else None
    return Complaint(f"{misfit.path} {misfit.reason}{where}", severity=severity, edits=edits)


@rule("OBJ-901", MANDATORY, also=ADVISORY, on=Resource)
def known_fields(resource: Resource, facts: Facts) -> Complaints:
    """Every field of a manifest is one that its kind has.

    Kinds of Kubernetes are held against the release that the facts name, else the newest. Of a custom resource it is
    advice, by the release of its project that Bedplate knows. It needs the extra `bedplate[schema]`.
    """
    yield from (_complaint(resource, facts, misfit) for misfit in _misfits(resource, facts) if misfit.unknown)


@rule("OBJ-902", MANDATORY, also=ADVISORY, on=Resource)
def right_types(resource: Resource, facts: Facts) -> Complaints:
    """Every value of a manifest has the type that its field has.

    A text that somebody fills in (`${REPLICAS}`, `{{ .Values.x }}`) has no type yet.
    """
    yield from (_complaint(resource, facts, misfit) for misfit in _misfits(resource, facts) if not misfit.unknown)


@rule("OBJ-903", MANDATORY, also=ADVISORY, on=Pod)
def quantities(pod: Pod, _: Facts) -> Complaints:
    """Each amount in a container's requests and limits can be read as a quantity.

    In kinds whose pods an operator makes, it may read another spelling.
    """
    for container in pod.all_containers:
        for part in ("requests", "limits"):
            amounts = tree(dig(container, "resources", part))
            for name, amount in amounts.items():
                if isinstance(amount, str) and quantity(amount) is None and not filled_in(amount):
                    joined = "".join(amount.split())
                    edits = (Edit(amounts, name, joined),) if quantity(joined) is not None else ()
                    what = f"container {text(container.get('name'))}: {part} of {name} is {amount!r}"
                    yield Complaint(what, severity=ADVISORY if pod.completed else None, edits=edits)


@rule("OBJ-904", ADVISORY, on=Resource)
def keys_once(resource: Resource, _: Facts) -> Complaints:
    """No mapping of a document has a key twice."""
    for key in resource.twice:
        yield f"the key {key} stands twice in one mapping"
