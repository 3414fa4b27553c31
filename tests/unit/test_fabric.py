"""What follows from a profile: resource names and counts, networks, environment, addresses, selectors."""

import json
from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.gpus import GPUS
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.load import load
from tests.cloud_profiles import SYSTEM
from tests.stack_files import STACKS, document, known

ON_SITE = [f"if{i}" for i in range(8)]
HARMFUL = {
    "NCCL_ALGO",
    "NCCL_PROTO",
    "NCCL_NTHREADS",
    "NCCL_BUFFSIZE",
    "NCCL_MIN_NCHANNELS",
    "NCCL_MAX_NCHANNELS",
    "NCCL_P2P_LEVEL",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_CROSS_NIC",
    "NCCL_IB_DISABLE",
    "NCCL_DEBUG",
    "NCCL_P2P_DISABLE",
    "NCCL_SHM_DISABLE",
}


def cluster(shape: str, fabric: dict[str, Any], platform: str = "kubeadm", **more: Any) -> Facts:
    """Facts of a small cluster of one shape."""
    owner = {
        "eks": ("al2023-nvidia", "image"),
        "gke": ("cos", "cloud"),
        "aks": ("ubuntu", "cloud"),
        "oke": ("oraclelinux", "image"),
    }
    node_os, driver = owner.get(platform, ("ubuntu", "operator"))
    rails = "rails" in fabric or fabric["kind"] in ("infiniband", "roce")
    profile = {
        "name": "test",
        "platform": platform,
        "nodeOs": node_os,
        "driverOwner": driver,
        "kubernetesVersion": "1.35",
        "context": "test",
        "pools": [{"name": "gpu", "shape": shape, "nodes": 4}, SYSTEM],
        "fabric": fabric,
        "tenancy": {"teams": [{"name": "team"}]},
        "nfd": {},
        "gpuOperator": {"umadInImage": True},
        **({"networkOperator": {}} if rails else {}),
        **({"efaDevicePlugin": {}} if fabric["kind"] == "efa" else {}),
        **more,
    }
    return facts(load({key: value for key, value in profile.items() if value is not None}))


IPAM = {"kind": "nv-ipam", "network": "10.64.0.0/16"}
VF = [f"nvidia.com/rdma_rail_{i}" for i in range(8)]

# shape, platform, fabric section, and the devices that a pod with a whole node asks for
MATRIX: list[tuple[str, str, dict[str, Any], dict[str, int]]] = [
    (
        "dgx-h100",
        "kubeadm",
        {"kind": "roce", "exposure": "shared", "rails": ON_SITE, "ipam": IPAM},
        {"rdma/rdma_shared_device_a": 1},
    ),
    ("dgx-h100", "rke2", {"kind": "roce", "exposure": "sriov", "rails": ON_SITE, "ipam": IPAM}, dict.fromkeys(VF, 1)),
    ("dgx-h200", "kubeadm", {"kind": "infiniband", "exposure": "host-device", "rails": ON_SITE}, dict.fromkeys(VF, 1)),
    ("hgx-b200", "kubeadm", {"kind": "infiniband", "exposure": "exclusive"}, {"nvidia.com/hostdev": 8}),
    (
        "dgx-a100",
        "kubeadm",
        {"kind": "infiniband", "exposure": "shared", "hcas": [f"mlx5_{i}" for i in range(8)]},
        {"rdma/rdma_shared_device_a": 1},
    ),
    ("ND96isr_H100_v5", "aks", {"kind": "infiniband", "exposure": "exclusive"}, {"rdma/ib": 8}),
    ("ND96isr_H100_v5", "aks", {"kind": "infiniband", "exposure": "shared"}, {"rdma/hca_shared_devices_a": 1}),
    (
        "BM.GPU.H100.8",
        "oke",
        {"kind": "roce", "exposure": "sriov", "rails": [f"rdma{i}" for i in range(16)], "ipam": IPAM},
        {f"nvidia.com/rdma_rail_{i}": 1 for i in range(16)},
    ),
    ("p4d.24xlarge", "eks", {"kind": "efa"}, {"vpc.amazonaws.com/efa": 4}),
    ("p5.48xlarge", "eks", {"kind": "efa"}, {"vpc.amazonaws.com/efa": 32}),
    ("p5en.48xlarge", "eks", {"kind": "efa"}, {"vpc.amazonaws.com/efa": 16}),
    ("p6-b200.48xlarge", "eks", {"kind": "efa"}, {"vpc.amazonaws.com/efa": 8}),
    ("p6-b300.48xlarge", "eks", {"kind": "efa"}, {"vpc.amazonaws.com/efa": 16}),
    ("a3-megagpu-8g", "gke", {"kind": "tcpxo"}, {}),
    ("a3-ultragpu-8g", "gke", {"kind": "gib"}, {f"networking.gke.io.networks/rdma-{i}": 1 for i in range(8)}),
]


