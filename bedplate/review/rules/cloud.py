"""Machines of clouds: node groups, what they start from, and where they stand."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import Kind, Rule, loses_data, nothing, reloads

EKS = "Amazon EKS docs: update a managed node group"
GKE = "GKE docs: node upgrade strategies"
GROUPS = "EC2 docs: placement groups"
FIREWALLS = "EC2 docs: security groups; Google Cloud docs: VPC firewall rules"
PROVIDERS = "Pulumi docs: providers"


def replaces(reason: str, source: str) -> Judgement:
    """Machines are given back or made anew."""
    return Judgement(Danger.REPLACES_NODES, reason, source)


def sized(_: Change, field: Field) -> Judgement:
    """How many nodes there are, or may be."""
    if isinstance(field.old, int) and isinstance(field.new, int) and field.new >= field.old:
        return nothing("more nodes: those that run stay", f"{EKS}; {GKE}")
    return replaces("fewer nodes: the cloud chooses which ones go", f"{EKS}; {GKE}")


def group(source: str) -> Kind:
    """A node group or node pool: what its nodes are made from, and how many there are."""
    kept = nothing("no machine is made anew", source)
    wanted = nothing("nodes are added or given back as load asks for", source)
    return Kind(
        nothing("new machines join", source),
        replaces("its machines are given back; new ones may not be had", source),
        {
            "{tags.*,tagsAll.*,resourceLabels.*,nodeRepairConfig.enabled}": kept,
            "updateConfig.{maxUnavailable,maxUnavailablePercentage,updateStrategy}": kept,
            "upgradeSettings.{maxSurge,maxUnavailable,strategy}": kept,
            "management.{autoRepair,autoUpgrade}": kept,
            "labels.*": nothing("labels of nodes are changed in place", source),
            "{scalingConfig.desiredSize,scalingConfig.maxSize,nodeCount,initialNodeCount}": sized,
            "autoscaling.{maxNodeCount,totalMaxNodeCount}": sized,
            "{scalingConfig.minSize,autoscaling.minNodeCount,autoscaling.totalMinNodeCount}": wanted,
            "autoscaling.locationPolicy": wanted,
        },
        otherwise=replaces("nodes are made anew, in batches, drained first", source),
    )


TEMPLATE = Kind(
    nothing("no machine starts from it yet", EKS),
    replaces("the node group follows its newest version: nodes are made anew", EKS),
    {"tags.*": nothing("tags of the template alone", EKS)},
    otherwise=replaces("the node group follows its newest version: nodes are made anew", EKS),
)
PLACEMENT = Kind(
    nothing("machines that run stay where they are", GROUPS),
    replaces("machines must leave it first", GROUPS),
    {"{tags,tagsAll}.*": nothing("tags of the group alone", GROUPS)},
    otherwise=replaces("machines must leave it first", GROUPS),
)
NETWORK = Kind(
    nothing("nothing hangs on it yet", FIREWALLS),
    replaces("machines that hang on it must go first", FIREWALLS),
    {"{tags.*,tagsAll.*,description}": nothing("a name only", FIREWALLS)},
    otherwise=reloads("traffic that is no longer allowed is cut", FIREWALLS),
)
_JOIN = replaces("nodes lose their right to join", EKS)
IDENTITY = Kind(
    nothing("machines may do more", EKS),
    _JOIN,
    {"{tags.*,tagsAll.*,description}": nothing("a name only", EKS)},
    otherwise=_JOIN,
)
_ELSEWHERE = loses_data("all of it goes to another cluster or account; this one is left", PROVIDERS)
_ASKED = nothing("the same cluster, asked in another way", PROVIDERS)
PROVIDER = Kind(
    _ASKED,
    _ELSEWHERE,
    {
        "{context,clusterIdentifier,cluster,kubeconfig,region,project,profile}": _ELSEWHERE,
        "{allowedAccountIds.*,skipCredentialsValidation,skipRegionValidation,version}": _ASKED,
        "{enableConfigMapMutable,enableSecretMutable,enableServerSideApply}": _ASKED,
        "{defaultTags.*,defaultLabels.*}": nothing("tags of what is made", PROVIDERS),
    },
)


def pools(change: Change) -> Judgement:
    """By the cloud's own names."""
    return (_GKE if change.resource.type.startswith("gcp:") else _EKS)(change)


_EKS, _GKE = group(EKS), group(GKE)
RULES: Mapping[str, Rule] = {
    "NodeGroup": pools,
    "NodePool": pools,
    "LaunchTemplate": TEMPLATE,
    "PlacementGroup": PLACEMENT,
    "ResourcePolicy": PLACEMENT,
    "SecurityGroup": NETWORK,
    "Subnetwork": NETWORK,
    "Firewall": NETWORK,
    "Network": NETWORK,
    "Role": IDENTITY,
    "RolePolicyAttachment": IDENTITY,
    "kubernetes": PROVIDER,
    "aws": PROVIDER,
    "gcp": PROVIDER,
}
