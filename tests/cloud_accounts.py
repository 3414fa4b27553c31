"""Accounts of clouds for tests: what each question of a profile is answered where nothing is short.

AWS's answers are held against botocore's service models in the tests, so that no field here is made up. Google's have
the fields of Compute Engine's and GKE's v1 API and of the Cloud Quotas API.
"""

from collections.abc import Mapping
from typing import Any

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.capacity import CapacityBlock, OnDemandCapacityReservation, Reservation
from bedplate.preflight.aws.questions import group_question
from bedplate.preflight.gcp.quotas import METRIC
from bedplate.preflight.gcp.quotas import quota as gpu_quota
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile

VPC = "vpc-0123456789abcdef0"
OWNER = "111122223333"
PLACEMENT = f"arn:aws:ec2:us-east-2:{OWNER}:placement-group/"
CAPACITY = f"arn:aws:ec2:us-east-2:{OWNER}:capacity-reservation/"
Account = dict[str, Any]


def good(profile: Profile) -> Account:
    """Everything there, with nothing to spare of what is reserved."""
    return aws_account(profile) if isinstance(profile.own_cloud, AwsCloud) else gcp_account(profile)


def aws_account(profile: Profile) -> Account:
    """Every answer by its question's name."""
    known = facts(profile)
    return {
        "account": {"Account": OWNER, "UserId": "AIDA", "Arn": f"arn:aws:iam::{OWNER}:user/one"},
        "cluster": {
            "cluster": {
                "name": known.cluster,
                "status": "ACTIVE",
                "version": known.kubernetes_version,
                "resourcesVpcConfig": {"vpcId": VPC},
            }
        },
        "offers": {
            "InstanceTypeOfferings": [
                {"InstanceType": pool.instance_type, "LocationType": "availability-zone", "Location": zone}
                for pool in known.own_pools
                for zone in pool.zones
            ]
        },
        "instances": {"Reservations": []},
        "reservations": {"CapacityReservations": [one for pool in known.own_pools for one in held(pool)]},
        "quotas": {"Quotas": [quota(code, 4096) for code in ("L-417A185B", "L-DB2E81BA", "L-1216C47A", "L-C4BD4855")]},
        "placement": {"PlacementGroups": [one for pool in known.own_pools for one in group_of(pool)]},
        "subnets": {"Subnets": [subnet(zone) for zone in zones(known)]},
        **{group_question(arn): members(known, arn) for arn in resource_groups(known)},
    }


def zones(known: Facts) -> list[str]:
    return sorted({zone for pool in known.own_pools for zone in pool.zones})


def subnet(zone: str, free: int = 4000, vpc: str = VPC) -> dict[str, Any]:
    name = f"subnet-{sum(map(ord, zone)):017x}"
    return {"SubnetId": name, "VpcId": vpc, "AvailabilityZone": zone, "AvailableIpAddressCount": free}


def quota(code: str, value: float) -> dict[str, Any]:
    return {"ServiceCode": "ec2", "QuotaCode": code, "QuotaName": code, "Value": value}


def held(pool: NodePool) -> list[dict[str, Any]]:
    """The reservation of a pool, or the two of its group."""
    match pool.capacity:
        case CapacityBlock(id=name):
            return [{**reservation(name, pool), "ReservationType": "capacity-block"}]
        case OnDemandCapacityReservation(id=str(name), in_placement_group=str(group)):
            return [{**reservation(name, pool), "PlacementGroupArn": f"{PLACEMENT}{group}"}]
        case OnDemandCapacityReservation(id=str(name)):
            return [reservation(name, pool)]
        case OnDemandCapacityReservation():
            first = pool.most // 2
            parts = {"cr-00000000000000001": first, "cr-00000000000000002": pool.most - first}
            return [{**reservation(name, pool), **counts(number)} for name, number in parts.items()]
        case _:
            return []


def counts(number: int) -> dict[str, int]:
    return {"TotalInstanceCount": number, "AvailableInstanceCount": number}


def reservation(name: str, pool: NodePool) -> dict[str, Any]:
    return {
        "CapacityReservationId": name,
        "OwnerId": OWNER,
        "InstanceType": pool.instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": pool.zones[0],
        "Tenancy": "default",
        "State": "active",
        "ReservationType": "default",
        "StartDate": "2026-11-01T11:30:00+00:00",
        **counts(pool.most),
    }


