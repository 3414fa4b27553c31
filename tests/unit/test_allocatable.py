"""What a node gives pods, by the platform's own formula, and that nothing of ours asks for more."""

from typing import Any

import pytest

from bedplate.catalog.kubelet import RESERVES, Node, kept
from bedplate.components.facts import Facts, NodePool
from bedplate.components.platforms import PLATFORMS
from bedplate.components.quantity import amount, mib
from bedplate.components.workload.contract import contract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError

PLATFORM: dict[str, dict[str, Any]] = {
    "gke": {"platform": "gke", "nodeOs": "cos", "driverOwner": "cloud"},
    "eks": {"platform": "eks", "nodeOs": "al2023-nvidia", "driverOwner": "image"},
    "aks": {"platform": "aks", "nodeOs": "ubuntu", "driverOwner": "operator"},
    "kubeadm": {"platform": "kubeadm", "nodeOs": "ubuntu", "driverOwner": "operator"},
}

SYSTEM = {"name": "system", "shape": {"cpus": 16, "memoryGib": 64}, "nodes": 3}


def profile(platform: str, shape: object, *, efa: bool = False, **pool: object) -> dict[str, Any]:
    return {
        "name": "small",
        **PLATFORM[platform],
        "kubernetesVersion": "1.34",
        "context": "small",
        "pools": [{"name": "gpu", "shape": shape, "nodes": 2, **({"zone": "a"} if efa else {}), **pool}, SYSTEM],
        "fabric": {"kind": "efa" if efa else "none"},
        **({"efaDevicePlugin": {}} if efa else {}),
        "tenancy": {"teams": [{"name": "team", "rdma": efa}]},
        "nfd": {},
        "gpuOperator": {},
    }


def derived(*args: str, efa: bool = False, **pool: object) -> tuple[Facts, NodePool]:
    known = facts(load(profile(*args, efa=efa, **pool)))
    return known, known.pools[0]


def asked(known: Facts, pool: NodePool, gpus: int, name: str) -> str:
    return contract(known, "team").share(pool, gpus).resources[name]


