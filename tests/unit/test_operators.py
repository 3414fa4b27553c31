"""What the operators are told, by platform, fabric and chart version."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.facts import Args, Facts
from bedplate.components.network.attachments import network_manifests
from bedplate.components.network.ip_pools import ip_pools
from bedplate.components.network.whereabouts import WhereaboutsSection
from bedplate.components.network.whereabouts import helm_values as whereabouts_values
from bedplate.components.nodes.pool_labels import POOL_LABEL, rule, rules
from bedplate.components.operators import gpu_operator, network_operator, nic_cluster_policy, nic_images
from bedplate.components.operators.network_operator import NetworkOperatorSection
from bedplate.components.readiness import STATE, wait_for
from bedplate.components.verification.pools import patience
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import document, known, profile
from tests.unit.checks.case import GONE, edited
from tests.unit.test_fabric import IPAM, ON_SITE, cluster

SRIOV = {"kind": "infiniband", "exposure": "sriov", "rails": ON_SITE, "ipam": IPAM}


def gpu_values(one: dict[str, Any]) -> dict[str, Any]:
    loaded = load(one)
    assert loaded.gpu_operator
    return gpu_operator.helm_values(Args(loaded.gpu_operator, facts(loaded)))


def network_values(known_facts: Facts) -> dict[str, Any]:
    return network_operator.helm_values(Args(NetworkOperatorSection(), known_facts))


PROFILES = Path(__file__).parents[1] / "profiles"


def args(one: dict[str, Any]) -> Args[NetworkOperatorSection]:
    loaded = load(one)
    assert loaded.network_operator
    return Args(loaded.network_operator, facts(loaded))


def nic_spec(one: dict[str, Any]) -> dict[str, Any]:
    loaded = load(one)
    assert loaded.network_operator
    return nic_cluster_policy.spec(Args(loaded.network_operator, facts(loaded)))


def old_spec(one: dict[str, Any]) -> dict[str, Any]:
    """Unchecked: of old releases some go with no Kubernetes of today."""
    profile = Profile.model_validate(one)
    assert profile.network_operator
    return nic_cluster_policy.spec(Args(profile.network_operator, facts(profile)))


def test_dma_buf_needs_open_modules_and_no_peermem() -> None:
    driver = gpu_values(document("onprem-h100-roce"))["driver"]
    assert driver["kernelModuleType"] == "open"
    assert driver["rdma"] == {"enabled": False, "useHostMofed": False}


def test_peermem_waits_for_the_operators_ofed_or_for_the_hosts() -> None:
    one = document("onprem-h100-ib")
    one["gpuDirect"] = "peermem"
    assert gpu_values(one)["driver"]["rdma"] == {"enabled": True, "useHostMofed": False}
    del one["networkOperator"]["ofed"]
    one["fabric"]["hostOfed"] = True
    assert gpu_values(one)["driver"]["rdma"] == {"enabled": True, "useHostMofed": True}


def test_an_upgrade_of_the_driver_does_not_evict_jobs_unasked() -> None:
    policy = gpu_values(document("onprem-h100-roce"))["driver"]["upgradePolicy"]
    assert policy == {"autoUpgrade": False, "maxParallelUpgrades": 1, "drain": {"enable": False}}


@pytest.mark.parametrize(
    ("stack", "driver", "toolkit"),
    [("onprem-h100-roce", True, True), ("eks-p5", False, False), ("gke-a3-mega", False, True)],
)
def test_driver_and_toolkit_have_the_owner_that_the_platform_wants(stack: str, driver: bool, toolkit: bool) -> None:  # noqa: FBT001
    values = gpu_values(document(stack))
    assert values["driver"]["enabled"] is driver
    assert values["toolkit"]["enabled"] is toolkit


def test_the_operator_runs_the_driver_exactly_where_it_owns_it() -> None:
    assert {key: one.driver for key, one in OWNERSHIP.items()} == {key: key[2] == "operator" for key in OWNERSHIP}


def test_the_toolkit_comes_from_the_image_where_the_vendor_says_so() -> None:
    in_image = {key[:2] for key, one in OWNERSHIP.items() if not one.toolkit}
    assert in_image == {
        ("talos", "talos"),  # NVIDIA/gpu-operator#2731
        ("eks", "al2023-nvidia"),  # NVIDIA/cloud-native-docs, amazon-eks
        ("eks", "bottlerocket-nvidia"),  # NVIDIA/gpu-operator#946
        ("aks", "ubuntu"),  # NVIDIA/cloud-native-docs, microsoft-aks
        ("aks", "azurelinux"),
        ("oke", "oraclelinux"),  # NVIDIA/aicr, oke-gpu-setup
        ("oke", "ubuntu"),
    }


def test_rke2_is_told_where_its_containerd_is() -> None:
    env = {one["name"]: one["value"] for one in gpu_values(document("onprem-h100-ib"))["toolkit"]["env"]}
    assert env == {"CONTAINERD_SOCKET": "/run/k3s/containerd/containerd.sock"}


@pytest.mark.parametrize("platform", ["rke2", "k3s"])
def test_the_toolkit_never_writes_the_template_that_rke2_and_k3s_render_as_their_whole_configuration(
    platform: str,
) -> None:
    """NVIDIA/gpu-operator#992: after a reboot the node does not come back."""
    env = {name for key, one in OWNERSHIP.items() if key[0] == platform for name in one.toolkit_env}
    assert env == {"CONTAINERD_SOCKET"}