@pytest.mark.parametrize(("shape", "platform", "fabric", "devices"), MATRIX)
def test_a_whole_node_asks_for_the_devices_that_its_fabric_advertises(
    shape: str, platform: str, fabric: dict[str, Any], devices: dict[str, int]
) -> None:
    known = cluster(shape, fabric, platform)
    assert known.fabric.resources(known.pool("gpu"), 8) == devices


@pytest.mark.parametrize(("shape", "platform", "fabric", "devices"), MATRIX)
def test_no_variable_is_set_that_costs_bandwidth(
    shape: str, platform: str, fabric: dict[str, Any], devices: dict[str, int]
) -> None:
    env = cluster(shape, fabric, platform).fabric.env
    assert not HARMFUL & set(env)
    assert ("NCCL_IB_GID_INDEX" in env) is (platform == "oke")
    if platform in ("eks", "gke"):
        assert not [name for name in env if name.startswith("NCCL_IB")]


@pytest.mark.parametrize(
    ("shape", "said", "expected"),
    [
        ("BM.GPU4.8", {}, {"NCCL_IB_TC": "41", "NCCL_IB_QPS_PER_CONNECTION": "4"}),
        ("BM.GPU.H100.8", {}, {"NCCL_IB_TC": "41", "NCCL_IB_QPS_PER_CONNECTION": None}),
        (
            "BM.GPU.H100.8",
            {"trafficClass": 106, "qpsPerConnection": 2},
            {"NCCL_IB_TC": "106", "NCCL_IB_QPS_PER_CONNECTION": "2"},
        ),
    ],
)
def test_oracles_preset_is_of_the_gpus_generation_and_yields_to_what_the_site_says(
    shape: str, said: dict[str, Any], expected: dict[str, str | None]
) -> None:
    section = {"kind": "roce", "exposure": "sriov", "rails": [f"rdma{i}" for i in range(16)], "ipam": IPAM, **said}
    env = cluster(shape, section, "oke").fabric.env
    assert {name: env.get(name) for name in expected} == expected


def test_half_a_node_is_on_every_rail_because_nobody_knows_which_gpus_it_gets() -> None:
    rails = cluster(*MATRIX[1][:1], MATRIX[1][2], "rke2")
    assert rails.fabric.resources(rails.pool("gpu"), 4) == dict.fromkeys(VF, 1)
    assert rails.fabric.networks("team", rails.pool("gpu"), 4).count(",") == 7
    shared = known("onprem-h100-roce")
    assert shared.fabric.networks("research", shared.pool("h100"), 2).count(",") == 7
    efa = cluster("p5.48xlarge", {"kind": "efa"}, "eks")
    assert efa.fabric.resources(efa.pool("gpu"), 2) == {"vpc.amazonaws.com/efa": 8}


