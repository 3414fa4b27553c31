"""The CustomResourceDefinitions of the projects that the stack installs, newest release of each."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import yaml

from tests.upstream import upstream

# Both projects bring a CRD of this name: kubeflow.org/v1 in the Training Operator, v2beta1 in the MPI operator.
SHADOWED = {("training-operator-1.9.4", "mpijobs.kubeflow.org.yaml")}


@cache
def definitions() -> Sequence[dict[str, Any]]:
    """Every CRD once."""
    newest = {re.sub(r"-v?\d+\.\d.*$", "", folder.name): folder for folder in sorted(upstream("crds").iterdir())}
    found: dict[str, dict[str, Any]] = {}
    for folder in newest.values():
        for path in sorted(folder.glob("*.yaml")):
            definition = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
            if (folder.name, path.name) not in SHADOWED:
                found.setdefault(definition["metadata"]["name"], definition)
    return tuple(found.values())