def test_on_k3s_both_network_operators_write_where_k3s_looks_for_plug_ins() -> None:
    values = network_values(cluster("dgx-h100", SRIOV, "k3s"))
    home = "/var/lib/rancher/k3s"
    assert values["operator"] == {
        "cniBinDirectory": f"{home}/data/cni",
        "cniNetworkDirectory": f"{home}/agent/etc/cni/net.d",
    }
    assert values["sriov-network-operator"]["operator"] == {"cniBinPath": f"{home}/data/cni"}
    assert "operator" not in network_values(cluster("dgx-h100", SRIOV, "rke2"))


def test_on_talos_validator_and_device_plugin_look_where_its_extensions_are() -> None:
    one = document("inference-l40s") | {"platform": "talos", "nodeOs": "talos", "driverOwner": "image"}
    values = gpu_values(one)
    assert values["hostPaths"] == {"driverInstallDir": "/usr/local"}
    hook = {"name": "NVIDIA_CDI_HOOK_PATH", "value": "/usr/local/bin/nvidia-cdi-hook"}
    assert hook in values["devicePlugin"]["env"]
    assert values["toolkit"] == {"enabled": False}


@pytest.mark.parametrize(
    ("stack", "changes"),
    [
        ("onprem-h100-roce", {"gpuOperator.gds": True}),
        ("inference-l40s", {"gpuOperator.gds": True}),
        ("onprem-h100-roce", {"nodeOs": "dgxos", "driverOwner": "image", "gpuOperator": {}}),
        ("eks-p5", {}),
    ],
)
def test_a_pod_gets_no_nic_that_it_did_not_ask_for(stack: str, changes: dict[str, Any]) -> None:
    """With gds, or nvidia_fs on the host, the operator's plugin hands every verbs device to each container with a GPU."""
    plugin = gpu_values(edited(stack, changes))["devicePlugin"]
    assert {"name": "MOFED_ENABLED", "value": "false"} in plugin["env"]


def test_gke_keeps_driver_and_toolkit_where_its_image_allows() -> None:
    values = gpu_values(document("gke-a3-mega"))
    assert values["hostPaths"]["driverInstallDir"] == values["toolkit"]["installDir"] == "/home/kubernetes/bin/nvidia"
    assert {"name": "RUNTIME_CONFIG_SOURCE", "value": "file"} in values["toolkit"]["env"]