def test_every_rail_has_a_network_an_interface_and_a_subnet_of_its_own() -> None:
    facts = known("onprem-h100-roce")
    fabric = facts.fabric
    assert [str(rail.subnet) for rail in fabric.rails[:2]] == ["10.64.0.0/24", "10.64.1.0/24"]
    subnets = [rail.subnet for rail in fabric.rails if rail.subnet]
    assert not [(a, b) for a in subnets for b in subnets if a is not b and a.overlaps(b)]
    attached = fabric.networks("research", facts.pool("h100"), 8).split(",")
    assert attached[0] == "research/research-rail-0@net1"
    assert len(set(attached)) == 8


def test_exact_hcas_keep_nccl_off_the_management_nics() -> None:
    assert known("onprem-h100-roce").fabric.env["NCCL_IB_HCA"].startswith("=mlx5_0,")


def test_gke_pods_get_an_interface_for_every_network() -> None:
    fabric = known("gke-a3-mega").fabric
    interfaces = json.loads(fabric.annotations["networking.gke.io/interfaces"])
    assert [one["interfaceName"] for one in interfaces] == [f"eth{i}" for i in range(9)]
    assert fabric.env_file == "/usr/local/nvidia/lib64/nccl-env-profile.sh"


@pytest.mark.parametrize("stack", STACKS)
def test_every_taint_is_tolerated_by_key_and_effect(stack: str) -> None:
    tolerated = {(one["key"], one["effect"]) for one in known(stack).tolerations}
    for pool in known(stack).pools:
        assert {(taint["key"], taint["effect"]) for taint in pool.taints} <= tolerated


@pytest.mark.parametrize("stack", STACKS)
def test_every_gpu_pool_can_be_selected_and_apart_from_the_others(stack: str) -> None:
    selectors = [tuple(pool.selector.items()) for pool in known(stack).gpu_pools]
    assert all(selectors)
    assert len(set(selectors)) == len(selectors)


def test_a_pool_without_interfaces_for_the_fabric_is_not_in_it() -> None:
    profile = document("eks-p5")
    profile["pools"].append({"name": "cpu", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 2})
    assert [pool.name for pool in facts(load(profile)).fabric_pools] == ["p5"]


def test_a_pool_outside_the_fabric_has_no_rate_floor_or_device_of_it() -> None:
    profile = document("eks-p5") | {"fabric": {"kind": "none"}}
    del profile["efaDevicePlugin"], profile["verification"]
    for pool in facts(load(profile)).gpu_pools:
        assert (pool.nics, pool.nic_gbps, pool.busbw_floor_gbs, pool.devices) == (0, 0, 0, {})


def test_sliced_and_shared_pools_are_requested_by_their_own_names() -> None:
    resources = {pool.name: pool.resource for pool in known("inference-l40s").gpu_pools}
    assert resources["a100-mig"] == "nvidia.com/mig-1g.10gb"
    assert resources["l4-shared"] == "nvidia.com/gpu.shared"
    assert resources["l40s"] == "nvidia.com/gpu"


# One way rates per node in GB/s, from the platforms' own pages.
@pytest.mark.parametrize(
    ("shape", "gigabytes"),
    [
        ("p5.48xlarge", 400),
        ("p5en.48xlarge", 400),
        ("ND96isr_H100_v5", 400),
        ("a3-megagpu-8g", 200),
        ("p4d.24xlarge", 50),
        ("ND96asr_v4", 200),
        ("BM.GPU.H100.8", 400),
    ],
)
def test_a_shape_has_the_bandwidth_that_its_vendor_states(shape: str, gigabytes: int) -> None:
    assert (SHAPES[shape].nics or 0) * SHAPES[shape].nic_gbps / 8 == gigabytes


