"""The verification as a pod runs it, with a PyTorch that only counts bytes and seconds (tests/pods)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.components.verification.nccl import script
from tests.nccl_logs import LOGS, NVLS, SHARP, SOUND

NODE = os.uname().nodename
PODS = Path(__file__).parents[2] / "pods"


@pytest.fixture
def device() -> Iterator[str]:
    """A device number, and so a log, that no other process has."""
    number = str(os.getpid())
    yield number
    Path(f"/tmp/nccl-{number}.log").unlink(missing_ok=True)  # noqa: S108 (the script's own)


def run(
    device: str, *words: str, log: str = SOUND, gbs: float = 350, rank: int = 0, largest: int = 2**28, **more: str
) -> subprocess.CompletedProcess[str]:
    fake = {"FAKE_LOG": log, "FAKE_GBS": str(gbs), "FAKE_LARGEST": str(largest), **more}
    env = {"PYTHONPATH": str(PODS), "LOCAL_RANK": device, "RANK": str(rank), **fake}
    options = ["--floor", "270", "--largest", str(largest), "--adapters", "8", "--direct", *words]
    command = [sys.executable, "-c", script(), *options]
    # Elsewhere than the checkout: what the script imports must come with it.
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd="/")


def test_a_sound_fabric_is_measured_from_64_mib_up_after_a_warm_up_and_passes(device: str) -> None:
    done = run(device)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split() for line in done.stdout.splitlines()[:-1]] == [
        ["67108864", "B", "87.5", "GB/s"],
        ["134217728", "B", "175.0", "GB/s"],
        ["268435456", "B", "350.0", "GB/s"],
    ]
    assert done.stdout.splitlines()[-1] == "network IB over 8 HCAs, 350.0 GB/s, floor 270 GB/s"


@pytest.mark.parametrize(
    ("log", "gbs", "said"),
    [
        ("sound, RoCE", 120, "120 GB/s at the largest size is below 270 GB/s"),
        ("no device", 350, "NCCL uses Socket: pods have no"),
        ("one port down", 350, "NCCL uses 7 HCAs"),
        ("no GPUDirect", 350, "NET/IB/0, NET/IB/1"),
    ],
)
def test_a_broken_fabric_fails_every_rank_and_the_first_one_says_what_was_measured(
    device: str, log: str, gbs: float, said: str
) -> None:
    first, other = (run(device, log=LOGS[log][0], gbs=gbs, rank=rank) for rank in (0, 9))
    assert (first.returncode, other.returncode) == (1, 1)
    assert first.stdout.endswith(f"{gbs:.1f} GB/s, floor 270 GB/s\n")
    assert other.stdout == ""
    assert first.stderr.startswith(f"rank 0 on {NODE}: {said}")
    assert other.stderr.startswith(f"rank 9 on {NODE}: {said}")


def test_three_dead_slow_rails_that_the_sum_would_hide_are_named_once(device: str) -> None:
    first = run(device, gbs=300, FAKE_NODES="4", FAKE_SLOW="2/1 2/4 3/7")
    assert first.returncode == 1
    assert first.stderr.splitlines() == [
        f"rank 0 on {NODE}: rail 1 of gpu-2: slow with every node (12.0 GB/s at best)",
        f"rank 0 on {NODE}: rail 4 of gpu-2: slow with every node (12.0 GB/s at best)",
        f"rank 0 on {NODE}: rail 7 of gpu-3: slow with every node (12.0 GB/s at best)",
    ]
    assert run(device, gbs=300, rank=9, FAKE_NODES="4", FAKE_SLOW="2/1").returncode == 0


def test_a_largest_size_below_64_mib_is_measured_all_the_same(device: str) -> None:
    done = run(device, largest=2**20)
    assert done.returncode == 0
    assert done.stdout.split()[:3] == ["1048576", "B", "350.0"]


def test_inside_one_node_the_network_does_not_matter_and_a_way_through_the_host_does(device: str) -> None:
    alone = LOGS["no device"][0]
    shared = alone + "node-0:1:23 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n"
    assert run(device, "--inside", log=alone).returncode == 0
    done = run(device, "--inside", log=shared)
    assert done.returncode == 1
    assert "SHM/direct/direct: GPUs of this node reach each other through the host's memory" in done.stderr


def test_switches_of_nvlink_and_network_that_the_profile_declares_must_reduce(device: str) -> None:
    whole = SOUND + NVLS + SHARP
    assert run(device, "--nvls", "--sharp", log=whole).returncode == 0
    assert run(device, "--nvls", "--inside", log=LOGS["no device"][0] + NVLS).returncode == 0
    lacking = run(device, "--nvls", "--sharp")
    assert lacking.returncode == 1
    assert [line.partition(": ")[2][:30] for line in lacking.stderr.splitlines()] == [
        "NCCL says nothing of NVLS, whi",
        "no channel over COLLNET: switc",
    ]
    assert "NVLS" in run(device, "--nvls", "--inside").stderr


def test_a_rank_at_no_switchs_end_does_not_complain_of_sharp(device: str) -> None:
    assert run(device, "--sharp", rank=9).returncode == 0
