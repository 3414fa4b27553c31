"""Machines of public sources, from their kernel's files by the collector to rails and lines of the profile."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

from bedplate.inspect import lines, rails, read, writing
from bedplate.inspect.node import Node
from bedplate.stacks.profile.pools import Pool
from tests.unit.inspect import cablings as c
from tests.unit.inspect import machines as m
from tests.unit.inspect import more_machines as n
from tests.unit.inspect.plant import record

EXPECTED = {
    "xe9680": (m.XE9680, "eth2 eth3 eth4 eth5 eth6 eth9 eth10 eth11"),
    "sr680a": (m.SR680A, "eth0 eth1 eth2 eth3 eth6 eth7 eth8 eth9"),
    "ucsc": (m.UCSC, "eth3 eth7 eth4 eth2 eth9 eth11 eth10 eth8"),
    "sr675": (m.SR675, "ibs16f0 ibs16f1 ibs20f0 ibs20f1 ibs21f0 ibs21f1"),
    "spark": (m.SPARK, "enp1s0f0np0 enp1s0f1np1 enP2p1s0f0np0 enP2p1s0f1np1"),
    "spark, one cable": (m.SPARK_ONE_CABLE, "enp1s0f1np1 enP2p1s0f1np1"),
    "gb200": (m.GB200, "ibp3s0 ibP2p3s0 ibP16p3s0 ibP18p3s0"),
    "dgx-h100": (n.DGX_H100, "ibp24s0 ibp64s0 ibp79s0 ibp94s0 ibp154s0 ibp192s0 ibp206s0 ibp220s0"),
    "imbue": (n.IMBUE, "ibp26s0 ibp60s0 ibp77s0 ibp94s0 ibp156s0 ibp188s0 ibp204s0 ibp220s0"),
    "b200": (n.B200, "ib0 ib1 ib2 ib3 ib4 ib5 ib6 ib7"),
    "b200 broken": (n.B200_BROKEN, "ib0 ib1 ib2 ib3 ib4 ib5 ib6 ib7"),
    "dgx-2": (n.DGX_2, "ib0 ib1 ib2 ib3 ib4 ib5 ib6 ib7"),
    "four rails": (c.FOUR_RAILS, "ibp24s0 ibp80s0 ibp154s0 ibp205s0"),
    "bonds": (c.LAG, "bond0 bond1 bond2 bond3 bond4 bond5 bond6 bond7"),
    "virtual functions": (c.H20_VFS, "ib0 ib1 ib2 ib3 ib4 ib5 ib6 ib7"),
    "l40s": (c.L40S, "ib0 ib1 ib2 ib3"),
    "oci a100": (c.OCI_A100, " ".join(f"rdma{i}" for i in (4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11))),
    "pairs": (c.IN_PAIRS, "eth1 eth2 eth3 eth4 eth5 eth6 eth7 eth8"),
    "half down": (c.HALF_DOWN, "ib0 ib1 ib2 ib3 ib4 ib5 ib6 ib7"),
}


SHAPES = {
    "xe9680": {"nics": 8, "nicGbps": 400, "extraHcas": 1, "nvlinkDomain": 8},
    "sr675": {"gpu": "RTX-PRO-6000", "nics": 6, "nicGbps": 200, "extraHcas": 6, "fabrics": ["infiniband"]},
    "spark": {"nics": 4, "arch": "arm64", "gpus": 1},
    "gb200": {"gpu": "GB200", "memoryGib": 960, "nics": 4, "extraHcas": 2, "nvlinkDomain": 72, "arch": "arm64"},
    "dgx-2": {"gpus": 16, "nics": 8, "extraHcas": 2, "nvlinkDomain": 16},
    "bonds": {"nics": 8, "nicGbps": 200, "nvlinkDomain": 8},
    "oci a100": {"gpu": "A100-80", "nics": 16, "extraHcas": 2, "memoryGib": 2048},
}


@cache
def recorded(kind: str) -> str:
    """What the collector wrote on it, once for all tests."""
    with TemporaryDirectory() as folder:
        return record(Path(folder), EXPECTED[kind][0])


@pytest.fixture(params=EXPECTED)
def kind(request: pytest.FixtureRequest) -> str:
    """Each machine by its name here."""
    return str(request.param)


def names(node: Node) -> list[str]:
    return [one.nic.rail_interface for one in lines.rails(node)]


def test_rails_are_found_in_the_order_of_their_gpus(kind: str) -> None:
    node = read.parsed(recorded(kind))
    assert names(node) == EXPECTED[kind][1].split(), [f"{one.nic.name}: {one.reason}" for one in rails.ports(node)]


def test_without_a_driver_the_kernels_paths_tell_the_same(kind: str) -> None:
    """`nvidia-smi` is not there before the GPU Operator has brought it."""
    before, _, _ = recorded(kind).partition("== gpus\n")
    node = read.parsed(f"{before}== gpus\nmissing: nvidia-smi\n== topology\nmissing: nvidia-smi\n== end\n")
    assert node.levels == {}
    assert names(node) == EXPECTED[kind][1].split()
    assert len(node.gpus) == len(EXPECTED[kind][0].gpus)


def test_each_nic_that_is_no_rail_says_why(kind: str) -> None:
    others = [one for one in rails.ports(read.parsed(recorded(kind))) if not one.rail]
    assert all(one.reason for one in others)
    assert len(others) + len(EXPECTED[kind][1].split()) == sum(bool(card.rdma) for card in EXPECTED[kind][0].nics)


@pytest.mark.parametrize("kind", SHAPES)
def test_the_shape_is_the_machines(kind: str) -> None:
    found = lines.shape(read.parsed(recorded(kind)))
    assert isinstance(found, dict)
    assert {key: found.get(key) for key in SHAPES[kind]} == SHAPES[kind]


def test_a_machine_of_the_catalogue_is_called_by_its_name() -> None:
    assert lines.shape(read.parsed(recorded("dgx-h100"))) == "dgx-h100"


@pytest.mark.parametrize(
    ("kind", "nic", "reason"),
    [
        ("xe9680", "rocep157s0f0", "a card of 2 functions, the rails' have 1"),
        ("sr680a", "rocep216s0f0", "carries the node's default route (bond0)"),
        ("sr680a", "rocep90s0f0", "another card than the rails' (MT4127, theirs MT41692)"),
        ("sr675", "mlx5_2", "its link is Ethernet, that of the rails InfiniBand (firmware's LINK_TYPE)"),
        ("spark, one cable", "rocep1s0f0", "no link, and the card's other port has one: not cabled"),
        ("virtual functions", "mlx5_8", "virtual function of 0000:88:00.0"),
        ("l40s", "mlx5_0", "carries the node's default route (eth0)"),
    ],
)
def test_the_reason_is_the_machines(kind: str, nic: str, reason: str) -> None:
    assert reason in [one.reason for one in rails.ports(read.parsed(recorded(kind))) if one.nic.name == nic]


def test_what_is_odd_in_a_machine_is_said() -> None:
    assert any("GPU 2 is not joined" in line for line in writing.doubtful(read.parsed(recorded("b200 broken"))))
    assert any("no link on mlx5_0, mlx5_2" in line for line in writing.doubtful(read.parsed(recorded("half down"))))
    assert any("NVIDIA-GB10 is not in" in line for line in writing.doubtful(read.parsed(recorded("spark"))))


def test_what_no_key_says_stands_above_the_lines() -> None:
    written = writing.written([read.parsed(recorded("dgx-h100"))], "gpu")
    said = " ".join(line.removeprefix("#").strip() for line in written.splitlines())
    assert "GPU driver 580.105.08" in said
    assert (
        "IOMMU identity; kernel's iommu iommu=pt; ACS redirects not read; huge pages none; virtual functions 0 of 16"
        in said
    )


def test_lines_are_yaml_that_a_profile_takes(kind: str) -> None:
    written = writing.written([read.parsed(recorded(kind))], "gpu")
    assert max(map(len, written.splitlines())) <= 80
    pool = yaml.safe_load(written)["pools"][0]
    if not isinstance(pool["shape"], dict) or not isinstance(pool["shape"].get("gpu"), dict):
        assert Pool.model_validate(pool).rails == tuple(EXPECTED[kind][1].split())


def test_a_gpu_that_does_not_answer_is_said() -> None:
    """nvidia-smi's own words, where they are no row."""
    text = recorded("dgx-h100").replace(
        "\n3, 0000", "\nUnable to determine the device handle for GPU3: Unknown Error\n3x, "
    )
    node = read.parsed(text)
    assert [gpu.index for gpu in node.gpus] == [0, 1, 2, 4, 5, 6, 7]
    assert any("Unable to determine the device handle for GPU3" in line for line in writing.doubtful(node))


def test_efa_is_no_rail_and_a_fabric() -> None:
    text = recorded("l40s").replace("|0x15b3|", "|0x1d0f|")
    node = read.parsed(text.replace("||identity|16|0|", "|efa|identity|0|0|"))
    assert lines.kind(node) == "efa"
    assert lines.rails(node) == ()
    assert {one.reason for one in rails.ports(node)} >= {"not NVIDIA's (vendor 1d0f)"}


def test_a_matrix_that_is_strange_is_not_believed() -> None:
    text = recorded("dgx-h100").replace("PXB", "NV18").replace("NODE", "what")
    assert names(read.parsed(text)) == EXPECTED["dgx-h100"][1].split()
