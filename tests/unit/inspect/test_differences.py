"""What a machine is other than its profile says, and what machines of one pool are other than each other."""

import re
from typing import Any

import pytest

from bedplate.inspect.among import unlike
from bedplate.inspect.differ import differences
from bedplate.inspect.read import parsed
from bedplate.stacks.load import load
from bedplate.stacks.profile.stack_file import StackFiles
from tests.rooms import ROOT
from tests.unit.inspect.test_machines import EXPECTED, recorded

FILES = StackFiles(ROOT)
PCI = "0000:18:00.0|"


def compared(profile: dict[str, Any], record: str) -> list[str]:
    """Keys and what differs of them."""
    loaded = load(profile, "test")
    pool = next(pool for pool in loaded.pools if pool.name == "h100")
    return [str(one) for one in differences(loaded, pool, parsed(record))]


def profile(**more: object) -> dict[str, Any]:
    """Sixteen DGX H100 on InfiniBand, with the driver that the recorded machine has."""
    written = FILES.profile("onprem-h100-ib")
    return {**written, "driverOwner": "image", **more}


def fabric(**more: object) -> dict[str, Any]:
    return {key: value for key, value in {**profile()["fabric"], **more}.items() if value is not None}


def changed(old: str, new: str, count: int = 0) -> str:
    """The machine's record with something else in it."""
    text, number = re.subn(old, new, recorded("dgx-h100"), count=count)
    assert number, old
    return text


def test_a_machine_that_is_as_its_profile_says_has_no_difference() -> None:
    assert compared(profile(), recorded("dgx-h100")) == []


DIFFERENT = [
    ("one GPU is not there", (r"\n7, [^\n]*", ""), {}, "pools[1].shape: gpus: profile 8, machine 7"),
    ("another GPU", ("NVIDIA H100 80GB HBM3", "NVIDIA H200"), {}, "shape: gpu: profile NVIDIA-H100-80GB-HBM3, machine"),
    ("MIG", ("Disabled", "Enabled"), {}, "pools[1].mig: profile whole GPUs, machine MIG on GPU 0"),
    ("fewer processors", (r"cpus\|0-223", "cpus|0-111"), {}, "shape: cpus: profile 224, machine 112"),
    ("a module that failed", (r"\|1073741824", "|536870912"), {}, "shape: memoryGib: profile 2048, machine 1024"),
    ("another processor", (r"arch\|x86_64", "arch|aarch64"), {}, "shape: arch: profile amd64, machine arm64"),
    ("another system", (r"os\|ubuntu", "os|rhel"), {}, "nodeOs: profile ubuntu, machine rhel"),
    ("no driver", (r"nvidia\|.*", "nvidia|"), {}, "driverOwner: profile image, machine no driver is loaded"),
    (
        "proprietary modules",
        ("Open Kernel Module", "Kernel Module"),
        {},
        "gpuDirect: profile dmabuf, machine proprietary",
    ),
    (
        "an old kernel",
        ("kernel.6.8.0-90-generic", "kernel|5.4.0-1"),
        {},
        "gpuDirect: profile dmabuf, machine kernel 5.4.0-1",
    ),
    ("a NIC that is gone", (r"\nmlx5_5\|[^\n]*", ""), {}, "shape: nics: profile 8, machine 7"),
    ("Ethernet", ("InfiniBand", "Ethernet"), {}, "fabric.kind: profile infiniband, machine roce"),
    ("another name", ("ibp94s0", "ibs3"), {}, "ibp94s0 is missing on this node"),
    ("a port that is down", (r"(mlx5_3\|.*)4: ACTIVE", r"\g<1>1: DOWN"), {}, "machine mlx5_3 down: jobs on it hang"),
    ("a slow port", (r"(mlx5_3\|.*)400 Gb", r"\g<1>200 Gb"), {}, "shape: nicGbps: profile 400, machine mlx5_3=200"),
    ("other firmware", (r"(mlx5_3\|[^|]*\|1\|)[^|]*", r"\g<1>28.39.1002"), {}, "machine 28.39.1002 28.43.2566"),
    ("no virtual functions", (r"\|16\|0\|", "|0|0|"), {}, "fabric.numVfs: profile 8, machine mlx5_0=0"),
    ("DMA is translated", ("identity", "DMA-FQ"), {}, "host: profile IOMMU off or iommu=pt, machine DMA-FQ"),
]