def test_bottlerocket_runs_its_own_device_plugin() -> None:
    one: dict[str, Any] = document("eks-p5") | {"nodeOs": "bottlerocket-nvidia"}
    del one["cloud"]["localDisks"], one["storage"]["cache"]
    assert gpu_values(one)["devicePlugin"]["enabled"] is False


def test_aks_managed_nodes_use_the_runtime_class_of_their_image() -> None:
    known_facts = cluster("ND96isr_H100_v5", {"kind": "infiniband", "exposure": "exclusive"}, "aks")
    assert known_facts.ownership.runtime_class == "nvidia-container-runtime"
    assert not known_facts.ownership.toolkit


def test_mig_pools_get_a_layout_and_the_mixed_strategy() -> None:
    values = gpu_values(document("inference-l40s"))
    assert values["mig"]["strategy"] == "mixed"
    layouts = yaml.safe_load(values["migManager"]["config"]["data"]["config.yaml"])["mig-configs"]
    assert layouts["a100-mig"] == [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 7}}]
    assert values["migManager"]["config"]["default"] in layouts


def test_a_cluster_without_slices_runs_no_mig_manager() -> None:
    values = gpu_values(document("onprem-h100-roce"))
    assert values["migManager"] == {"enabled": False}
    assert values["mig"]["strategy"] == "single"


def test_time_slices_are_renamed_and_refuse_more_than_one() -> None:
    config = gpu_values(document("inference-l40s"))["devicePlugin"]["config"]
    sharing = yaml.safe_load(config["data"]["l4-shared"])["sharing"]["timeSlicing"]
    assert sharing["renameByDefault"] is True
    assert sharing["failRequestsGreaterThanOne"] is True
    assert sharing["resources"] == [{"name": "nvidia.com/gpu", "replicas": 4}]
    assert "sharing" not in yaml.safe_load(config["data"][config["default"]])


def test_nfd_labels_a_sliced_pool_by_the_pci_id_of_its_gpu() -> None:
    labelled = rule(known("inference-l40s").pool("a100-mig"), known("inference-l40s"))
    assert labelled["labels"] == {"nvidia.com/mig.config": "a100-mig"}
    assert labelled["matchFeatures"][0]["matchExpressions"]["device"]["value"] == ["20b2"]


def test_a_nic_is_registered_by_one_device_plugin() -> None:
    for stack in ("onprem-h100-roce", "onprem-h100-ib", "lab"):
        spec = nic_spec(document(stack))
        plugins = {"rdmaSharedDevicePlugin", "sriovDevicePlugin"} & set(spec)
        assert len(plugins) == (0 if stack == "onprem-h100-ib" else 1)


def test_the_shared_plugin_advertises_the_rails_under_the_derived_name() -> None:
    config = json.loads(nic_spec(document("onprem-h100-roce"))["rdmaSharedDevicePlugin"]["config"])["configList"][0]
    assert f"{config['resourcePrefix']}/{config['resourceName']}" in known("onprem-h100-roce").fabric.devices
    assert config["selectors"]["ifNames"] == list(known("onprem-h100-roce").pool("h100").interfaces)


def test_whole_hcas_are_advertised_per_rail() -> None:
    one = document("onprem-h100-ib")
    one["fabric"]["exposure"] = "host-device"
    config = json.loads(nic_spec(one)["sriovDevicePlugin"]["config"])["resourceList"]
    assert [entry["resourceName"] for entry in config] == [f"rdma_rail_{i}" for i in range(8)]
    assert config[0]["selectors"]["pfNames"] == ["ibp24s0"]


def test_virtual_functions_come_from_the_sriov_operator_alone() -> None:
    one = document("onprem-h100-ib")
    section = load(one).network_operator
    assert section
    assert (
        network_operator.helm_values(Args(section, known("onprem-h100-ib")))["sriovNetworkOperator"]["enabled"] is True
    )
    policies = nic_cluster_policy.virtual_functions(known("onprem-h100-ib"))
    assert {policy["spec"]["resourceName"] for policy in policies} == {f"rdma_rail_{i}" for i in range(8)}
    assert {policy["spec"]["linkType"] for policy in policies} == {"ib"}


