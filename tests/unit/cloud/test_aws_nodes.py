"""EKS nodes over every EFA shape and every kind of capacity: interfaces, zone, placement, reservation, groups."""

import base64
from email import message_from_bytes
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.components.cloud.aws.launch_template import interfaces, reserved_group
from bedplate.components.cloud.node_labels import own_placement
from bedplate.components.facts import NodePool
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.cloud_profiles import (
    AWS_CAPACITIES,
    BLOCKS_ALONE,
    EFA_SHAPES,
    eks,
    every,
    every_eks_pool,
    one,
    pool_name,
)
from tests.stack_files import document, graph, graph_of

BOTH = [(shape, kind) for shape in EFA_SHAPES for kind in AWS_CAPACITIES]
P5 = {"name": "p5", "shape": "p5.48xlarge"}
RACK = {"name": "gb200", "shape": BLOCKS_ALONE, "capacity": AWS_CAPACITIES["capacity-block"]}
shapes = st.sampled_from(EFA_SHAPES)
kinds = st.sampled_from(sorted(AWS_CAPACITIES))


def pool_of(shape: str, kind: str, **more: Any) -> NodePool:
    return facts(load(eks({"name": "gpu", "shape": shape, "capacity": AWS_CAPACITIES[kind], **more}))).pools[0]


@given(shapes, kinds)
def test_interfaces_are_as_many_as_the_shape_has_each_on_a_card_of_its_own(shape: str, kind: str) -> None:
    found = interfaces(pool_of(shape, kind))
    efas = [each for each in found if each.type]
    assert len(efas) == SHAPES[shape].nics
    assert [each.card for each in found] == list(range(len(found)))
    assert (found[0].card, found[0].device) == (0, 0)
    assert found[0].type != "efa-only"
    assert all(each.type == "efa-only" for each in found[1:])


@given(shapes)
def test_card_and_device_follow_the_instance_type(shape: str) -> None:
    first, *rest = interfaces(pool_of(shape, "on-demand"))
    if SHAPES[shape].ena_card:
        assert first.type is None
        assert [(each.card, each.device) for each in rest] == [(card, 0) for card in range(1, 17)]
    else:
        assert first.type == "efa"
        assert {each.device for each in rest} <= {1}


def test_a_gb200_has_its_address_on_card_0_and_an_efa_for_each_gpu_where_its_cards_take_one() -> None:
    """EC2 documentation, "Maximize network bandwidth on instances with multiple network cards"."""
    first, *rest = interfaces(facts(load(eks(RACK))).pools[0])
    assert (first.card, first.device, first.type) == (0, 0, None)
    assert [(each.card, each.device, each.type) for each in rest] == [(card, 0, "efa-only") for card in (1, 5, 9, 13)]


@given(shapes, kinds)
def test_a_placement_group_of_ours_and_a_reservation_never_meet(shape: str, kind: str) -> None:
    pool = pool_of(shape, kind)
    ours = own_placement(pool, "cluster")
    assert (ours is None) is (kind != "on-demand")
    assert ours is None or ours.strategy == "cluster"
    assert reserved_group(pool) == ("bought-together" if kind == "odcr-in-group" else None)


@pytest.mark.parametrize(("shape", "kind"), BOTH)
def test_the_template_says_what_the_shape_and_the_capacity_say(shape: str, kind: str) -> None:
    inputs = one(every_eks_pool(), "LaunchTemplate", pool_name(shape, kind)).inputs
    declared = inputs["networkInterfaces"]
    assert inputs["instanceType"] == shape
    assert [(e["networkCardIndex"], e["deviceIndex"], e.get("interfaceType")) for e in declared] == [
        (e.card, e.device, e.type) for e in interfaces(pool_of(shape, kind))
    ]
    target = inputs.get("capacityReservationSpecification", {}).get("capacityReservationTarget", {})
    assert target.get("capacityReservationId") == AWS_CAPACITIES[kind].get("id")
    block = inputs.get("instanceMarketOptions", {}).get("marketType")
    assert (block == "capacity-block") is (kind == "capacity-block")
    assert inputs.get("placement", {}).get("groupName") == {
        "on-demand": f"test-{pool_name(shape, kind)}",
        "odcr-in-group": "bought-together",
    }.get(kind)


def test_every_rdma_pool_has_one_subnet_and_other_pools_all_of_theirs() -> None:
    for group in every(every_eks_pool(), "NodeGroup"):
        expected = ["tagged subnet in us-east-2a"]
        if group.name == "cpu":
            expected.append("tagged subnet in us-east-2b")
        assert group.inputs["subnetIds"] == expected


