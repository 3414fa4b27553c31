"""Which calls of AWS's API answer for a profile; each of them only reads (docs/preflight.md has the policy)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.capacity import OnDemand, OnDemandCapacityReservation, Spot

EC2 = "ec2"


@dataclass(frozen=True)
class AwsCall:
    """An operation by the names that AWS's service models give it, and its parameters."""

    region: str
    service: str
    operation: str
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def title(self) -> str:
        """What the user reads of it."""
        return f"{self.service} {self.operation}"

    def words(self) -> tuple[str, ...]:
        """The command line takes the API's own names in JSON, and asks for further pages by itself."""
        command = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", self.operation).lower()
        parameters = ("--cli-input-json", json.dumps(self.parameters)) if self.parameters else ()
        limits = ("--cli-connect-timeout", "5", "--cli-read-timeout", "20")
        return ("aws", self.service, command, "--region", self.region, "--output", "json", *limits, *parameters)


def questions(section: AwsCloud, facts: Facts) -> dict[str, AwsCall]:
    """What must be known of the account, by the name under which the checks look it up."""
    return {name: AwsCall(section.region, *rest) for name, *rest in _calls(section, facts)}


def group_question(arn: str) -> str:
    """Name of the question for the reservations of a resource group."""
    return f"group {arn}"


def _calls(section: AwsCloud, facts: Facts) -> Iterator[tuple[Any, ...]]:
    pools = facts.own_pools
    yield "account", "sts", "GetCallerIdentity"
    if section.cluster.create is None:
        yield "cluster", "eks", "DescribeCluster", {"name": section.cluster.name or facts.cluster}
    types = sorted({str(pool.instance_type) for pool in pools})
    yield (
        "offers",
        EC2,
        "DescribeInstanceTypeOfferings",
        {"LocationType": "availability-zone", "Filters": [_filter("instance-type", *types)]},
    )
    yield "instances", EC2, "DescribeInstances", {"Filters": [_filter("instance-state-name", "pending", "running")]}
    yield "reservations", EC2, "DescribeCapacityReservations"
    if any(isinstance(pool.capacity, OnDemand | Spot) for pool in pools):
        yield "quotas", "service-quotas", "ListServiceQuotas", {"ServiceCode": "ec2"}
    if names := sorted(set(_groups_of(pools))):
        yield "placement", EC2, "DescribePlacementGroups", {"Filters": [_filter("group-name", *names)]}
    tags = [_filter(f"tag:{key}", value) for key, value in sorted(section.subnet_tags.items())]
    zones = sorted({zone for pool in pools for zone in pool.zones})
    yield "subnets", EC2, "DescribeSubnets", {"Filters": [*tags, _filter("availability-zone", *zones)]}
    for arn in sorted(set(_resource_groups(pools))):
        yield group_question(arn), "resource-groups", "ListGroupResources", {"Group": arn}


def _filter(name: str, *values: str) -> dict[str, Any]:
    return {"Name": name, "Values": list(values)}


def _groups_of(pools: tuple[NodePool, ...]) -> Iterator[str]:
    for pool in pools:
        match pool.capacity:
            case OnDemandCapacityReservation(in_placement_group=str(name)):
                yield name
            case _:
                continue


def _resource_groups(pools: tuple[NodePool, ...]) -> Iterator[str]:
    for pool in pools:
        match pool.capacity:
            case OnDemandCapacityReservation(group=str(arn)):
                yield arn
            case _:
                continue
