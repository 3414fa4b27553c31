"""What a cluster tells of itself, and what it leaves open: nodes in, keys and doubts out."""

import copy
from pathlib import Path
from typing import Any

import pytest

from bedplate.cli import main
from bedplate.live import kinds
from bedplate.live.discover.draft import LISTED, NEEDED, draft
from bedplate.live.discover.machine import machine
from bedplate.live.discover.owners import marks, owners
from bedplate.live.discover.platform import gpu_nodes
from bedplate.live.discover.pools import written
from bedplate.live.kinds import CLUSTER_POLICY, DEFINITION, DEPLOYMENT, NODE, TOPOLOGY
from bedplate.live.reading import Observed
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import StackFiles
from tests.live_cluster import FakeCluster, workload

IMAGE = {"osImage": "Ubuntu 24.04.3 LTS", "kubeletVersion": "v1.35.2"}
H100 = {
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/gpu.count": "8",
    "nvidia.com/gpu.memory": "81559",
}
DGX = {"cpu": "224", "memory": "2113407832Ki", "nvidia.com/gpu": "8", "pods": "110"}
TAINT = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
PLAIN = {"cpu": "64", "memory": "256Gi", "pods": "110"}


def node(name: str, said: dict[str, str], capacity: dict[str, str], **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "labels": {"kubernetes.io/arch": "amd64", **said}}
    status = {"capacity": capacity, "allocatable": capacity, "nodeInfo": IMAGE}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def cluster(*objects: dict[str, Any]) -> FakeCluster:
    plain = [node(f"cpu-{i}", {}, PLAIN) for i in range(3)]
    gpus = [node(f"gpu-{i}", H100, DGX, taints=TAINT) for i in range(2)]
    return FakeCluster([*plain, *gpus, *objects], "v1.35.2")


def observed(here: FakeCluster) -> Observed:
    return Observed({kind: here.objects[kind] for kind in LISTED}, version=here.version)


def told(here: FakeCluster) -> tuple[dict[str, Any], str]:
    found = draft(observed(here), "prod", "prod-context")
    return found.profile, "\n".join(found.unseen)


def test_a_bare_cluster_of_known_machines_can_be_planned_at_once() -> None:
    profile, doubts = told(cluster())
    assert [(pool["shape"], pool["nodes"]) for pool in profile["pools"]] == [
        ({"cpus": 64, "memoryGib": 256}, 3),
        ("dgx-h100", 2),
    ]
    assert profile["existingDevicePlugin"] is True  # somebody advertises the GPUs, and not our operator
    assert load(profile).context == "prod-context"
    assert "who brings the driver" in doubts


def test_what_nodes_offer_is_written_where_the_formula_is_far_from_it() -> None:
    here = cluster()
    for number, one in enumerate(here.objects[NODE]):
        if number >= 3:
            one["status"]["allocatable"] = {**DGX, "memory": f"{1500 + number}Gi", "cpu": "200"}
    profile, _ = told(here)
    assert profile["pools"][1]["allocatable"] == {"cpu": "200", "memory": "1503Gi"}
    assert "allocatable" not in profile["pools"][0], "here it is as good"
    assert load(profile).pools[1].allocatable is not None


def test_where_nobody_advertises_gpus_the_operators_are_proposed_and_that_is_said() -> None:
    here = cluster()
    for one in here.objects[NODE]:
        for part in ("capacity", "allocatable"):
            one["status"][part] = {k: v for k, v in one["status"][part].items() if k != "nvidia.com/gpu"}
    profile, doubts = told(here)
    assert (profile["nfd"], profile["gpuOperator"]) == ({}, {})
    assert "nobody advertises GPUs" in doubts


def test_the_control_plane_is_no_pool() -> None:
    taint = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
    profile, doubts = told(cluster(node("master", {}, PLAIN, taints=taint)))
    assert profile["pools"][0]["nodes"] == 3
    assert "1 nodes of the control plane are left out" in doubts


def test_nics_whose_link_nobody_says_are_asked_for_and_not_guessed() -> None:
    here = cluster()
    for one in here.objects[NODE][3:]:
        one["metadata"]["labels"]["feature.node.kubernetes.io/pci-15b3.present"] = "true"
    profile, doubts = told(here)
    assert profile["fabric"] == {"kind": "none"}
    assert "write kind (infiniband or roce) and exposure" in doubts


@pytest.mark.parametrize(("pci", "kind"), [("0207", "infiniband"), ("0200", "roce")])
def test_the_link_follows_from_the_class_of_the_nic(pci: str, kind: str) -> None:
    here = cluster()
    for one in here.objects[NODE][3:]:
        one["metadata"]["labels"][f"feature.node.kubernetes.io/pci-{pci}_15b3.present"] = "true"
        one["status"]["capacity"] = {**DGX, "rdma/hca_shared": "63"}
    profile, _ = told(here)
    assert profile["fabric"] == {"kind": kind, "exposure": "shared", "existingDevices": {"rdma/hca_shared": 1}}


