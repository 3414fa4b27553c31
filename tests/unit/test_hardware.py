"""The tables of machines are open: every name in them has its source, and a site adds its own."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.gpus import GPUS
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.load import load
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.problem import ProfileError
from tests.unit.checks.edges_fleet import BOARD, CUT, H20, own

FILE = """
gpus: {H20: {product: NVIDIA-H20, memoryGib: 96, family: hopper, pciIds: ["2329"]}}
shapes: {hgx-h20: {gpu: H20, gpus: 8, cpus: 192, memoryGib: 2048}}
"""
ASKED_FOR = [
    "GB300",
    "H100-NVL",
    "H200-NVL",
    "RTX-PRO-6000",
    "GH200",
    "A30",
    "A10",
    "A10G",
    "L40",
    "T4",
    "V100",
    "hgx-h100",
    "hgx-h200",
    "hgx-b200",
    "hgx-b300",
    "dgx-b300",
    "gb200-nvl72",
    "gb300-nvl72",
    "p5.4xlarge",
    "g5.xlarge",
    "g5.48xlarge",
    "g6.4xlarge",
    "g6e.24xlarge",
    "g4dn.12xlarge",
    "ND96isr_H200_v5",
    "NC40ads_H100_v5",
    "NC80adis_H100_v5",
    "a2-highgpu-8g",
    "a2-ultragpu-8g",
    "g2-standard-48",
    "BM.GPU.L40S.4",
    "BM.GPU.B300.8",
    "BM.GPU.GB300.4",
]


def test_every_machine_that_people_ask_for_is_in_the_tables_with_its_source() -> None:
    assert [name for name in ASKED_FOR if name not in SHAPES and name not in GPUS] == []
    assert all(shape.source != "profile" for shape in SHAPES.values())


def test_a_gpu_and_a_shape_of_the_sites_own_are_as_good_as_ours() -> None:
    pool = facts(load(own({**CUT, "pciIds": ["2329"]}, mig={"1g.12gb": 7}))).pools[1]
    assert (pool.shape, pool.gpus, pool.gpu_product, pool.gpu_memory_gib) == ("hgx-h20", 8, "NVIDIA-H20", 96)
    assert pool.extended_resources == {"nvidia.com/mig-1g.12gb": 56}
    assert pool.pci_device_ids == ("2329",)


def test_a_name_of_the_sites_goes_before_one_of_ours() -> None:
    document = own(H20)
    document["hardware"]["shapes"]["dgx-h100"] = BOARD
    document["pools"][1]["shape"] = "dgx-h100"
    assert facts(load(document)).pools[1].gpu_product == "NVIDIA-H20"


def test_stacks_share_machines_in_a_file_beside_them(tmp_path: Path) -> None:
    (tmp_path / "machines.yaml").write_text(FILE)
    document: dict[str, Any] = own(H20) | {"hardware": {"file": "machines.yaml"}}
    assert facts(load(document, place=tmp_path / "x.yaml")).pools[1].pci_device_ids == ("2329",)
    document["hardware"]["gpus"] = {"H20": {**H20, "pciIds": ["232c"]}}
    assert facts(load(document, place=tmp_path / "x.yaml")).pools[1].pci_device_ids == ("232c",), (
        "the profile goes first"
    )


def test_the_file_lies_beside_the_profile_wherever_that_lies(tmp_path: Path) -> None:
    (tmp_path / "machines.yaml").write_text(FILE)
    document: dict[str, Any] = own(H20) | {"hardware": {"file": "machines.yaml"}}
    (tmp_path / "site.yaml").write_text(yaml.safe_dump(document))
    files, stack = named(str(tmp_path / "site.yaml"))
    assert facts(load(files.profile(stack))).pools[1].pci_device_ids == ("2329",)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a file that is not there": (
        {"file": "nowhere.yaml"},
        "hardware.file = nowhere.yaml: nowhere.yaml: cannot be read",
    ),
    "a product that is no label": (
        {"gpus": {"H20": {**H20, "product": "NVIDIA H20"}}, "shapes": {"hgx-h20": BOARD}},
        "hardware.gpus.H20.product = NVIDIA H20: ",
    ),
    "a key that shapes do not have": (
        {"gpus": {"H20": H20}, "shapes": {"hgx-h20": {**BOARD, "nic": 8}}},
        "hardware.shapes.hgx-h20.nic = 8: unknown key; did you mean nics?",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_description_of_a_machine_is_one_line_at_its_own_key(case: str) -> None:
    hardware, expected = WRONG[case]
    with pytest.raises(ProfileError) as refused:
        load(own(H20) | {"hardware": hardware})
    assert [str(problem)[: len(expected)] for problem in refused.value.problems] == [expected]
