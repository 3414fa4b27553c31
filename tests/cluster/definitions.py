"""The CustomResourceDefinitions that the lab and the stacks need, of the newest release of each project."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import yaml

from bedplate.lab.stages import READY
from bedplate.plan.manifests import manifests
from tests.crds import BESIDE
from tests.stack_files import STACKS, graph
from tests.upstream import upstream

# Both projects bring a CRD of this name: kubeflow.org/v1 in the Training Operator, v2beta1 in the MPI operator.
SHADOWED = {("training-operator-1.9.4", "mpijobs.kubeflow.org.yaml")}


UNAPPROVED = {"api-approved.kubernetes.io": "unapproved, a few fields for tests"}
"""The API server wants it of groups that end in k8s.io."""
TEAMS_BRING = (
    ("k8s.cni.cncf.io", "NetworkAttachmentDefinition"),
    ("mellanox.com", "MacvlanNetwork"),
    ("keda.sh", "ScaledObject"),
    *(("kubeflow.org", f"{name}Job") for name in ("TF", "XGBoost", "Paddle", "JAX")),
)
"""Kinds that no stack declares, and that the admission policies judge in what teams bring."""


@cache
def definitions() -> Sequence[dict[str, Any]]:
    """Every CRD of a kind that the lab plays or a stack declares; the others would cost a minute for nothing."""
    newest = {re.sub(r"-v?\d+\.\d.*$", "", folder.name): folder for folder in sorted(upstream("crds").iterdir())}
    wanted, found = set(kinds()), dict[str, dict[str, Any]]()
    for folder in newest.values():
        for path in sorted(folder.glob("*.yaml")):
            definition = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
            kind = (definition["spec"]["group"], definition["spec"]["names"]["kind"])
            if kind in wanted and (folder.name, path.name) not in SHADOWED:
                found.setdefault(definition["metadata"]["name"], definition)
    return (*found.values(), *beside())


def beside() -> Iterator[dict[str, Any]]:
    """Kinds whose CRD is not in the upstream data, with the fields that we write."""
    for one in yaml.safe_load(BESIDE.read_text(encoding="utf-8")):
        (group, _, version), kind = one["apiVersion"].partition("/"), one["kind"]
        names = {"kind": kind, "listKind": f"{kind}List", "plural": f"{kind.lower()}s", "singular": kind.lower()}
        schema = {"type": "object", "properties": one["properties"]}
        served = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        spec = {"group": group, "names": names, "scope": "Namespaced", "versions": [served]}
        if "spec" in one["properties"]:
            yield {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{names['plural']}.{group}", "annotations": UNAPPROVED},
                "spec": spec,
            }


def kinds() -> Iterator[tuple[str, str]]:
    """API group and kind of whatever may be asked for."""
    yield from TEAMS_BRING
    yield from ((ready.api.split("/")[0], ready.kind) for ready in READY)
    for stack in STACKS:
        for manifest in manifests(graph(stack)):
            yield manifest.document["apiVersion"].partition("/")[0], manifest.document["kind"]