@pytest.mark.parametrize(
    ("platform", "shape", "most", "least"),
    [
        # GKE: 16 GiB - 2.6 reserved - 0.1, of it 0.4 kernel and 0.6 GKE's own (n2-standard-4 has 13591652Ki).
        ("gke", "g2-standard-4", 13591652 // 1024 - 626, 11.0),
        ("gke", "g2-standard-8", int(28.34 * 1024) - 700 - 626, 24.5),
        ("gke", "g2-standard-12", int(43.38 * 1024) - 1000 - 626, 38.5),
        # Karpenter's own page of instance types, less what EBS CSI asks for.
        ("eks", "g6.xlarge", 14162 - 120, 12.5),
        # 30.06 GB - 5.05 - 0.1 = 23.2 GiB, less 1.7 % kernel and 750 MB of AKS' agents.
        ("aks", "NC4as_T4_v3", int(23.2 * 1024) - 490 - 715, 19.0),
        # 128 GiB - 5128 pages of 2 MiB - (255 + 11 · 234) MiB - 100 MiB, less 3 GiB kernel.
        ("eks", "g5.8xlarge", 131072 - 10256 - 2829 - 100 - 3072, 100.0),
    ],
)
def test_a_pod_with_all_gpus_asks_for_no_more_than_its_node_gives(
    platform: str, shape: str, most: int, least: float
) -> None:
    known, pool = derived(platform, shape, efa=shape == "g5.8xlarge")
    asks = float(mib(asked(known, pool, pool.gpus, "memory")))
    assert asks <= most, f"{asks} MiB of {most}"
    assert asks >= least * 1024, "more is lost than platform and agents take"


@pytest.mark.parametrize(
    ("platform", "shape"),
    [("eks", "p5.48xlarge"), ("eks", "p5en.48xlarge"), ("gke", "a3-megagpu-8g"), ("aks", "ND96isr_H100_v5")],
)
def test_of_a_huge_node_pods_have_nine_tenths(platform: str, shape: str) -> None:
    known, pool = derived(platform, shape, efa=platform == "eks")
    asks = float(mib(asked(known, pool, pool.gpus, "memory")))
    assert asks / (pool.memory_gib * 1024) > 0.88
    assert int(asked(known, pool, pool.gpus, "cpu")) >= 0.89 * pool.cpus - 1


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_has_a_formula_that_leaves_most_of_a_node(platform: str) -> None:
    small, large = Node(4, 16 * 1024, 58), Node(192, 2048 * 1024, 198)
    assert 100 <= kept(platform, small).memory < 6 * 1024
    assert kept(platform, large).memory < 0.11 * large.memory
    assert 0 <= kept(platform, small).millicores <= 600
    assert kept(platform, large).millicores <= 3000
    assert RESERVES[platform].agents > (0, 0)


@pytest.mark.parametrize(
    ("platform", "node", "reserved", "millicores"),
    [
        ("gke", Node(4, 16 * 1024), 2605, 80),  # of the 15.4 GiB that the kernel is taken to leave
        ("gke", Node(192, 2048 * 1024), 48021, 550),
        ("eks", Node(4, 16 * 1024, 29), 255 + 11 * 29, 80),
        ("eks", Node(4, 16 * 1024), 255 + 11 * 250, 80),
        ("aks", Node(4, 28 * 1024), 4816, 140),
        ("aks", Node(8, 4 * 1024), 1597, 180),
        ("aks", Node(64, 900 * 1024), 24622, 740),
    ],
)
def test_the_formulas_are_the_platforms_own(platform: str, node: Node, reserved: int, millicores: int) -> None:
    found = kept(platform, node)
    assert abs(found.reserved - reserved) <= 1
    assert found.millicores == millicores


def test_eight_pods_with_a_gpu_each_find_their_huge_pages_on_a_node() -> None:
    known, pool = derived("eks", "p5en.48xlarge", efa=True)
    pages = known.fabric.node_pages * 2

    def asks(gpus: int) -> int:
        return int(mib(asked(known, pool, gpus, "hugepages-2Mi")))

    assert 8 * asks(1) <= pages
    assert 4 * asks(1) + asks(4) <= pages, "four prefill servers of one GPU beside one of four"
    assert asks(8) == 5120, "a whole node's as the EKS User Guide has it"
    assert asks(1) % 2 == 0
    assert known.capacity["gpu"]["hugepages-2Mi"] <= pages * pool.nodes


def test_quota_is_what_nodes_give_and_enough_for_their_pods() -> None:
    known, pool = derived("gke", "g2-standard-4")
    assert known.capacity["gpu"]["memory"] == 2 * pool.allocatable.memory < 2 * 16 * 1024
    assert known.capacity["gpu"]["cpu"] <= 2 * 3.92
    assert mib(asked(known, pool, 1, "memory")) * 2 <= known.capacity["gpu"]["memory"]


def test_what_a_profile_says_of_its_nodes_goes_before_the_formula() -> None:
    _, pool = derived("gke", "g2-standard-4", allocatable={"cpu": "3500m", "memory": "12000Mi"})
    assert pool.allocatable.kubelet == (3500, 12000)
    assert pool.allocatable.memory == 12000 - 768 - 64
    assert pool.allocatable.memory_of(16 * 1024) == ("16.0 GiB - 4.3 that its kubelet keeps - 0.8 agents = 10.9 GiB")
    _, other = derived("gke", "g2-standard-4", allocatable={"cpu": "3500m"})
    assert (other.allocatable.kubelet[0], other.allocatable.memory > 12000) == (3500, True)


def test_a_node_that_has_too_little_left_is_refused_with_the_sum() -> None:
    tiny = {"gpu": "T4", "gpus": 2, "cpus": 4, "memoryGib": 4}
    with pytest.raises(ProfileError, match=r"pools\[0\]\.shape = .*0\.\d GiB of memory: .* pods have 4\.0 GiB - 0\.3"):
        load(profile("gke", tiny))


@pytest.mark.parametrize(
    ("key", "value", "fix"), [("memory", "15Gi", r"no node has it: .*; use \d+Mi"), ("cpu", "4", "of its 4 processors")]
)
def test_a_server_that_asks_for_more_than_a_node_gives_is_refused(key: str, value: str, fix: str) -> None:
    server = {
        "kind": "triton",
        "name": "one",
        "namespace": "team",
        "pool": "gpu",
        "weights": {"kind": "volume", "volume": "models", "directory": "a"},
    }
    store = {
        "existingClasses": [{"name": "nfs", "kind": "nfs"}],
        "volumes": [
            {
                "name": "models",
                "storageClass": "nfs",
                "size": "1Ti",
                "mode": "ReadWriteMany",
                "namespaces": ["team"],
                "path": "/models",
            }
        ],
    }
    fits = {**profile("gke", "g2-standard-4"), "storage": store, "serving": {"servers": [server]}}
    load(fits)
    with pytest.raises(ProfileError, match=rf"serving\.servers\[0\]\.{key} = {value}: .*{fix}"):
        load({**fits, "serving": {"servers": [{**server, key: value}]}})


def test_a_pod_that_takes_a_part_takes_that_part_of_what_is_given() -> None:
    known, pool = derived("kubeadm", "dgx-h100")
    assert amount(asked(known, pool, 1, "memory")) * 8 <= pool.allocatable.memory * 2**20
    assert mib(asked(known, pool, 8, "memory")) == int(2048 * 0.9) * 1024