@pytest.mark.parametrize(("change", "said"), [row[1::2] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_a_difference_names_key_and_values(change: tuple[str, str], said: str) -> None:
    assert [line for line in compared(profile(), changed(*change)) if said in line]


HCAS = ["mlx5_77", *(f"mlx5_{number}" for number in (3, 4, 5, 6, 9, 10, 11))]
KEYS = [
    (
        "a driver of the host",
        {"driverOwner": "operator"},
        "driverOwner: profile operator, machine 580.105.08 of the host",
    ),
    (
        "OFED that is not there",
        {"fabric": "hostOfed"},
        "fabric.hostOfed: profile true, machine mlx5_core of the kernel",
    ),
    ("peermem", {"gpuDirect": "peermem"}, "gpuDirect: profile peermem, machine nvidia_peermem is not loaded"),
    ("hcas that are not there", {"fabric": "hcas"}, "fabric.hcas: profile mlx5_77"),
]


@pytest.mark.parametrize(("change", "said"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_a_key_that_the_machine_does_not_keep_is_named(change: dict[str, str], said: str) -> None:
    own = {"hostOfed": fabric(hostOfed=True), "hcas": fabric(hcas=HCAS, exposure="exclusive", ipam=None)}
    stated = profile(**{key: own.get(value, value) if key == "fabric" else value for key, value in change.items()})
    if stated["fabric"].get("hostOfed"):
        stated["networkOperator"] = {}
    assert [line for line in compared(stated, recorded("dgx-h100")) if said in line]


def test_acs_counts_on_the_bridges_between_a_gpu_and_its_nic_alone() -> None:
    """Root ports redirect on most machines, and no peer's traffic of one switch passes them."""
    node = parsed(recorded("dgx-h100"))
    between = next(iter(node.nics[0].pci.path[-2:-1]))
    rows = "{}|SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-"
    root, switch = ("\n".join(("== acs", rows.format(bridge))) for bridge in (node.nics[0].pci.path[1], between))
    assert compared(profile(), recorded("dgx-h100").replace("== acs", root)) == []
    said = compared(profile(), recorded("dgx-h100").replace("== acs", switch))
    assert len(said) == 1
    assert f"ReqRedir on {between}: GPUDirect goes up to the processor" in said[0]


WITHOUT: dict[str, None] = dict.fromkeys(("scheduling", "verification", "training", "admission"))


@pytest.mark.parametrize(
    ("system", "version", "lacks"), [("talos", "v1.11.2", 1), ("talos", "v1.12.0", 0), ("ubuntu", "1.1", 0)]
)
def test_dma_buf_wants_a_talos_whose_kernel_has_it(system: str, version: str, lacks: int) -> None:
    record = re.sub(r"(?m)^os\|.*$", f"os|{system}|{version}", recorded("dgx-h100"))
    said = [line for line in compared(profile(), record) if "CONFIG_PCI_P2PDMA" in line]
    assert len(said) == lacks
    assert all("gpuDirect: profile dmabuf, machine Talos v1.11.2" in line for line in said)


def test_connectx_8_on_grace_wants_a_newer_kernel() -> None:
    pool = {"name": "h100", "shape": "gb300-nvl72", "nodes": 18}
    rails = {"rails": ["ibp3s0", "ibP2p3s0", "ibP16p3s0", "ibP18p3s0"]}
    stated = profile(pools=[profile()["pools"][0], pool], fabric=fabric(**rails), draDriver={}, **WITHOUT)
    record = recorded("gb200").replace("|0x1021|", "|0x1023|")
    said = compared({key: value for key, value in stated.items() if value is not None}, record)
    assert [
        line for line in said if "gpuDirect: profile dmabuf, machine kernel 6.8.0-90-generic: it needs 6.14" in line
    ]


def test_roce_ports_are_at_least_as_large_as_the_pods_networks() -> None:
    stated = FILES.profile("onprem-h100-roce")
    pool = next(one for one in stated["pools"] if isinstance(one["shape"], str) and one["shape"] != "system")
    shared = {**stated["fabric"], "exposure": "shared", "mtu": 9000}
    loaded = {
        **stated,
        "fabric": shared,
        "pools": [*(p for p in stated["pools"] if p is not pool), {**pool, "name": "h100"}],
    }
    record = recorded("dgx-h100").replace("InfiniBand", "Ethernet").replace("|9000|", "|1500|")
    assert [line for line in compared(loaded, record) if "fabric.mtu: profile 9000, machine" in line]


def test_machines_of_a_pool_are_held_against_most_of_them() -> None:
    usual = recorded("dgx-h100")
    nodes = [parsed(usual.replace("gpu-1", f"gpu-{number}")) for number in (1, 2)]
    odd = usual.replace("gpu-1", "gpu-3").replace("6.8.0-90", "6.8.0-41").replace("ibp94s0", "ibs3")
    said = list(unlike([*nodes, parsed(odd)]))
    assert "kernel: 6.8.0-90-generic on 2 of 3; gpu-3: 6.8.0-41-generic" in said
    assert [line for line in said if line.startswith("rails: ") and "gpu-3: " in line]
    assert len(said) == 2
    assert list(unlike(nodes)) == []


def test_every_machine_names_its_source() -> None:
    assert all(re.search(r"#\d+|@[0-9a-f]{8}|docs/", machine.source) for machine, _ in EXPECTED.values())
