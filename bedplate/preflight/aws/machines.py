"""The account, the cluster, and whether the zones have the machine at all."""

from collections.abc import Iterator

from bedplate.preflight.aws.account import Account
from bedplate.preflight.finding import Finding


def account(known: Account) -> Iterator[Finding]:
    """The login is the account's that the profile names."""
    stated = known.section.account
    if stated and known.knows("account") and (there := known.one("account").get("Account")) != stated:
        yield Finding("cluster", "account", known.section.region, stated, f"the login is of {there}", "log in to it")


def cluster(known: Account) -> Iterator[Finding]:
    """The cluster takes nodes, and none newer than itself."""
    if not known.knows("cluster"):
        return
    found = known.one("cluster").get("cluster", {})
    where, name = known.section.region, f"EKS cluster {known.cluster_name}"
    if (state := found.get("status")) != "ACTIVE":
        yield Finding("cluster", name, where, "ACTIVE", f"it is {state}", "wait until it is, or mend it")
    has, wants = str(found.get("version", "")), known.facts.kubernetes_version
    if has and tuple(map(int, has.split("."))) < tuple(map(int, wants.split("."))):
        fix = "update the cluster first, or lower kubernetesVersion: nodes may not be newer"
        yield Finding("cluster", f"{name}: Kubernetes", where, wants, f"{has} there", fix)


def offers(known: Account) -> Iterator[Finding]:
    """Each zone of a pool offers its machine."""
    if not known.knows("offers"):
        return
    found = known.one("offers").get("InstanceTypeOfferings", [])
    pairs = {(one["InstanceType"], one["Location"]) for one in found}
    for pool in known.facts.own_pools:
        others = sorted(zone for machine, zone in pairs if machine == pool.instance_type)
        for zone in (zone for zone in pool.zones if (pool.instance_type, zone) not in pairs):
            fix = f"use {', '.join(others)}" if others else "no zone of the region offers it: use another region"
            yield Finding(pool.name, str(pool.instance_type), zone, f"{pool.most} of it", "not offered", fix)
