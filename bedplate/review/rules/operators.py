"""Definitions, gates, and other objects by which operators are brought; their Helm releases are in `charts.py`."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.releases import HELM
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, loses_data, nothing, rolls
from bedplate.review.rules.tenancy import PROVIDER

OURS = "this stack"
MIG = "NVIDIA docs, GPU Operator: MIG"
FEATURES = "node-feature-discovery docs: NodeFeatureRule"
DEFINITIONS = "Kubernetes docs: custom resources, delete a definition"

_APPLIED = nothing("definitions are applied; objects and their stored versions stay", OURS)
CRDS = Kind(
    _APPLIED,
    nothing("definitions stay in the cluster (docs/crds.md)", OURS),
    {"{context,namespace,of,repo,source,version}": _APPLIED, "__provider": PROVIDER},
    replaced=_APPLIED,
)
"""Definitions of the pinned chart, applied before it."""
DEFINITION = Kind(
    _APPLIED,
    loses_data("every object of its kind goes with its definition", DEFINITIONS),
    OBJECT,
)
"""A CustomResourceDefinition as an object of its own."""


def labelled(change: Change, field: Field) -> Judgement:
    """Labels of nodes: selectors and MIG layouts hang on them."""
    if "mig" in str(change.resource.inputs).lower():
        return evicts("GPUs are cut anew where the label changes", MIG)
    if field.old is None:
        return nothing("labels are added", FEATURES)
    return nothing("labels of nodes change: pods that run stay, what waits may go elsewhere", FEATURES)


def unlabelled(change: Change) -> Judgement:
    """The nodes lose the labels."""
    return labelled(change, Field("", "", None))


FEATURE_RULE = Kind(
    nothing("labels are added", FEATURES),
    unlabelled,
    {
        **OBJECT,
        "spec.rules[].{name,labels.*,matchFeatures[].feature,matchFeatures[].matchExpressions.*}": labelled,
    },
)
_GATE = nothing("a gate: it only waits until the operator reports ready", OURS)
GATE = Kind(_GATE, _GATE, OBJECT)
"""The gate on its status, not the policy itself: that is the release's."""
PROOF = Kind(
    _GATE,
    _GATE,
    {"{context,guards.*,operators[].*,pools[].*,timeout}": _GATE, "__provider": PROVIDER},
)
DIRECTORY = Kind(
    nothing("new: nothing uses it yet", OURS),
    evicts("its controller goes, and whoever waits for it with it", OURS),
    {"directory": rolls("what the folder holds is applied anew; pods whose template differs roll", HELM)},
)
RULES: Mapping[str, Rule] = {
    "ClusterPolicy": GATE,
    "Directory": DIRECTORY,
    "Crds": CRDS,
    "CustomResourceDefinition": DEFINITION,
    "NodeFeatureRule": FEATURE_RULE,
    "NodesProof": PROOF,
}
