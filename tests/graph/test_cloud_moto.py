"""What the AWS components declare, put to an emulated EC2 and EKS: accepted, and read back as the profile says.

The emulator is moto's server on loopback, extended with placement groups, which it lacks
(`tests/moto_placement_groups.py`). It checks the form of every call, not whether there is capacity.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from bedplate.components.cloud.aws.node_group import TEMPLATE
from bedplate.plan.graph import Graph, Node
from bedplate.stacks.hardware.shapes import SHAPES
from tests import moto_placement_groups
from tests.cloud_profiles import AWS_CAPACITIES, EFA_SHAPES, every, every_eks_pool, one, pool_name
from tests.stack_files import graph, known

REGION = "us-east-2"
ROLE = "arn:aws:iam::123456789012:role/node"


class Account:
    """An empty account with a VPC, and what was made in it, under the ids that the plan used."""

    def __init__(self, endpoint: str) -> None:
        access = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        self.ec2: Any = boto3.client("ec2", region_name=REGION, endpoint_url=endpoint, **access)
        self.eks: Any = boto3.client("eks", region_name=REGION, endpoint_url=endpoint, **access)
        self.vpc = self.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        self.real: dict[str, str] = {}
        for index, zone in enumerate(("us-east-2a", "us-east-2b")):
            made = self.ec2.create_subnet(VpcId=self.vpc, CidrBlock=f"10.0.{index}.0/24", AvailabilityZone=zone)
            self.real[f"tagged subnet in {zone}"] = made["Subnet"]["SubnetId"]

    def make(self, declared: Graph, cluster: str) -> None:
        """Everything that the plan declares, in its order."""
        self.real[f"cluster security group of {cluster}"] = self._group(f"{cluster}-control-plane")
        subnets = list(self.real.values())[:2]
        self.eks.create_cluster(name=cluster, roleArn=ROLE, resourcesVpcConfig={"subnetIds": subnets})
        for node in every(declared, "SecurityGroup"):
            self._security_group(node)
        for node in every(declared, "PlacementGroup"):
            self.ec2.create_placement_group(GroupName=node.inputs["name"], Strategy=node.inputs["strategy"])
        for node in every(declared, "LaunchTemplate"):
            self._launch_template(node)
        for node in every(declared, "NodeGroup"):
            self._node_group(node)

    def _group(self, name: str) -> str:
        return self.ec2.create_security_group(GroupName=name, Description=name, VpcId=self.vpc)["GroupId"]

    def _security_group(self, node: Node) -> None:
        made = self.real[node.id] = self._group(node.inputs["name"])
        self.ec2.revoke_security_group_egress(GroupId=made, IpPermissions=_rules([{"cidr": "0.0.0.0/0"}], made))
        self.ec2.authorize_security_group_ingress(GroupId=made, IpPermissions=_rules(node.inputs["ingress"], made))
        self.ec2.authorize_security_group_egress(GroupId=made, IpPermissions=_rules(node.inputs["egress"], made))

    def _launch_template(self, node: Node) -> None:
        data = {key: value for key, value in node.inputs.items() if key not in ("name", "updateDefaultVersion")}
        made = self.ec2.create_launch_template(
            LaunchTemplateName=node.inputs["name"], LaunchTemplateData=spelt(data, self.real)
        )
        self.real[node.id] = made["LaunchTemplate"]["LaunchTemplateId"]

    def _node_group(self, node: Node) -> None:
        said = node.inputs
        same = ("clusterName", "amiType", "capacityType", "scalingConfig", "labels", "taints", "tags")
        template = said["launchTemplate"]
        self.eks.create_nodegroup(
            nodegroupName=said["nodeGroupName"],
            nodeRole=ROLE,
            subnets=[self.real[each] for each in said["subnetIds"]],
            launchTemplate={"id": self.real[template["id"]], "version": template["version"]},
            **{key: said[key] for key in same if key in said},
        )

    def template(self, name: str) -> dict[str, Any]:
        """A launch template as EC2 keeps it."""
        versions = self.ec2.describe_launch_template_versions(LaunchTemplateName=name, Versions=["$Latest"])
        return versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]

    def node_group(self, cluster: str, name: str) -> dict[str, Any]:
        """A node group as EKS keeps it."""
        return self.eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]


def _rules(rules: list[Mapping[str, Any]], group: str) -> list[dict[str, Any]]:
    """Rules of a plan as EC2's permissions."""
    return [
        {"IpProtocol": "-1", "IpRanges": [{"CidrIp": rule["cidr"]}]}
        if "cidr" in rule
        else {"IpProtocol": rule["protocol"], "UserIdGroupPairs": [{"GroupId": group}]}
        for rule in rules
    ]