@pytest.mark.parametrize(
    ("offered", "asked"),
    [
        ({"openshift.io/ib_vfs": "64"}, {"openshift.io/ib_vfs": 8}),
        ({f"openshift.io/nic{n}": "8" for n in range(4)}, {f"openshift.io/nic{n}": 1 for n in range(4)}),
    ],
)
def test_of_the_sites_own_devices_a_whole_node_asks_for_as_many_as_it_has_ports(
    offered: dict[str, str], asked: dict[str, int]
) -> None:
    here = cluster()
    for one in here.objects[NODE][3:]:
        one["metadata"]["labels"]["feature.node.kubernetes.io/pci-0207_15b3.present"] = "true"
        one["status"]["capacity"] = {**DGX, **offered}
    profile, _ = told(here)
    assert profile["fabric"] == {"kind": "infiniband", "exposure": "sriov", "existingDevices": asked}


def test_a_resource_says_its_link_and_a_machine_in_no_table_has_a_nic_for_each_gpu() -> None:
    own = {"feature.node.kubernetes.io/pci-15b3.present": "true", **H100, "nvidia.com/gpu.count": "4"}
    half = node("half", own, {**DGX, "cpu": "96", "nvidia.com/gpu": "4", "rdma/ib": "63"})
    profile, doubts = told(cluster(half))
    assert profile["fabric"] == {"kind": "infiniband", "exposure": "shared", "existingDevices": {"rdma/ib": 1}}
    (shape,) = [
        pool["shape"] for pool in profile["pools"] if isinstance(pool["shape"], dict) and "gpus" in pool["shape"]
    ]
    assert (shape["fabrics"], shape["nics"]) == (["infiniband"], 4)
    assert "else of the GPUs" in doubts


@pytest.mark.parametrize(
    ("driver", "said"),
    [
        (
            {"kernelModuleType": "auto", "version": "580.126.20"},
            {"kernelModules": "auto", "driverVersion": "580.126.20"},
        ),
        ({"useOpenKernelModules": False}, {"kernelModules": "proprietary"}),
        ({"useOpenKernelModules": True}, {}),
        ({"enabled": False, "version": "580.126.20"}, {}),
    ],
)
def test_the_driver_stays_what_the_operator_was_told(driver: dict[str, Any], said: dict[str, str]) -> None:
    here = cluster(workload("Deployment", "gpu-operator", "gpu-operator"))
    head = {"apiVersion": CLUSTER_POLICY.version, "kind": CLUSTER_POLICY.kind, "metadata": {"name": "it"}}
    here.add({**head, "spec": {"driver": driver}})
    profile, _ = told(here)
    assert profile["gpuOperator"] == said


def test_pools_of_one_product_are_told_apart_by_the_sites_own_label_or_asked_for() -> None:
    small = node("small", {**H100, "nvidia.com/gpu.count": "4"}, {**DGX, "cpu": "96", "nvidia.com/gpu": "4"})
    named = copy.deepcopy(small)
    named["metadata"]["labels"]["example.com/pool"] = "half"
    profile, _ = told(cluster(named))
    assert [pool["selector"] for pool in profile["pools"] if "selector" in pool] == [{"example.com/pool": "half"}]
    assert {pool["name"] for pool in profile["pools"]} == {"system", "h100", "half"}
    twice = node("other", H100, {**DGX, "cpu": "192", "memory": "2000Gi"})
    _, doubts = told(cluster(twice))
    assert "several have NVIDIA-H100-80GB-HBM3" in doubts


def test_a_release_that_we_know_keeps_its_version_and_another_is_said() -> None:
    old = {"labels": {"helm.sh/chart": "gpu-operator-v25.3.4"}}
    profile, _ = told(cluster(workload("Deployment", "gpu-operator", "gpu-operator", **old)))
    assert profile["gpuOperator"] == {"version": "v25.3.4"}
    ancient = {"labels": {"helm.sh/chart": "gpu-operator-v22.9.0"}}
    profile, doubts = told(cluster(workload("Deployment", "gpu-operator", "gpu-operator", **ancient)))
    assert profile["gpuOperator"] == {}
    assert "v22.9.0 runs, a line that we do not know" in doubts


A100 = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.count": "8"}
SEVEN, HALVES = {"1g.10gb": 7}, {"3g.40gb": 2}