def test_oracles_images_have_made_the_functions_and_pods_get_them_as_oracles_manifests_have_it() -> None:
    """oci-hpc-oke, terraform/files/nvidia-network-operator: sriov-network-node-policy.yaml and sriov-network.yaml."""
    rails = {"rails": [f"rdma{i}" for i in range(16)], "ipam": IPAM}
    made = cluster("BM.GPU.H100.8", {"kind": "roce", "exposure": "sriov", **rails}, "oke")
    for policy in nic_cluster_policy.virtual_functions(made):
        stated = {key: policy["spec"][key] for key in ("numVfs", "mtu", "externallyManaged", "isRdma")}
        assert stated == {"numVfs": 1, "mtu": 4220, "externallyManaged": True, "isRdma": True}
    networks = [one["spec"] for one in network_manifests(made) if one["kind"] == "SriovNetwork"]
    assert len(networks) == 16
    for spec in networks:
        assert spec["spoofChk"] == "off"
        plugins = json.loads(f"[{spec['metaPlugins']}]")
        assert [(one["type"], one.get("mtu")) for one in plugins] == [("tuning", 4220), ("rdma", None), ("sbr", None)]


@pytest.mark.parametrize(
    ("version", "image"),
    [
        ("24.7.0", {"image": "multus-cni", "repository": "ghcr.io/k8snetworkplumbingwg", "version": "v3.9.3"}),
        ("25.4.0", {"image": "multus-cni", "repository": "ghcr.io/k8snetworkplumbingwg", "version": "v4.1.0"}),
        (
            "26.1.2",
            {"image": "multus-cni", "repository": "nvcr.io/nvidia/mellanox", "version": "network-operator-v26.1.2"},
        ),
    ],
)
def test_images_belong_to_the_operators_release(version: str, image: dict[str, str]) -> None:
    one = document("onprem-h100-roce")
    one["networkOperator"]["version"] = version
    assert old_spec(one)["secondaryNetwork"]["multus"] == image


@pytest.mark.parametrize("version", network_operator.CHART.versions)
def test_the_ofed_of_a_release_is_that_releases_own(version: str) -> None:
    year, month, _ = version.split(".")
    assert f"{year}.{month:0>2}-" in nic_images.ofed_version(version)


@pytest.mark.parametrize("version", network_operator.CHART.versions)
def test_older_drivers_are_told_to_keep_the_hosts_modules_away_where_the_host_reads_it(version: str) -> None:
    """Until 25.7 they wrote the list into their own container, and lost the race (Mellanox/doca-driver-build#86)."""
    one = document("onprem-h100-roce")
    one["networkOperator"] = {"version": version, "ofed": {"primaryNic": "other-vendor"}}
    said = {env["name"]: env["value"] for env in old_spec(one)["ofedDriver"]["env"]}
    early = tuple(int(part) for part in version.split(".")[:2]) < (25, 7)
    assert said.get("OFED_BLACKLIST_MODULES_FILE") == (
        "/host/etc/modprobe.d/blacklist-ofed-modules.conf" if early else None
    )


def test_nfs_over_rdma_is_loaded_with_the_driver_only_where_it_is_asked_for() -> None:
    one = document("onprem-h100-roce")
    ofed: dict[str, Any] = {"primaryNic": "other-vendor"}
    one["networkOperator"] = {"ofed": ofed}
    unload = {"name": "UNLOAD_STORAGE_MODULES", "value": "true"}
    assert nic_spec(one)["ofedDriver"]["env"] == [unload]
    ofed["nfsRdma"] = True
    assert nic_spec(one)["ofedDriver"]["env"] == [unload, {"name": "ENABLE_NFSRDMA", "value": "true"}]