def test_every_security_group_of_an_efa_pool_allows_itself_both_ways() -> None:
    graph = every_eks_pool()
    groups = {node.id: node for node in every(graph, "SecurityGroup")}
    for template in every(graph, "LaunchTemplate"):
        for interface in template.inputs.get("networkInterfaces", ()):
            ours = [groups[each] for each in interface["securityGroups"] if each in groups]
            assert ours, f"{template.name} is in no group of ours"
            assert "cluster security group of test" in interface["securityGroups"]
            for group in ours:
                for way in ("ingress", "egress"):
                    (rule,) = group.inputs[way]
                    assert (rule["self"], rule["protocol"]) == (True, "-1")


def test_a_group_waits_for_its_template_and_the_template_for_its_placement_group() -> None:
    graph = every_eks_pool()
    name = pool_name("p5.48xlarge", "on-demand")
    template = one(graph, "LaunchTemplate", name)
    assert one(graph, "PlacementGroup", name).urn in template.dependencies
    assert template.urn in one(graph, "NodeGroup", name).dependencies
    assert one(graph, "NodeGroup", name).inputs["launchTemplate"]["version"] == "1"


def test_images_follow_gpu_and_architecture() -> None:
    image = {node.name: node.inputs["amiType"] for node in every(every_eks_pool(), "NodeGroup")}
    assert image["cpu"] == "AL2023_x86_64_STANDARD"
    assert image["gb200"] == "AL2023_ARM_64_NVIDIA"
    assert image[pool_name("p5.48xlarge", "odcr")] == "AL2023_x86_64_NVIDIA"
    graviton = {"gpu": "T4", "gpus": 1, "cpus": 4, "memoryGib": 8, "arch": "arm64"}
    arm = eks({"name": "t4g", "shape": graviton, "instanceType": "g5g.xlarge"}, P5, nodeOs="bottlerocket-nvidia")
    group = one(graph_of(arm), "NodeGroup", "t4g")
    assert group.inputs["amiType"] == "BOTTLEROCKET_ARM_64_NVIDIA"


def test_nodes_have_disk_for_images_and_ask_for_imdsv2() -> None:
    for template in every(every_eks_pool(), "LaunchTemplate"):
        (disk,) = template.inputs["blockDeviceMappings"]
        assert disk["ebs"]["volumeSize"] >= (100 if template.name == "cpu" else 200)
        assert template.inputs["metadataOptions"]["httpTokens"] == "required"


@pytest.mark.parametrize(("operator", "off"), [({}, True), ({"cdi": False}, False), ({"version": "v25.3.4"}, False)])
def test_a_variable_shows_no_gpu_where_gpus_come_otherwise(operator: dict[str, Any], *, off: bool) -> None:
    one = document("eks-p5") | {"gpuOperator": operator, "kubernetesVersion": "1.33"}
    (template,) = every(graph_of(one), "LaunchTemplate")
    text = base64.b64decode(template.inputs["userData"])
    assert (b"accept-nvidia-visible-devices-envvar-when-unprivileged=false" in text) is off
    assert (b"accept-nvidia-visible-devices-as-volume-mounts=false" in text) is off


def test_pods_do_not_get_the_nodes_role() -> None:
    for template in every(every_eks_pool(), "LaunchTemplate"):
        assert template.inputs["metadataOptions"]["httpPutResponseHopLimit"] == 1


def user_data(document: dict[str, Any]) -> bytes:
    (template,) = every(graph_of(document), "LaunchTemplate")
    return base64.b64decode(template.inputs["userData"])


def test_al2023_gets_huge_pages_and_locked_memory_as_mime_parts() -> None:
    document = eks({"name": "p5", "shape": "p5.48xlarge"})
    document["cloud"]["localDisks"] = "raid0"
    parts = message_from_bytes(user_data(document)).get_payload()
    assert isinstance(parts, list)
    types = [part.get_content_type() for part in parts if not isinstance(part, str)]
    assert types == ["application/node.eks.aws", "text/x-shellscript"]
    config, script = [str(part.get_payload()) for part in parts if not isinstance(part, str)]
    assert "strategy: RAID0" in config
    assert script.startswith("#!/bin/bash")
    assert "LimitMEMLOCK=infinity" in script
    assert "vm.nr_hugepages = 5128" in script