def slices(**counts: int) -> dict[str, str]:
    """What a node has; the names of resources have dots."""
    names = {"one": "nvidia.com/mig-1g.10gb", "three": "nvidia.com/mig-3g.40gb", "whole": "nvidia.com/gpu"}
    return {**DGX, "nvidia.com/gpu": "0", **{names[name]: str(count) for name, count in counts.items()}}


@pytest.mark.parametrize(
    ("capacity", "said"),
    [
        (slices(three=16), {"mig": HALVES}),
        (slices(three=8, whole=4), {"migLayouts": [{"gpus": [0, 1, 2, 3], "slices": HALVES}]}),
        (
            slices(one=14, three=2, whole=5),
            {"migLayouts": [{"gpus": [0, 1], "slices": SEVEN}, {"gpus": [2], "slices": HALVES}]},
        ),
        (
            slices(one=11, three=13),
            {
                "migLayouts": [
                    {"gpus": [0], "slices": SEVEN},
                    {"gpus": [1], "slices": {"3g.40gb": 1, "1g.10gb": 4}},
                    {"gpus": [2, 3, 4, 5, 6, 7], "slices": HALVES},
                ]
            },
        ),
    ],
    ids=["all-alike", "some-whole", "two-ways-and-whole", "three-ways"],
)
def test_how_gpus_are_cut_follows_from_counts_where_only_one_division_leaves_none_with_room(
    capacity: dict[str, str], said: dict[str, Any]
) -> None:
    profile, doubts = told(FakeCluster([node("cpu", {}, PLAIN), node("x", A100, capacity, taints=TAINT)], "v1.35.2"))
    pool = profile["pools"][1]
    assert {key: pool[key] for key in ("mig", "migLayouts") if key in pool} == said
    assert ("pools[1].migLayouts: nodes tell how many slices, not on which GPU" in doubts) == ("migLayouts" in said)
    assert load(profile).pools[1].slices


@pytest.mark.parametrize("capacity", [slices(three=3), slices(one=9, three=1, whole=5)], ids=["room-left", "several"])
def test_gpus_that_may_be_cut_in_several_ways_are_said_and_not_guessed(capacity: dict[str, str]) -> None:
    profile, doubts = told(FakeCluster([node("cpu", {}, PLAIN), node("x", A100, capacity, taints=TAINT)], "v1.35.2"))
    assert not {"mig", "migLayouts"} & set(profile["pools"][1])
    assert "GPUs of x are cut in several ways" in doubts


def test_slices_that_go_by_the_name_of_gpus_are_counted_as_slices_and_their_new_name_is_said() -> None:
    """Strategy single, the operator's default: 16 GPUs of a machine that has 8."""
    product = "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb"
    labels = {"nvidia.com/gpu.product": product, "nvidia.com/gpu.count": "16", "nvidia.com/mig.strategy": "single"}
    cut = node("x", labels, {**DGX, "nvidia.com/gpu": "16"}, taints=TAINT)
    profile, doubts = told(FakeCluster([node("cpu", {}, PLAIN), cut], "v1.35.2"))
    assert profile["pools"][1]["mig"] == HALVES
    assert profile["pools"][1]["shape"]["gpus"] == 8
    assert "slices of x go by nvidia.com/gpu; here they are called nvidia.com/mig-3g.40gb" in doubts


def test_what_nodes_do_not_tell_is_the_least() -> None:
    """One processor and one GiB; a GPU that no table has is as its labels say, and of Hopper where they do not."""
    bare = machine(node("x", {}, {}))
    assert (bare.cpus, bare.memory_gib, bare.arch, bare.cut_unlike) == (1, 1, "amd64", False)
    new = {"nvidia.com/gpu.product": "NVIDIA-X900", "nvidia.com/gpu.count": "8", "nvidia.com/gpu.memory": "98304"}
    described = {"product": "NVIDIA-X900", "memoryGib": 96}
    assert written(machine(node("x", new, DGX)))["gpu"] == {**described, "family": "hopper"}
    said = {**new, "nvidia.com/gpu.family": "blackwell"}
    assert written(machine(node("x", said, DGX)))["gpu"] == {**described, "family": "blackwell"}


def test_the_system_is_that_of_nodes_with_gpus_where_there_are_any() -> None:
    plain, gpus = node("cpu", {}, PLAIN), node("gpu", H100, DGX)
    assert gpu_nodes([plain, gpus]) == [gpus]
    assert gpu_nodes([plain]) == [plain]


def test_a_slice_and_a_shared_gpu_keep_the_name_of_their_gpu() -> None:
    said = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED", "nvidia.com/gpu.count": "8"}
    one = machine(node("x", {**said, "nvidia.com/gpu.replicas": "4"}, {"nvidia.com/mig-1g.10gb": "56"}))
    assert (one.product, one.gpus, one.layouts[0], one.replicas) == ("NVIDIA-H100-80GB-HBM3", 8, {"1g.10gb": 7}, 4)


