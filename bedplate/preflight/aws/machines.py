"""The account, the cluster, and whether the zones have the machine at all."""

from collections.abc import Iterator

from bedplate.preflight.aws.account import Account
from bedplate.preflight.finding import Finding


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
