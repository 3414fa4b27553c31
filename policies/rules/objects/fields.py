"""Fields and values that no API server takes, in files: what Pulumi makes, its provider checks."""

from bedplate.policies.facts import Facts
from bedplate.policies.manifests.schemas import Misfit, available, filled_in, misfits, source
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import quantity, text, tree, whole


def _found(resource: Resource, facts: Facts) -> list[Misfit]:
    """Of a manifest: a resource of a program has no file."""
    if not (resource.file and resource.api_version and available() and whole(resource.props)):
        return []
    return list(misfits(resource.props, facts.kubernetes_version))


def _complaint(resource: Resource, misfit: Misfit) -> Complaint:
    """Advice for a custom resource: the cluster may run another release than the one we know."""
    known = source(resource.props)
    where = f" ({known})" if known else ""
    return Complaint(f"{misfit.path} {misfit.reason}{where}", severity=ADVISORY if known else None)


@rule("OBJ-901", MANDATORY, also=ADVISORY, on=Resource)
def known_fields(resource: Resource, facts: Facts) -> Complaints:
    """Every field of a manifest is one that its kind has.

    Kinds of Kubernetes are held against the release that the facts name, else the newest. Of a custom resource it is
    advice, by the release of its project that Bedplate knows. It needs the extra `bedplate[schema]`.
    """
    yield from (_complaint(resource, each) for each in _found(resource, facts) if each.unknown)


@rule("OBJ-902", MANDATORY, also=ADVISORY, on=Resource)
def right_types(resource: Resource, facts: Facts) -> Complaints:
    """Every value of a manifest has the type that its field has.

    A text that somebody fills in (`${REPLICAS}`, `{{ .Values.x }}`) has no type yet.
    """
    yield from (_complaint(resource, each) for each in _found(resource, facts) if not each.unknown)


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
