"""Fields and values that no API server takes, in files: what Pulumi makes, its provider checks."""

from bedplate.policies.facts import Facts
from bedplate.policies.manifests.schemas import Misfit, available, filled_in, misfits, source
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import quantity, text, tree, whole

UPSTREAM = (
    "kubernetes/kubernetes api/openapi-spec, by the package kubernetes-validate; the CRDs of each project's release"
)


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


@rule(
    "OBJ-901",
    "The API server knows every field",
    MANDATORY,
    also=ADVISORY,
    on=Resource,
    why="kubectl refuses the file, and Helm and Argo CD apply it without the field and say nothing",
    fix="Correct the name, or move the field to where it belongs; `kubectl explain` lists the fields of a place",
    source=UPSTREAM,
    proof="the schema of the kind in Kubernetes' own release",
)
def known_fields(resource: Resource, facts: Facts) -> Complaints:
    """Every field of a manifest is one that its kind has.

    Kinds of Kubernetes are held against the release that the facts name, else the newest. Of a custom resource it is
    advice, by the release of its project that Bedplate knows. It needs the extra `bedplate[schema]`.
    """
    yield from (_complaint(resource, each) for each in _found(resource, facts) if each.unknown)


@rule(
    "OBJ-902",
    "Values have the type of their field",
    MANDATORY,
    also=ADVISORY,
    on=Resource,
    why="The API server refuses the object",
    fix="Write the value as its field wants it: quotes around what is text, none around numbers",
    source=UPSTREAM,
    proof="the schema of the kind in Kubernetes' own release",
)
def right_types(resource: Resource, facts: Facts) -> Complaints:
    """Every value of a manifest has the type that its field has.

    A text that somebody fills in (`${REPLICAS}`, `{{ .Values.x }}`) has no type yet.
    """
    yield from (_complaint(resource, each) for each in _found(resource, facts) if not each.unknown)


@rule(
    "OBJ-903",
    "Amounts are Kubernetes quantities",
    MANDATORY,
    on=Pod,
    why="The API server refuses the object",
    fix="Write a number and a suffix without a space: 500m, 16Gi, 8",
    source="kubernetes/apimachinery pkg/api/resource/quantity.go",
    proof="the container's own amounts, which the API server cannot parse",
)
def quantities(pod: Pod, _: Facts) -> Complaints:
    """Each amount in a container's requests and limits can be read as a quantity."""
    for container in pod.all_containers:
        for part, amounts in tree(container.get("resources")).items():
            for name, amount in tree(amounts).items():
                if isinstance(amount, str) and quantity(amount) is None and not filled_in(amount):
                    yield f"container {text(container.get('name'))}: {part} of {name} is {amount!r}"


@rule(
    "OBJ-904",
    "A key stands once",
    ADVISORY,
    on=Resource,
    why="kubectl and Helm take the last and lose the others without a word; kustomize refuses the file",
    fix="Keep one of them, or join what stands below",
    source="kubectl 1.35.4 (tried: the last wins); sigs.k8s.io/yaml goyaml.v3 refuses in strict decoding",
)
def keys_once(resource: Resource, _: Facts) -> Complaints:
    """No mapping of a document has a key twice."""
    for key in resource.twice:
        yield f"the key {key} stands twice in one mapping"