def test_the_driver_is_built_behind_a_proxy_and_from_a_sites_own_packages() -> None:
    one = document("onprem-h100-roce")
    proxy = {"HTTPS_PROXY": "http://proxy.example.com:3128", "NO_PROXY": ".svc,10.0.0.0/8"}
    one["networkOperator"] = {
        "ofed": {"primaryNic": "other-vendor", "env": proxy, "repoConfig": "packages", "certConfig": "authorities"}
    }
    driver = nic_spec(one)["ofedDriver"]
    assert driver["env"][1:] == [{"name": name, "value": value} for name, value in proxy.items()]
    assert (driver["repoConfig"], driver["certConfig"]) == ({"name": "packages"}, {"name": "authorities"})


def test_every_image_that_the_operator_runs_comes_from_the_sites_registry() -> None:
    one = edited("onprem-h100-roce", {"networkOperator.nics": [{"nicType": "1021", "partNumbers": ["one"]}]})
    one["networkOperator"] |= {
        "ofed": {"primaryNic": "other-vendor"},
        "imageRepository": "registry.example.com/mellanox",
        "imagePullSecrets": ["registry"],
    }
    text = json.dumps(nic_spec(one))
    assert "nvcr.io" not in text
    assert text.count('"image": ') == text.count('["registry"]') == text.count("registry.example.com/mellanox") > 5
    assert "registry" not in json.dumps(nic_spec(document("onprem-h100-roce")))


def test_where_gpus_may_not_be_reset_the_mig_manager_starts_the_node_anew() -> None:
    restarts = [{"name": "WITH_REBOOT", "value": "true"}]
    cloud = yaml.safe_load((PROFILES / "gke-a2-slices.yaml").read_text())
    assert gpu_values(cloud)["migManager"]["env"] == restarts
    assert "env" not in gpu_values(document("inference-l40s"))["migManager"]


NETWORKS = {
    ("roce", "shared"): "MacvlanNetwork",
    ("infiniband", "shared"): "IPoIBNetwork",
    ("roce", "host-device"): "HostDeviceNetwork",
    ("infiniband", "host-device"): "HostDeviceNetwork",
    ("roce", "sriov"): "SriovNetwork",
    ("infiniband", "sriov"): "SriovIBNetwork",
}


@pytest.mark.parametrize(("kind", "exposure"), NETWORKS)
def test_every_rail_becomes_a_network_of_the_operators_own_kind(kind: str, exposure: str) -> None:
    made = network_manifests(cluster("dgx-h100", {"kind": kind, "exposure": exposure, "rails": ON_SITE, "ipam": IPAM}))
    assert [one["kind"] for one in made] == [NETWORKS[kind, exposure]] * 8
    assert {one["spec"]["networkNamespace"] for one in made} == {"team"}
    assert "host-local" not in json.dumps(made)


@pytest.mark.parametrize(("kind", "exposure"), NETWORKS)
def test_without_the_operator_the_same_rails_become_plain_definitions(kind: str, exposure: str) -> None:
    section = {"kind": kind, "exposure": exposure, "rails": ON_SITE, "existingDevices": {"example.com/rdma": 8}}
    ipam = {"ipam": IPAM | {"kind": "whereabouts"}}
    made = network_manifests(cluster("dgx-h100", section | ipam, networkOperator=None, multus={}, whereabouts={}))
    assert {one["kind"] for one in made} == {"NetworkAttachmentDefinition"}
    for index, one in enumerate(made):
        config = json.loads(one["spec"]["config"])
        assert config["cniVersion"]
        assert config["ipam"] == {"type": "whereabouts", "range": f"10.64.{index}.0/24"}
        bound = one["metadata"].get("annotations", {}).get("k8s.v1.cni.cncf.io/resourceName")
        assert bound == (None if exposure == "shared" else "example.com/rdma")