# As NVIDIA's data sheets have them: what the driver shows is what weights must fit into.
MEMORY = {
    "V100": 16,
    "V100-32": 32,
    "V100-PCIe": 16,
    "V100-PCIe-32": 32,
    "T4": 16,
    "A10": 24,
    "A10G": 24,
    "A30": 24,
    "A40": 48,
    "A100-40": 40,
    "A100-80": 80,
    "A100-PCIe-40": 40,
    "A100-PCIe-80": 80,
    "H100": 80,
    "H100-PCIe": 80,
    "H100-NVL": 94,
    "H200": 141,
    "H200-NVL": 141,
    "B200": 180,
    "B300": 269,
    "GH200": 96,
    "GH200-120": 96,
    "GH200-144": 144,
    "GB200": 186,
    "GB300": 278,
    "RTX-PRO-6000": 96,
    "L40S": 48,
    "L40": 48,
    "L4": 24,
}


def test_a_gpu_has_the_memory_of_its_data_sheet() -> None:
    assert {name: gpu.memory_gib for name, gpu in GPUS.items()} == MEMORY


def test_slices_of_one_gpu_agree_on_its_memory() -> None:
    """Of eight parts of the memory a large 1g has two as a 2g has, a 3g four as a 4g, and a 7g all (NVIDIA MIG guide).

    Each name has its size in whole gigabytes: a part of GB200's 186 is 23, and two are 47.
    """
    for name, gpu in GPUS.items():
        plain = [int(mig[3:].removesuffix("gb")) for mig in gpu.mig if mig.endswith("gb")]
        if gpu.compute_slices == 7:
            one, large_one, two, three, four, seven = plain
            assert large_one == two <= 2 * one + 1, name
            assert three == four <= 2 * two + 1, name
            assert seven == MEMORY[name], name
        elif gpu.mig:
            one, two, four = plain
            assert 4 * one == 2 * two == four == MEMORY[name], name


def test_every_shape_names_its_source_and_a_known_gpu() -> None:
    for name, shape in SHAPES.items():
        assert shape.source != "profile", name
        assert shape.gpu in GPUS, name


def test_nixl_is_kept_off_the_hcas_of_storage_as_nccl_is_and_a_site_has_the_last_word() -> None:
    one = document("onprem-h100-roce")
    derived = facts(load(one)).fabric.env
    assert derived["UCX_NET_DEVICES"] == ",".join(f"{hca}:1" for hca in one["fabric"]["hcas"])
    one["fabric"]["env"] = {"UCX_NET_DEVICES": "mlx5_0:1", "NCCL_IB_SL": "1"}
    stated = facts(load(one)).fabric.env
    assert stated == {**derived, "UCX_NET_DEVICES": "mlx5_0:1", "NCCL_IB_SL": "1"}


def test_without_names_ucx_is_told_none_and_a_pool_with_hcas_of_its_own_is_told_its_own() -> None:
    one = document("onprem-h100-roce")
    own = [f"mlx5_{index}" for index in range(8)]
    one["pools"][1]["hcas"] = own
    del one["fabric"]["hcas"]
    known = facts(load(one))
    assert "UCX_NET_DEVICES" not in known.fabric.env
    assert known.pool("h100").env["UCX_NET_DEVICES"] == ",".join(f"{hca}:1" for hca in own)


@pytest.mark.parametrize(
    ("shape", "set_to"),
    [("BM.GPU4.8", None), ("BM.GPU.H100.8", "0"), ("BM.GPU.B200.8", "0"), ("BM.GPU.GB200.4", None)],
)
def test_oracles_preset_takes_cumem_from_newer_machines_and_never_from_racks(shape: str, set_to: str | None) -> None:
    """oci-hpc-oke, recommended NCCL parameters by shape; NVLink between nodes needs it."""
    rails = [f"rdma{i}" for i in range(SHAPES[shape].nics or 0)]
    rack = {"draDriver": {}} if "GB" in shape else {}
    made = cluster(shape, {"kind": "roce", "exposure": "sriov", "rails": rails, "ipam": IPAM}, "oke", **rack)
    env = made.fabric.env
    assert env.get("NCCL_CUMEM_ENABLE") == set_to