def test_bottlerocket_gets_settings_and_keeps_images_on_its_data_disk() -> None:
    import tomllib

    document = eks({"name": "p5", "shape": "p5.48xlarge"}, nodeOs="bottlerocket-nvidia")
    settings = tomllib.loads(user_data(document).decode())["settings"]
    assert settings["kernel"]["sysctl"]["vm.nr_hugepages"] == "5128"
    assert settings["oci-defaults"]["resource-limits"]["max-locked-memory"]["hard-limit"] == "unlimited"
    (template,) = every(graph_of(document), "LaunchTemplate")
    assert template.inputs["blockDeviceMappings"][0]["deviceName"] == "/dev/xvdb"


def test_an_empty_pool_tells_the_autoscaler_what_a_node_would_have() -> None:
    pool = {
        "name": "p5",
        "shape": "p5.48xlarge",
        "nodes": 0,
        "autoscale": {"max": 4},
        "mig": {"1g.10gb": 7},
        "labels": {"rack": "a"},
    }
    (group,) = every(graph_of(eks(pool)), "NodeGroup")
    template = "k8s.io/cluster-autoscaler/node-template"
    assert group.inputs["tags"] == {
        f"{template}/label/eks.amazonaws.com/nodegroup": "p5",
        f"{template}/label/rack": "a",
        f"{template}/label/nvidia.com/mig.config": "p5",
        f"{template}/taint/nvidia.com/gpu": "present:NoSchedule",
        f"{template}/resources/nvidia.com/mig-1g.10gb": "56",
        f"{template}/resources/vpc.amazonaws.com/efa": "32",
        f"{template}/resources/hugepages-2Mi": "10240Mi",
    }
    assert group.options.ignore_changes == ("scalingConfig.desiredSize",)
    assert group.inputs["scalingConfig"] == {"desiredSize": 0, "minSize": 0, "maxSize": 4}


def test_a_pool_outside_the_fabric_promises_the_autoscaler_no_huge_pages() -> None:
    servers = {"name": "g6", "shape": "g6.12xlarge", "nodes": 0, "autoscale": {"max": 4}, "rails": []}
    group = one(graph_of(eks({"name": "p5", "shape": "p5.48xlarge"}, servers)), "NodeGroup", "g6")
    assert not [key for key in group.inputs["tags"] if "hugepages" in key or "efa" in key]


def test_nodes_carry_what_the_platform_selects_and_tolerates() -> None:
    pool = {
        "name": "l4",
        "shape": "g6.12xlarge",
        "timeSlicing": 4,
        "selector": {"team": "serving", "nvidia.com/gpu.product": "NVIDIA-L4"},
        "taints": [{"key": "team", "value": "serving", "effect": "NoExecute"}],
    }
    known = facts(load(eks(pool)))
    (group,) = every(graph_of(eks(pool)), "NodeGroup")
    assert group.inputs["labels"] == {"team": "serving", "nvidia.com/device-plugin.config": "l4"}
    assert group.inputs["taints"] == [{"key": "team", "value": "serving", "effect": "NO_EXECUTE"}]
    assert {"key": "team", "operator": "Exists", "effect": "NoExecute"} in known.tolerations


def test_partition_and_spread_are_there_for_pools_without_rdma() -> None:
    cpu = {"name": "cpu", "shape": {"cpus": 16, "memoryGib": 64}, "instanceType": "m7i.4xlarge"}
    placement = {"strategy": "partition", "partitions": 3}
    graph = graph_of(eks({"name": "p5", "shape": "p5.48xlarge"}, {**cpu, "placement": placement}))
    group = one(graph, "PlacementGroup", "cpu")
    assert (group.inputs["strategy"], group.inputs["partitionCount"]) == ("partition", 3)


NEW_CLUSTER: dict[str, Any] = {
    "create": {
        "vpc": "vpc-0123456789abcdef0",
        "zones": ["us-east-2a", "us-east-2b"],
        "publicAccess": ["203.0.113.0/24"],
        "admins": ["arn:aws:iam::111122223333:role/platform"],
    }
}


def new_cluster() -> dict[str, Any]:
    system = {
        "name": "system",
        "shape": {"cpus": 16, "memoryGib": 64},
        "instanceType": "m7i.4xlarge",
        "zone": None,
        "zones": ["us-east-2a", "us-east-2b"],
    }
    document = eks(system, fabric={"kind": "none"})
    del document["efaDevicePlugin"]
    document["cloud"]["cluster"] = NEW_CLUSTER
    return document