def spelt(value: Any, real: Mapping[str, str]) -> Any:
    """A launch template of a plan in EC2's own words, with real ids for those of the plan."""
    match value:
        case dict():
            return {_word(key): _tags(item) if key == "tags" else spelt(item, real) for key, item in value.items()}
        case list():
            return [spelt(item, real) for item in value]
        case "true" | "false":
            return value == "true"
        case str():
            return real.get(value, value)
        case _:
            return value


def _word(key: str) -> str:
    return "Groups" if key == "securityGroups" else key[0].upper() + key[1:]


def _tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


@pytest.fixture(scope="module")
def patched() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def account(patched: pytest.MonkeyPatch) -> Iterator[Account]:
    moto_placement_groups.install()
    # moto asks a new session for its partitions at every node group, which reads botocore's endpoints (0.3 MB) anew.
    patched.setattr("moto.eks.utils.Session", cache(boto3.Session))
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    made = Account(f"http://{host}:{port}")
    made.make(graph("eks-p5"), "eks-p5")
    made.make(every_eks_pool(), "test")
    yield made
    server.stop()


def test_the_nodes_of_the_stack_read_back_as_its_profile_says(account: Account) -> None:
    facts = known("eks-p5")
    for pool in facts.own_pools:
        template, group = account.template(f"eks-p5-{pool.name}"), account.node_group("eks-p5", pool.name)
        assert template["InstanceType"] == pool.shape
        assert len(template["NetworkInterfaces"]) == pool.nics
        fewest, most = pool.bounds
        assert group["scalingConfig"] == {"desiredSize": pool.nodes, "minSize": fewest, "maxSize": most}
        assert group["subnets"] == [account.real[f"tagged subnet in {pool.zone}"]]
        assert group["amiType"] == "AL2023_x86_64_NVIDIA"
    assert account.template("eks-p5-p5")["Placement"]["GroupName"] == "eks-p5-p5"
    tags = account.node_group("eks-p5", "p5")["tags"]
    assert tags[f"{TEMPLATE}/resources/vpc.amazonaws.com/efa"] == "32"


@pytest.mark.parametrize("kind", AWS_CAPACITIES)
@pytest.mark.parametrize("shape", EFA_SHAPES)
def test_every_shape_and_capacity_reads_back_as_its_facts_say(account: Account, shape: str, kind: str) -> None:
    facts, name = SHAPES[shape], pool_name(shape, kind)
    template = account.template(f"test-{name}")
    efas = [each for each in template["NetworkInterfaces"] if each.get("InterfaceType") in ("efa", "efa-only")]
    assert len(efas) == facts.nics
    places = [(each["NetworkCardIndex"], each["DeviceIndex"]) for each in template["NetworkInterfaces"]]
    assert places[0] == (0, 0)
    assert len(set(places)) == len(places)
    target = template.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    assert target.get("CapacityReservationId") == AWS_CAPACITIES[kind].get("id")
    assert template["MetadataOptions"]["HttpTokens"] == "required"
    block = account.node_group("test", name)["capacityType"]
    assert block == ("CAPACITY_BLOCK" if kind == "capacity-block" else "ON_DEMAND")


def test_every_placement_group_of_ours_exists_before_a_template_names_it(account: Account) -> None:
    groups = {g["GroupName"]: g for g in account.ec2.describe_placement_groups()["PlacementGroups"]}
    for node in every(every_eks_pool(), "PlacementGroup"):
        assert groups[node.inputs["name"]]["Strategy"] == "cluster"
        assert account.template(node.inputs["name"])["Placement"]["GroupName"] == node.inputs["name"]


def test_a_second_group_of_the_same_name_is_refused(account: Account) -> None:
    with pytest.raises(ClientError, match="Duplicate"):
        account.ec2.create_placement_group(GroupName="eks-p5-p5", Strategy="cluster")


def test_the_efa_group_lets_itself_in_and_out_and_nobody_else(account: Account) -> None:
    named = one(graph("eks-p5"), "SecurityGroup", "efa").inputs["name"]
    asked = [{"Name": "group-name", "Values": [named]}]
    (group,) = account.ec2.describe_security_groups(Filters=asked)["SecurityGroups"]
    for way in ("IpPermissions", "IpPermissionsEgress"):
        (rule,) = group[way]
        assert rule["IpProtocol"] == "-1"
        assert [pair["GroupId"] for pair in rule["UserIdGroupPairs"]] == [group["GroupId"]]
        assert rule["IpRanges"] == []