def test_pools_of_addresses_are_where_nv_ipam_looks_for_them() -> None:
    made = ip_pools(known("onprem-h100-roce"))
    assert {one["metadata"]["namespace"] for one in made} == {network_operator.CHART.namespace}
    assert [one["metadata"]["name"] for one in made] == [rail.name for rail in known("onprem-h100-roce").fabric.rails]


def test_where_addresses_come_from_nv_ipam_its_part_must_be_ready_as_it_brings_the_kind_of_the_pools() -> None:
    assert nic_cluster_policy.conditions(args(document("onprem-h100-roce"))) == (
        f"{STATE}=ready",
        f"{nic_cluster_policy.NV_IPAM}=ready",
    )
    assert json.loads(wait_for("one", "two")["pulumi.com/waitFor"]) == ["one", "two"]
    other = document("onprem-h100-roce") | {"whereabouts": {}}
    other["fabric"]["ipam"] = {"kind": "whereabouts", "network": "10.64.0.0/16"}
    assert nic_cluster_policy.conditions(args(other)) == (f"{STATE}=ready",)


def test_only_nodes_of_the_fabric_take_addresses() -> None:
    spec = ip_pools(known("onprem-h100-roce"))[0]["spec"]
    expression = {"key": POOL_LABEL, "operator": "In", "values": ["h100"]}
    assert spec["nodeSelector"]["nodeSelectorTerms"] == [{"matchExpressions": [expression]}]


@pytest.mark.parametrize("version", ["v25.3.4", "v25.10.1", "v26.7.0"])
def test_address_blocks_stay_with_their_nodes_while_gpu_feature_discovery_restarts(version: str) -> None:
    """It takes the product's label away at its exit, and nv-ipam the block (NVIDIA/k8s-device-plugin#796)."""
    one = document("onprem-h100-roce")
    one["kubernetesVersion"] = "1.33"
    one["gpuOperator"] |= {"version": version}
    for stated, label in ((None, {POOL_LABEL: "h100"}), ({"site/rack": "r1"}, {"site/rack": "r1"})):
        if stated:
            one["pools"][1]["selector"] = stated
        told = facts(load(one))
        for pool in ip_pools(told):
            [term] = pool["spec"]["nodeSelector"]["nodeSelectorTerms"]
            assert {each["key"]: each["values"][0] for each in term["matchExpressions"]} == label
    assert {POOL_LABEL: "h100"}.items() <= rules(facts(load(document("onprem-h100-roce"))))[0]["labels"].items()


NODE_FEATURE = {"env": [{"name": "GFD_USE_NODE_FEATURE_API", "value": "true"}]}


@pytest.mark.parametrize(("version", "told"), [("v25.3.4", None), ("v25.10.1", NODE_FEATURE), ("v26.3.3", None)])
def test_gpu_labels_outlive_their_pod_where_discovery_may_write_an_object_and_does_not_by_itself(
    version: str, told: dict[str, Any] | None
) -> None:
    one = document("onprem-h100-roce")
    one["kubernetesVersion"] = "1.33"
    one["gpuOperator"] |= {"version": version}
    assert gpu_values(one).get("gfd") == told


def test_whereabouts_runs_the_release_whose_templates_it_has() -> None:
    args = Args(WhereaboutsSection(), known("onprem-h100-roce"))
    assert whereabouts_values(args)["image"]["tag"] == "v0.9.4"


def test_operands_tolerate_every_pool() -> None:
    one = document("onprem-h100-roce")
    one["pools"][1]["taints"] = [{"key": "dedicated", "value": "training", "effect": "NoExecute"}]
    toleration = {"key": "dedicated", "operator": "Exists", "effect": "NoExecute"}
    assert toleration in gpu_values(one)["daemonsets"]["tolerations"]
    assert toleration in nic_spec(one)["tolerations"]
    section = profile("onprem-h100-roce").nfd
    assert section is not None


SELECTORS = {"pools.1.selector": {"pool": "training"}, "pools.2.selector": {"pool": "mig"}}


