"""Machines of clouds: node groups, what they start from, and where they stand."""

from collections.abc import Mapping

from review.changes import Change
from review.danger import Danger, Judgement
from review.rules.rule import Rule

EKS = "Amazon EKS docs: update a managed node group"
GKE = "GKE docs: node upgrade strategies"
SIZES = ("scalingConfig", "autoscaling", "nodeCount", "initialNodeCount")


def group(change: Change) -> Judgement:
    """A node group or node pool: what its nodes are made from, and how many there are."""
    source = GKE if change.resource.type.startswith("gcp:") else EKS
    if change.what in ("delete", "replace"):
        return Judgement(Danger.REPLACES_NODES, "its machines are given back; new ones may not be had", source)
    if change.what == "create":
        return Judgement(Danger.NOTHING, "new machines join", source)
    if change.only("tags", "tagsAll", "updateConfig", "nodeRepairConfig", "resourceLabels"):
        return Judgement(Danger.NOTHING, "no machine is made anew", source)
    if change.only(*SIZES):
        return _size(change, source)
    if change.only("labels"):
        return Judgement(Danger.NOTHING, "labels of nodes are changed in place", source)
    return Judgement(Danger.REPLACES_NODES, "nodes are made anew, in batches, drained first", source)


def _size(change: Change, source: str) -> Judgement:
    if any(not _more(field.old, field.new) for field in change.fields if not field.path.endswith("minSize")):
        return Judgement(Danger.REPLACES_NODES, "fewer nodes: the cloud chooses which ones go", source)
    return Judgement(Danger.NOTHING, "more nodes: those that run stay", source)


def _more(old: object, new: object) -> bool:
    return isinstance(old, int) and isinstance(new, int) and new >= old


def template(change: Change) -> Judgement:
    """What new machines start from; a node group that follows it replaces its nodes."""
    if change.what == "create" or change.only("tags"):
        return Judgement(Danger.NOTHING, "no machine starts from it yet", EKS)
    return Judgement(Danger.REPLACES_NODES, "the node group follows its newest version: nodes are made anew", EKS)


def placement(change: Change) -> Judgement:
    """A group cannot change; machines must leave it first."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.REPLACES_NODES, "machines must leave it first", "EC2 docs: placement groups")
    return Judgement(Danger.NOTHING, "machines that run stay where they are", "EC2 docs: placement groups")


def network(change: Change) -> Judgement:
    """Networks, subnets, firewalls and groups that machines hang on."""
    if change.what == "create":
        return Judgement(Danger.NOTHING, "nothing hangs on it yet", "")
    if change.what in ("delete", "replace"):
        return Judgement(Danger.REPLACES_NODES, "machines that hang on it must go first", "EC2 and VPC docs")
    if change.only("tags", "tagsAll", "description"):
        return Judgement(Danger.NOTHING, "a name only", "")
    return Judgement(Danger.RELOADS, "traffic that is no longer allowed is cut", "EC2 docs: security groups")


def identity(change: Change) -> Judgement:
    """What machines may do at the cloud."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.REPLACES_NODES, "nodes lose their right to join", EKS)
    return Judgement(Danger.NOTHING, "machines may do more, or the same under another name", EKS)


def provider(change: Change) -> Judgement:
    """Which cluster or account it all goes to."""
    if change.what in ("delete", "replace") or change.touches("context", "region", "project", "kubeconfig"):
        return Judgement(Danger.LOSES_DATA, "all of it goes to another cluster or account; this one is left", "")
    return Judgement(Danger.NOTHING, "the same cluster, asked in another way", "")


RULES: Mapping[str, Rule] = {
    "NodeGroup": group,
    "NodePool": group,
    "LaunchTemplate": template,
    "PlacementGroup": placement,
    "ResourcePolicy": placement,
    "SecurityGroup": network,
    "Subnetwork": network,
    "Firewall": network,
    "Network": network,
    "Role": identity,
    "RolePolicyAttachment": identity,
    "kubernetes": provider,
    "aws": provider,
    "gcp": provider,
}
