"""Which kinds the checker knows: those of Kubernetes itself and those that rules look at.

A kind that is not here may be misspelt or new: it is named at the end of a check, never passed over in silence.
"""

import csv
from pathlib import Path

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.paths import rows
from bedplate.policies.resources.release import TYPES
from bedplate.policies.resources.workloads import workload_of
from bedplate.policies.rule import REGISTRY

TABLE = Path(__file__).with_name("kinds.csv")
"""Kinds by API group: first those of Kubernetes (kubernetes/kubernetes 1.35 pkg/apis), then custom resources, other
than workloads, that rules read or that go with those."""
KNOWN = (
    {
        (row["group"], kind)
        for row in csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines())
        for kind in row["kinds"].split()
    }
    | {(controller.group, kind) for controller in CONTROLLERS.values() for kind in controller.kinds}
    | rows().keys()
)


def known(resource: Resource) -> bool:
    """Whether a rule may look at a resource, or knows that there is nothing to look at."""
    known_by_group = (resource.group, resource.kind) in KNOWN or resource.type in TYPES
    elsewhere = not resource.type.startswith("kubernetes:") or workload_of(resource) is not None
    return known_by_group or elsewhere or any(resource.kind in each.on for each in REGISTRY.values())
