"""The account, the cluster, and whether the zones have the machine at all."""

from collections.abc import Iterator

from bedplate.preflight.aws.account import Account, tags
from bedplate.preflight.finding import Finding
from bedplate.preflight.known import Item


def account(account: Account) -> Iterator[Finding]:
    """The login is the account's that the profile names."""
    expected = account.section.account
    if expected and account.knows("account") and (there := account.one("account").get("Account")) != expected:
        yield Finding(
            "cluster", "account", account.section.region, expected, f"the login is of {there}", "log in to it"
        )


def cluster(account: Account) -> Iterator[Finding]:
    """The cluster takes nodes, and none newer than itself."""
    if not account.knows("cluster"):
        return
    described = account.one("cluster").get("cluster", {})
    where, name = account.section.region, f"EKS cluster {account.cluster_name}"
    if (state := described.get("status")) != "ACTIVE":
        yield Finding("cluster", name, where, "ACTIVE", f"it is {state}", "wait until it is, or mend it")
    has, wants = str(described.get("version", "")), account.facts.kubernetes_version
    if has and tuple(map(int, has.split("."))) < tuple(map(int, wants.split("."))):
        fix = "update the cluster first, or lower kubernetesVersion: nodes may not be newer"
        yield Finding("cluster", f"{name}: Kubernetes", where, wants, f"{has} there", fix)


def offers(account: Account) -> Iterator[Finding]:
    """Each zone of a pool offers its machine."""
    if not account.knows("offers"):
        return
    offered = account.one("offers").get("InstanceTypeOfferings", [])
    pairs = {(row["InstanceType"], row["Location"]) for row in offered}
    for pool in account.facts.own_pools:
        others = sorted(zone for machine, zone in pairs if machine == pool.instance_type)
        for zone in (zone for zone in pool.zones if (pool.instance_type, zone) not in pairs):
            fix = f"use {', '.join(others)}" if others else "no zone of the region offers it: use another region"
            yield Finding(pool.name, str(pool.instance_type), zone, f"{pool.most} of it", "not offered", fix)


def metadata(known: Account) -> Iterator[Finding]:
    """Nodes of the cluster, whoever made them, whose metadata service answers pods beyond the node's network.

    The hop limit bounds the answer to the request for a token alone: who needs none is answered anywhere (EC2 User
    Guide, "Configure the Instance Metadata Service options").
    """
    if not known.facts.teams or not known.knows("instances"):
        return
    answering = [one["InstanceId"] for one in known.instances if _of(one, known.cluster_name) and _answers(one)]
    if answering:
        names = answering[0] + (f" and {len(answering) - 1} more" if answering[1:] else "")
        fix = "set HttpTokens required and HttpPutResponseHopLimit 1 in their launch template: else the teams' "
        fix += "NetworkPolicies alone keep the node's role from pods"
        where, needed = known.section.region, "tokens and one hop"
        yield Finding("cluster", f"metadata service of {names}", where, needed, "it answers pods", fix, "advice")


def _of(instance: Item, cluster: str) -> bool:
    """Node groups of EKS, eksctl and Karpenter all give their nodes this tag."""
    return f"kubernetes.io/cluster/{cluster}" in tags(instance)


def _answers(instance: Item) -> bool:
    stated = instance.get("MetadataOptions", {})
    kept = stated.get("HttpTokens") == "required" and stated.get("HttpPutResponseHopLimit") == 1
    return stated.get("HttpEndpoint") == "enabled" and not kept