def test_a_new_cluster_has_roles_oidc_and_subnets_by_tag_and_needs_no_kubeconfig() -> None:
    graph = graph_of(new_cluster())
    (cluster,) = (node for node in every(graph, "Cluster") if node.custom)
    assert cluster.inputs["vpcConfig"]["subnetIds"] == [
        "tagged subnet in us-east-2a",
        "tagged subnet in us-east-2b",
    ]
    assert cluster.inputs["vpcConfig"]["publicAccessCidrs"] == ["203.0.113.0/24"]
    assert cluster.options.protect
    assert "bedplate:cloud:EksCluster$" in cluster.urn
    (oidc,) = every(graph, "OpenIdConnectProvider")
    assert oidc.inputs["url"].startswith("https://")
    assert {node.name for node in every(graph, "Role")} == {"test-cluster", "node"}
    (access,) = every(graph, "AccessEntry")
    assert access.inputs["principalArn"] == "arn:aws:iam::111122223333:role/platform"
    assert cluster.urn in one(graph, "NodeGroup", "system").dependencies
    providers = {node.type for node in graph.resources if node.type.startswith("pulumi:providers:")}
    assert providers == {"pulumi:providers:aws"}


@pytest.mark.parametrize("kind", AWS_CAPACITIES)
def test_reserved_machines_are_updated_by_taking_the_old_away_first(kind: str) -> None:
    """A surge would wait for a machine that the reservation does not have."""
    update = one(every_eks_pool(), "NodeGroup", pool_name("p5.48xlarge", kind)).inputs.get("updateConfig")
    reserved = {"maxUnavailable": 1, "updateStrategy": "MINIMAL"}
    assert update == (None if kind == "on-demand" else reserved)


def test_several_reservations_are_one_group_of_them() -> None:
    group = "arn:aws:resource-groups:us-east-2:111122223333:group/p5"
    document = eks({"name": "gpu", "shape": "p5.48xlarge", "capacity": {"kind": "odcr", "group": group}})
    template = one(graph_of(document), "LaunchTemplate", "gpu").inputs
    target = template["capacityReservationSpecification"]["capacityReservationTarget"]
    assert target == {"capacityReservationResourceGroupArn": group}


@pytest.mark.parametrize(
    "capacity", [{}, {"id": "cr-0123456789abcdef0", "group": "arn:aws:resource-groups:r:111122223333:group/p5"}]
)
def test_a_reservation_is_one_or_a_group(capacity: dict[str, str]) -> None:
    with pytest.raises(ProfileError, match=r"pools\[0\].capacity.* give id or group"):
        load(eks({"name": "gpu", "shape": "p5.48xlarge", "capacity": {"kind": "odcr", **capacity}}))


def test_the_image_is_pinned_and_nodes_are_repaired_where_the_profile_says_so() -> None:
    cloud = {"kind": "aws", "region": "us-east-2", "amiRelease": "1.34.1-20251103", "nodeRepair": True}
    group = one(graph_of(eks({"name": "gpu", "shape": "p5.48xlarge"}, cloud=cloud)), "NodeGroup", "gpu").inputs
    assert group["releaseVersion"] == "1.34.1-20251103"
    assert group["nodeRepairConfig"] == {"enabled": True}


def test_the_root_disk_of_a_gpu_node_unpacks_images_at_speed() -> None:
    (disk,) = one(every_eks_pool(), "LaunchTemplate", pool_name("p5.48xlarge", "on-demand")).inputs[
        "blockDeviceMappings"
    ]
    assert disk["ebs"]["throughput"] * 4 <= disk["ebs"]["iops"], "gp3: at most a quarter of a MiB/s for each operation"
    assert disk["ebs"]["throughput"] >= 500


def test_a_cache_on_disks_that_nobody_mounts_is_refused() -> None:
    storage = {"cache": {"kind": "host-path", "hostPath": "/mnt/k8s-disks/0"}}
    with pytest.raises(ProfileError, match=r"storage.cache.hostPath = /mnt/k8s-disks/0: .*`localDisks: raid0`"):
        load(eks({"name": "gpu", "shape": "p5.48xlarge"}, storage=storage))
    mounted = {"kind": "aws", "region": "us-east-2", "localDisks": "raid0"}
    assert load(eks({"name": "gpu", "shape": "p5.48xlarge"}, storage=storage, cloud=mounted)).storage


def test_the_driver_of_ebs_disks_is_looked_up_where_something_needs_one() -> None:
    looked_up = {node.id for node in graph("eks-p5").resources if node.read and node.kind == "CSIDriver"}
    assert looked_up == {"ebs.csi.aws.com"}
