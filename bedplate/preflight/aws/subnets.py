"""The subnet of each zone: exactly one, with an address for each node and some for its pods."""

from collections.abc import Iterator
from math import ceil

from bedplate.components.facts import NodePool
from bedplate.preflight.aws.account import Account
from bedplate.preflight.finding import Finding, count
from bedplate.preflight.known import Item

POD_ADDRESSES = 16
"""Addresses that a GPU node's agents and jobs take in its subnet, at least, by the VPC CNI's default; a site whose pods
have addresses elsewhere needs none, so that this is advice."""


def subnets(account: Account) -> Iterator[Finding]:
    """Every zone of our pools has one, and room in it."""
    if not account.knows("subnets", "instances"):
        return
    home = account.vpc
    rows = [subnet for subnet in account.one("subnets").get("Subnets", []) if home in (None, subnet["VpcId"])]
    tags = ", ".join(f"{key}={value}" for key, value in account.section.subnet_tags.items())
    for zone in sorted({zone for pool in account.facts.own_pools for zone in pool.zones}):
        here = [row for row in rows if row["AvailabilityZone"] == zone]
        pools = [pool for pool in account.facts.own_pools if zone in pool.zones]
        if len(here) == 1:
            yield from _room(account, pools, here[0])
        elif home is not None or not here:
            fix = "give exactly one subnet of the zone these tags, or change cloud.subnetTags"
            there = f"{len(here)} in {home or 'the region'}"
            yield Finding(names(pools), f"subnet with {tags}", zone, "1", there, fix)


def _room(account: Account, pools: list[NodePool], subnet: Item) -> Iterator[Finding]:
    nodes, free = (
        sum(ceil(account.lacking(pool) / len(pool.zones)) for pool in pools),
        subnet["AvailableIpAddressCount"],
    )
    if nodes * (1 + POD_ADDRESSES) <= free:
        return
    short = nodes > free
    needed = nodes if short else nodes * (1 + POD_ADDRESSES)
    words = f"{free:,} free for {count(nodes, 'node')}" + ("" if short else f" and {POD_ADDRESSES} pods on each")
    where, fix = str(subnet["AvailabilityZone"]), "use a larger subnet"
    title, grade = f"{subnet['SubnetId']}: free addresses", "short" if short else "advice"
    yield Finding(names(pools), title, where, f"{needed:,}", words, fix, grade)


def names(pools: list[NodePool]) -> str:
    """Of all of them."""
    return ", ".join(pool.name for pool in pools)