def test_a_pool_that_trains_is_not_sliced_with_a_mig_pool_of_the_same_gpu() -> None:
    """NFD sees PCI ids and no labels: a rule would cut up both."""
    alone = edited("inference-l40s", {"serving": GONE})
    assert [one["name"] for one in rules(facts(load(alone)))] == ["pool a100-mig", "pool l4-shared"]
    beside = edited(alone, {"pools.1": {"name": "train", "shape": "dgx-a100", "nodes": 4}, **SELECTORS})
    assert [one["name"] for one in rules(facts(load(beside)))] == ["pool l4-shared"]


def rule_labels(known_facts: Facts) -> dict[str, Any]:
    return {one["name"]: one["labels"] for one in rules(known_facts)}


def test_the_network_operator_works_on_nodes_of_the_fabric_alone_before_they_have_a_driver() -> None:
    """GPU Feature Discovery writes the product with a driver, and that may wait for DOCA-OFED."""
    spec = nic_spec(document("onprem-h100-ib"))
    required = spec["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    found = {"key": "bedplate/pool", "operator": "In", "values": ["h100"]}
    assert required["nodeSelectorTerms"] == [{"matchExpressions": [found]}]
    assert rule_labels(known("onprem-h100-ib")) == {"pool h100": {"bedplate/pool": "h100"}}
    for policy in nic_cluster_policy.virtual_functions(known("onprem-h100-ib")):
        assert policy["spec"]["nodeSelector"]["bedplate/pool"] == "h100"


def test_pools_with_selectors_are_found_by_them() -> None:
    one = edited("onprem-h100-ib", {"pools.1.selector": {"rack": "a"}})
    required = nic_spec(one)["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required["nodeSelectorTerms"] == [{"matchExpressions": [{"key": "rack", "operator": "In", "values": ["a"]}]}]
    assert rules(facts(load(one))) == []


def test_virtual_functions_are_made_on_some_nodes_at_a_time_and_waited_for_as_long() -> None:
    one = load(edited("onprem-h100-ib", {"pools.1.nodes": 128, "fabric.ipam.railPrefix": 20}))
    assert one.network_operator
    (config,) = nic_cluster_policy.rollout(Args(one.network_operator, facts(one)))
    assert config["spec"]["maxUnavailable"] == 12
    assert patience(facts(one)) == 1800 + 11 * 900
    asked = load(edited("onprem-h100-ib", {"networkOperator.maxUnavailable": 4}))
    assert patience(facts(asked)) == 1800 + 4 * 900
    assert patience(known("onprem-h100-roce")) == 1800


def test_two_pools_with_virtual_functions_have_policies_of_their_own() -> None:
    two = {"pools.1.selector": {"rack": "a"}, "pools.2": {"name": "more", "shape": "dgx-h100", "nodes": 2}}
    one = load(edited("onprem-h100-ib", {**two, "pools.2.selector": {"rack": "b"}, "verification": GONE}))
    made = nic_cluster_policy.virtual_functions(facts(one))
    assert len({policy["metadata"]["name"] for policy in made}) == len(made) == 16
    assert {policy["spec"]["nodeSelector"]["rack"] for policy in made} == {"a", "b"}


def test_macvlans_have_no_mtu_unless_the_profile_says_so_and_virtual_functions_set_their_ports() -> None:
    rails = {"kind": "roce", "rails": ON_SITE, "ipam": IPAM}
    shared = cluster("dgx-h100", {**rails, "exposure": "shared"})
    assert all("mtu" not in one["spec"] for one in network_manifests(shared))
    asked = cluster("dgx-h100", {**rails, "exposure": "shared", "mtu": 9000})
    assert {one["spec"]["mtu"] for one in network_manifests(asked)} == {9000}
    functions = nic_cluster_policy.virtual_functions(cluster("dgx-h100", {**rails, "exposure": "sriov"}))
    assert {one["spec"]["mtu"] for one in functions if one["kind"] == "SriovNetworkNodePolicy"} == {9000}
