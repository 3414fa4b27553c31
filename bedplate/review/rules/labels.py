"""Labels of nodes: selectors, MIG layouts and jobs depend on them."""

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.charts import ROLL
from bedplate.review.rules.rule import evicts, nothing

MIG = "NVIDIA docs, GPU Operator: MIG"
FEATURES = "node-feature-discovery docs: NodeFeatureRule"
DISCOVERY = "node-feature-discovery docs: NodeFeature objects, extraLabelNs"


def labelled(change: Change, field: Field) -> Judgement:
    """A rule of node-feature-discovery by which nodes are labelled."""
    if "mig" in str(change.resource.inputs).lower():
        return evicts("GPUs are cut anew where the label changes", MIG)
    if field.old is None:
        return nothing("labels are added", FEATURES)
    return nothing("labels of nodes change: pods that run stay, what waits may go elsewhere", FEATURES)


def unlabelled(change: Change) -> Judgement:
    """The end of such a rule: the nodes lose its labels."""
    return labelled(change, Field("", "", None))


def allowed(change: Change, field: Field) -> Judgement:
    """What lets nodes be labelled: where less of it is left, jobs find no node."""
    after = {str(other.new) for other in change.fields if other.place == field.place}
    if field.old is None or str(field.old) in after:
        return ROLL
    return evicts("nodes may lose labels: jobs that ask for them cannot start", DISCOVERY)