@pytest.mark.parametrize(
    ("said", "resource", "plugin"),
    [
        ("-SHARED", "nvidia.com/gpu", {"existingDevicePlugin": True}),
        ("", "nvidia.com/gpu.shared", {"existing": {"devicePlugin": {"renamesShared": True}}}),
    ],
)
def test_the_sites_own_plugin_calls_a_share_of_a_gpu_as_it_does_now(
    said: str, resource: str, plugin: dict[str, Any]
) -> None:
    here = cluster()
    for one in here.objects[NODE][3:]:
        one["metadata"]["labels"] |= {
            "nvidia.com/gpu.product": f"{H100['nvidia.com/gpu.product']}{said}",
            "nvidia.com/gpu.replicas": "4",
        }
        one["status"]["capacity"] = {**{k: v for k, v in DGX.items() if k != "nvidia.com/gpu"}, resource: "32"}
    profile, _ = told(here)
    assert {key: profile[key] for key in plugin} == plugin
    pool = facts(load(profile)).pool("h100-shared")
    assert (pool.gpus, pool.resource) == (8, resource)
    assert pool.selector.items() <= here.objects[NODE][3]["metadata"]["labels"].items()


def test_every_chart_that_we_install_is_recognised() -> None:
    charts = {one.name for one in installable(Profile).values() if hasattr(one, "crds")}
    marked = {mark.brings.name for mark in marks()}
    others = {
        "kube-prometheus-stack",
        "prometheus-operator-crds",
        "vllm-stack",
        "dcgm-exporter",
        "nvidia-device-plugin",
    }
    drivers = {one for one in charts if "csi" in one}
    assert charts - marked - others - drivers == set()


def test_no_secret_no_pod_and_no_config_map_is_listed() -> None:
    assert {kind.kind for kind in LISTED} & {"Secret", "Pod", "ConfigMap"} == set()
    assert set(NEEDED) <= set(LISTED)
    assert DEFINITION not in LISTED


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCluster:
    here = cluster()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "bedplate.live.reading.fetched", lambda context, path, **_: here.get(path) if context == "far" else ""
    )
    return here


@pytest.mark.parametrize("bare", [(), ("--bare",)], ids=["stack-file", "bare"])
def test_a_repository_begins_with_the_cluster_that_is_there(
    answered: FakeCluster, bare: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "prod", "--from-cluster", "far", *bare]) == 0
    out = capsys.readouterr().out
    assert "To fill in, and what could not be seen:" in out
    assert max(map(len, out.splitlines())) <= 80
    stated = StackFiles.here().profile("prod")
    assert (stated["name"], stated["context"]) == ("prod", "far")
    assert load(stated).pools[1].shape == "dgx-h100"
    assert "/api/v1/nodes" in answered.asked


def test_a_cluster_that_shows_no_node_is_not_described(
    answered: FakeCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    answered.forbidden.add(NODE)
    assert main(["init", "prod", "--from-cluster", "far"]) == 2
    assert "no node can be seen" in capsys.readouterr().err
    assert not Path("clusters").exists()


def test_what_may_not_be_listed_is_named_as_open(answered: FakeCluster, capsys: pytest.CaptureFixture[str]) -> None:
    answered.forbidden.add(kinds.DEPLOYMENT)
    assert main(["init", "prod", "--from-cluster", "far"]) == 0
    assert "Deployment apps/v1: you may not list them" in capsys.readouterr().out


def test_a_cluster_that_does_not_answer_is_one_line(answered: FakeCluster, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "prod", "--from-cluster", "nowhere"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_levels_of_the_topology_are_kueues_own_or_those_of_the_nodes_labels() -> None:
    labels = {"fabric.topograph.run/tier-1": "a", "fabric.topograph.run/tier-2": "b", "example.com/rack": "c"}
    metadata = {"name": "kueue", "namespace": "kueue-system", "labels": {"helm.sh/chart": "kueue-0.19.2"}}
    runs = {NODE: [node("gpu-0", {**H100, **labels}, DGX)], DEPLOYMENT: [{"metadata": metadata}]}
    by_labels = owners(Observed(runs), "kubeadm")["scheduling"]
    assert by_labels["topology"] == {"levels": ["fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1"]}
    levels = [{"nodeLabel": "example.com/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
    own = {"metadata": {"name": "racks"}, "spec": {"levels": levels}}
    stated = owners(Observed({**runs, TOPOLOGY: [own]}), "kubeadm")["scheduling"]
    assert stated["topology"] == {"levels": ["example.com/rack"]}