def group_of(pool: NodePool) -> list[dict[str, Any]]:
    match pool.capacity:
        case OnDemandCapacityReservation(in_placement_group=str(name)):
            return [{"GroupName": name, "State": "available", "Strategy": "cluster"}]
        case _:
            return []


def resource_groups(known: Facts) -> set[str]:
    capacities = (pool.capacity for pool in known.own_pools)
    return {one.group for one in capacities if isinstance(one, OnDemandCapacityReservation) and one.group}


def members(known: Facts, arn: str) -> dict[str, Any]:
    pools = (p for p in known.own_pools if isinstance(p.capacity, OnDemandCapacityReservation))
    names = [one["CapacityReservationId"] for pool in pools if pool.capacity.group == arn for one in held(pool)]  # type: ignore[union-attr]
    kind = "AWS::EC2::CapacityReservation"
    return {"Resources": [{"Identifier": {"ResourceArn": f"{CAPACITY}{one}", "ResourceType": kind}} for one in names]}


def instance(machine: str, processors: int, **tags: str) -> dict[str, Any]:
    """One that runs; `cluster` and `nodegroup` are EKS's own tags."""
    marks = [{"Key": f"eks:{key}-name", "Value": value} for key, value in tags.items()]
    return {
        "InstanceId": "i-0123456789abcdef0",
        "InstanceType": machine,
        "CpuOptions": {"CoreCount": processors // 2, "ThreadsPerCore": 2},
        "Tags": marks,
    }


def running(*instances: Mapping[str, Any]) -> dict[str, Any]:
    return {"Reservations": [{"ReservationId": "r-0123456789abcdef0", "Instances": list(instances)}]}


def gcp_account(profile: Profile) -> Account:
    """Every answer by its question's name."""
    known = facts(profile)
    region = profile.own_cloud.region  # type: ignore[union-attr]
    names = sorted({gpu_quota(pool) for pool in known.own_pools if pool.gpus} - {""})
    return {
        "cluster": {
            "name": known.cluster,
            "status": "RUNNING",
            "currentMasterVersion": f"{known.kubernetes_version}.1-gke.100",
            "networkConfig": {"enableMultiNetworking": True, "datapathProvider": "ADVANCED_DATAPATH"},
            "nodePools": [{"name": "system", "config": {"workloadMetadataConfig": {"mode": "GKE_METADATA"}}}],
        },
        "offers": [
            {"name": pool.instance_type, "zone": zone, "guestCpus": pool.cpus}
            for pool in known.own_pools
            for zone in pool.zones
        ],
        "region": {
            "name": region,
            "quotas": [{"metric": one, "limit": 64.0, "usage": 0.0} for one in names if one.endswith(METRIC)],
        },
        "families": {
            "dimensionsInfos": [
                {"dimensions": {"region": region, "gpu_family": one}, "details": {"value": "64"}}
                for one in names
                if not one.endswith(METRIC)
            ]
        },
        **gcp_reservations(known),
    }


def gcp_reservations(known: Facts) -> Account:
    found: Account = {}
    for pool in known.own_pools:
        if isinstance(pool.capacity, Reservation):
            project, name = pool.capacity.project or "example-project", pool.capacity.name
            policy = pool.capacity.placement_policy
            size = {"count": str(pool.most), "inUseCount": "0"}
            row = {
                "name": name,
                "zone": f"https://www.googleapis.com/compute/v1/projects/{project}/zones/{pool.zone}",
                "status": "READY",
                "specificReservationRequired": True,
                "specificReservation": {**size, "instanceProperties": {"machineType": pool.instance_type}},
                **(
                    {"resourcePolicies": {"policy": f"regions/us-central1/resourcePolicies/{policy}"}} if policy else {}
                ),
            }
            found.setdefault(f"reservations {project}", []).append(row)
            if pool.capacity.block:
                rows = [{"name": pool.capacity.block, "count": pool.most, "inUseCount": 0}]
                found[f"blocks {project}/{name}"] = rows
    return found
