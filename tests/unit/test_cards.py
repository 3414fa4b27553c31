"""GPUs that reach each other by PCIe alone: what Google asks of NCCL on its machines, and of no others."""

from typing import Any

import pytest

from bedplate.components.workload.contract import contract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.unit.test_allocatable import profile


def env(shape: str, gpus: int = 1, platform: str = "gke", **more: Any) -> dict[str, str]:
    known = facts(load({**profile(platform, shape), **more}))
    return dict(contract(known, "team").share(known.pools[0], gpus).env)


@pytest.mark.parametrize("shape", ["g4-standard-96", "g4-standard-384"])
def test_cards_of_a_g4_machine_reach_each_other_through_its_processors(shape: str) -> None:
    assert env(shape, 2) == {"NCCL_P2P_LEVEL": "SYS"}


@pytest.mark.parametrize(
    ("platform", "shape"), [("gke", "g4-standard-48"), ("gke", "g2-standard-24"), ("eks", "g7e.48xlarge")]
)
def test_no_other_machine_is_told_so(platform: str, shape: str) -> None:
    assert "NCCL_P2P_LEVEL" not in env(shape, platform=platform)


def test_they_are_told_so_beside_a_fabric_too() -> None:
    mega = {"name": "a3", "shape": "a3-ultragpu-8g", "nodes": 2, "zone": "a"}
    document = profile("gke", "g4-standard-96")
    pools = [*document["pools"], mega]
    assert env("g4-standard-96", 2, pools=pools, fabric={"kind": "gib"}) == {"NCCL_P2P_LEVEL": "SYS"}


def test_what_is_lost_without_gpudirect_tcpx_is_said() -> None:
    document = profile("gke", "a3-highgpu-8g")
    with pytest.raises(
        ProfileError, match=r"fabric\.kind = tcpxo: .*NICs of a3-highgpu-8g's GPUs are not supported.*800 Gb/s"
    ):
        load({**document, "fabric": {"kind": "tcpxo"}})
    load(document)


def test_what_is_lost_without_dranet_is_said_of_a_machine_whose_name_looks_like_anothers() -> None:
    document = profile("gke", "a4x-maxgpu-4g-metal")
    with pytest.raises(ProfileError, match=r"fabric\.kind = gib: .*DRANET of A4X Max.*3200 Gb/s"):
        load({**document, "fabric": {"kind": "gib"}})
    reserved = {**document["pools"][0], "zone": "us-central1-b", "capacity": {"kind": "reservation", "name": "racks"}}
    cloud = {"kind": "gcp", "project": "example", "region": "us-central1"}
    load({**document, "pools": [reserved, *document["pools"][1:]], "cloud": cloud, "draDriver": {}})
