"""What a cloud would refuse in an hour is refused at once: key, value, reason and fix, and exit status 2."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.folders import PROJECT
from bedplate.plan.__main__ import main
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.cloud_profiles import AWS_CAPACITIES, GB200, GCP_CAPACITIES, SYSTEM, eks, gke
from tests.refusals import says

P5 = {"name": "p5", "shape": "p5.48xlarge"}
MEGA = {"name": "mega", "shape": "a3-megagpu-8g"}
CPU: dict[str, Any] = {"name": "cpu", "shape": {"cpus": 16, "memoryGib": 64}}
BLOCK = AWS_CAPACITIES["capacity-block"]
CLUSTER = {"create": {"vpc": "vpc-0123456789abcdef0", "zones": ["us-east-2a", "us-east-2b"]}}


def aws(**cloud: Any) -> dict[str, Any]:
    return {"cloud": {"kind": "aws", "region": "us-east-2", **cloud}}


def elsewhere(platform: str, node_os: str, shape: str, fabric: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": "test",
        "platform": platform,
        "nodeOs": node_os,
        "kubernetesVersion": "1.34",
        "context": "test",
        "driverOwner": "cloud" if platform == "aks" else "image",
        "pools": [{"name": "gpu", "shape": shape, "nodes": 2}, SYSTEM],
        "existingDevicePlugin": platform == "aks",
        "fabric": fabric,
        **more,
    }


def aks(**cloud: Any) -> dict[str, Any]:
    section = {"kind": "azure", "region": "eastus2", "gpuDriver": "install", "infinibandSupport": True, **cloud}
    fabric = {"kind": "infiniband", "exposure": "exclusive", "existingDevices": {"rdma/ib": 8}}
    return elsewhere("aks", "ubuntu", "ND96isr_H100_v5", fabric, cloud=section)


def oke(shape: str = "BM.GPU.H100.8", **cloud: Any) -> dict[str, Any]:
    section = {"kind": "oci", "region": "us-ashburn-1", "rdma": "cluster-network", **cloud}
    fabric = {"kind": "none"} if section["rdma"] == "unused" else {"kind": "roce", "exposure": "sriov"}
    fabric |= {"existingDevices": {"nvidia.com/rdma-vf": 16}, "rails": [f"rdma{i}" for i in range(16)]}
    fabric |= {"ipam": {"kind": "whereabouts", "network": "10.224.0.0/12"}}
    team = {"tenancy": {"teams": [{"name": "team"}]}}
    site = {"existingDevicePlugin": section.get("gpuPluginAddon") is False}
    return elsewhere("oke", "oraclelinux", shape, fabric, whereabouts={}, multus={}, cloud=section, **team, **site)


def without(document: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != key}


def pool_with(document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    document["pools"][0] |= changes
    return document


Wrong = tuple[Callable[[], dict[str, Any]], tuple[str, ...]]
WRONG: dict[str, Wrong] = {
    "zone of another region": (
        lambda: eks({**P5, "zone": "us-west-2a"}),
        ("pools[0].zone = us-west-2a", "not a zone of region us-east-2", "correct cloud.region"),
    ),
    "region that the context contradicts": (
        lambda: eks(P5, context="arn:aws:eks:us-west-2:111122223333:cluster/test"),
        ("cloud.region = us-east-2", "the context names us-west-2", "correct one of them"),
    ),
    "account that the context contradicts": (
        lambda: eks(P5, context="arn:aws:eks:us-east-2:111122223333:cluster/test", **aws(account="444455556666")),
        ("cloud.account = 444455556666", "the context names 111122223333"),
    ),
    "project that the context contradicts": (
        lambda: gke(MEGA, context="gke_other-project_us-central1_test"),
        ("cloud.project = example-project", "the context names other-project"),
    ),
    "no region at all": (
        lambda: eks(P5, cloud={"kind": "aws", "region": "ohio"}),
        ("cloud.region = ohio", "form of this key"),
    ),
    "no zone": (lambda: eks({**P5, "zone": None}), ("pools[0].zone = absent", "add a zone of us-east-2")),
    "RDMA over two zones": (
        lambda: eks({**P5, "zone": None, "zones": ["us-east-2a", "us-east-2b"]}),
        ("pools[0].zones = us-east-2a, us-east-2b", "efa does not reach", "another pool"),
    ),
    "GCP compact over two zones": (
        lambda: gke(
            MEGA,
            {
                **CPU,
                "instanceType": "n2-standard-16",
                "zone": None,
                "zones": ["us-central1-a", "us-central1-b"],
                "placement": {"strategy": "compact"},
            },
        ),
        ("pools[1].placement.strategy = compact", "us-central1-a and us-central1-b cannot stand together", "one zone"),
    ),
    "unknown instance type by shape": (
        lambda: eks({**P5, "shape": "p5.96xlarge"}),
        ("pools[0].shape = p5.96xlarge", "unknown shape", "p5.48xlarge"),
    ),
    "unknown instance type of a full shape": (
        lambda: eks(P5, {**CPU, "instanceType": "m7i-4xlarge"}),
        ("pools[1].instanceType = m7i-4xlarge", "unknown instance type", "correct it"),
    ),
    "machine without a name": (
        lambda: eks(P5, CPU),
        ("pools[1].instanceType = absent", "does not say what the cloud calls", "add it"),
    ),
    "unknown GPU machine": (
        lambda: gke(
            MEGA, {"name": "l4", "shape": {**CPU["shape"], "gpu": "L4", "gpus": 1}, "instanceType": "g2-standard-20"}
        ),
        ("pools[1].instanceType = g2-standard-20", "unknown instance type with GPUs", "use g2-standard-"),
    ),
    "EFA on a size that has none": (
        lambda: eks({"name": "l4", "shape": {**GB200, "gpu": "L4", "arch": "amd64"}, "instanceType": "g7.2xlarge"}),
        ("pools[0].shape.fabrics = efa", "g7.2xlarge has no EFA", "larger size"),
    ),
    "EFA on shapes that have none": (
        lambda: eks({"name": "l4", "shape": "g6.xlarge"}),
        ("fabric.kind = efa", "no pool has interfaces for it (g6.xlarge"),
    ),
    "placement group with a Capacity Block": (
        lambda: eks({**P5, "capacity": BLOCK, "placement": {"strategy": "cluster"}}),
        ("pools[0].placement = cluster", "takes from a capacity-block", "capacity.inPlacementGroup"),
    ),
    "compact policy with a reservation": (
        lambda: gke({**MEGA, "capacity": GCP_CAPACITIES["reservation"], "placement": {"strategy": "compact"}}),
        ("pools[0].placement = compact", "takes from a reservation", "capacity.placementPolicy"),
    ),
    "spread with RDMA": (
        lambda: eks({**P5, "placement": {"strategy": "spread"}}),
        ("pools[0].placement.strategy = spread", "efa needs the machines close together"),
    ),
    "AWS has no compact": (
        lambda: eks({**P5, "placement": {"strategy": "compact"}}),
        ("pools[0].placement.strategy = compact", "aws has no such placement"),
    ),
    "partitions of a cluster group": (
        lambda: eks({**P5, "placement": {"strategy": "cluster", "partitions": 2}}),
        ("pools[0].placement.partitions = 2", "strategy cluster has none"),
    ),
    "capacity of the other cloud": (
        lambda: eks({**P5, "capacity": GCP_CAPACITIES["reservation"]}),
        ("pools[0].capacity.kind = reservation", "aws has no such thing", "capacity-block"),
    ),
    "capacity without a cloud": (
        lambda: without(eks(P5), "cloud"),
        ("pools[0].capacity = on-demand", "there is no cloud section"),
    ),
    "cloud of another platform": (
        lambda: eks(P5, cloud={"kind": "gcp", "project": "example-project", "region": "us-central1"}),
        ("cloud.kind = gcp", "the platform is eks", "use aws"),
    ),
    "cloud with nothing to make": (
        lambda: eks({**P5, "capacity": None}),
        ("cloud = aws", "no pool says its capacity"),
    ),
    "bounds that exclude the start": (
        lambda: eks({**P5, "autoscale": {"min": 3, "max": 4}}),
        ("pools[0].autoscale = 3 to 4", "nodes is 2"),
    ),
    "image that node groups have not": (
        lambda: eks(P5, nodeOs="ubuntu", driverOwner="operator"),
        ("nodeOs = ubuntu", "managed node groups have no such image", "al2023-nvidia"),
    ),
    "odd nodes over two GKE zones": (
        lambda: gke(
            MEGA,
            {
                **CPU,
                "nodes": 3,
                "instanceType": "n2-standard-16",
                "zone": None,
                "zones": ["us-central1-a", "us-central1-b"],
            },
        ),
        ("pools[1].nodes = 3", "use a multiple of 2"),
    ),
    "GPU networks that do not fit": (
        lambda: gke(
            MEGA,
            cloud={
                "kind": "gcp",
                "project": "example-project",
                "region": "us-central1",
                "networks": {"addressRange": "192.168.0.0/22"},
            },
        ),
        ("cloud.networks.addressRange = 192.168.0.0/22", "does not hold 8 subnets of /24"),
    ),
    "GPU networks over the pods": (
        lambda: gke(MEGA, clusterNetwork={"podCidr": "192.168.0.0/20"}),
        ("cloud.networks.addressRange", "overlaps clusterNetwork.podCidr"),
    ),
    "nobody advertises EFA": (
        lambda: without(eks(P5), "efaDevicePlugin"),
        ("efaDevicePlugin = absent", "nothing advertises", "add `efaDevicePlugin: {}`"),
    ),
    "two advertise EFA": (
        lambda: eks(P5, fabric={"kind": "efa", "existingPlugin": True}),
        ("efaDevicePlugin = present", "both register", "remove it"),
    ),
    "EFA plugin without EFA": (
        lambda: eks(P5, fabric={"kind": "none"}),
        ("efaDevicePlugin = present", "fabric.kind is none"),
    ),
    "EFA plugin too old for p6": (
        lambda: eks({"name": "p6", "shape": "p6-b200.48xlarge"}, efaDevicePlugin={"version": "v0.5.9"}),
        ("efaDevicePlugin.version = v0.5.9", "p6-b200.48xlarge", "v0.5.10 or later"),
    ),
    "platform in the cluster's own stack": (
        lambda: eks(P5, nfd={}, **aws(cluster=CLUSTER)),
        ("nfd = present", "another lifetime", "a stack of its own"),
    ),
    "control plane in another region": (
        lambda: eks(P5, **aws(cluster={"create": {**CLUSTER["create"], "zones": ["us-west-2a", "us-east-2b"]}})),
        ("cloud.cluster.create.zones = us-west-2a", "not a zone of us-east-2"),
    ),
    "a pool made on Azure": (
        lambda: pool_with(aks(), capacity={"kind": "on-demand"}),
        ("pools[0].capacity = on-demand", "pools are not made on azure", "docs/cloud-azure-oci.md"),
    ),
    "two drivers on AKS": (
        lambda: aks(gpuDriver="none"),
        ("cloud.gpuDriver = none", "driverOwner is cloud", "--gpu-driver install"),
    ),
    "InfiniBand without the feature": (
        lambda: aks(infinibandSupport=False),
        ("cloud.infinibandSupport = False", "different InfiniBand networks", "AKSInfinibandSupport"),
    ),
    "InfiniBand over two zones": (
        lambda: pool_with(aks(), zones=["1", "2"]),
        ("pools[0].zones = 1, 2", "one zone"),
    ),
    "a proximity group without its zone": (
        lambda: aks(proximityPlacementGroup=True),
        ("pools[0].zone = absent", "fixed when the pool was created"),
    ),
    "RoCE of machines made one by one": (
        lambda: oke(rdma=None),
        ("cloud.rdma = absent", "share no RDMA network", "cluster-network"),
    ),
    "MIG with OKE's add-on": (
        lambda: pool_with(oke(), mig={"1g.10gb": 7}),
        ("pools[0].mig = present", "whole GPUs", "gpuPluginAddon: false"),
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_cloud_is_refused_with_key_value_reason_and_fix(fault: str) -> None:
    make, said = WRONG[fault]
    with pytest.raises(ProfileError) as refused:
        load(make())
    lines = str(refused.value).splitlines()
    assert any(says(line, said) for line in lines), f"no line says {said}:\n{refused.value}"


@pytest.mark.parametrize("document", [eks(P5), gke(MEGA), aks(), oke()], ids=["eks", "gke", "aks", "oke"])
def test_the_sound_ones_are_taken(document: dict[str, Any]) -> None:
    assert load(document).cloud is not None


def test_okes_add_on_keeps_the_operators_device_plugin_off() -> None:
    assert facts(load(oke())).ownership.device_plugin is False
    assert facts(load(oke(gpuPluginAddon=False))).ownership.device_plugin is True


PROFILES = PROJECT / "tests" / "profiles"


def yaml_of(page: str) -> list[dict[str, Any]]:
    """The YAML of a page of docs."""
    parts = (PROJECT / "docs" / page).read_text().split("```yaml\n")[1:]
    return [yaml.safe_load(part.split("```")[0]) for part in parts]


def test_the_examples_of_the_pages_are_taken() -> None:
    snippet, karpenter, _overlay, cluster = yaml_of("cloud-aws.md")
    assert karpenter["pools"] == yaml.safe_load((PROFILES / "eks-karpenter.yaml").read_text())["pools"][1:]
    assert load(cluster).makes_cluster
    assert load(eks() | snippet | {"name": "eks-p5"}).own_cloud
    (gcp,) = yaml_of("cloud-gcp.md")
    assert load(gke() | gcp | {"name": "gke-a3-mega"}).own_cloud
    azure, oci = yaml_of("cloud-azure-oci.md")
    assert load(aks() | azure).cloud
    assert load(oke() | oci).cloud


def test_the_plan_says_it_in_one_line_and_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("Pulumi.yaml", "__main__.py"):
        (tmp_path / name).write_text((PROJECT / name).read_text())
    wrong = eks({**P5, "capacity": BLOCK, "placement": {"strategy": "cluster"}})
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.bad.yaml").write_text(yaml.safe_dump({"config": {"bedplate:profile": wrong}}))

    assert main(["bad", "--project", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "pools[0].placement = cluster" in err
