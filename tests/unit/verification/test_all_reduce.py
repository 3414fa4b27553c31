"""The all-reduce as a pod runs it, with a PyTorch that only counts bytes and seconds (tests/pods)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.verification.nccl import SCRIPT


@pytest.fixture
def device() -> Iterator[str]:
    """A device number, and so a log, that no other process has."""
    number = str(os.getpid())
    yield number
    Path(f"/tmp/nccl-{number}.log").unlink(missing_ok=True)  # noqa: S108 (the script's own)


def run(
    device: str, *, network: str = "IB", gbs: float = 350, rank: int = 0, largest: int = 2**28
) -> subprocess.CompletedProcess[str]:
    fake = {"FAKE_NETWORK": network, "FAKE_GBS": str(gbs), "FAKE_LARGEST": str(largest)}
    env = {"PYTHONPATH": str(Path(__file__).parents[2] / "pods"), "LOCAL_RANK": device, "RANK": str(rank), **fake}
    words = [sys.executable, "-c", SCRIPT.read_text(), "--floor", "270", "--largest", str(largest)]
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


def test_a_sound_fabric_is_measured_from_64_mib_up_after_a_warm_up_and_passes(device: str) -> None:
    done = run(device)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split() for line in done.stdout.splitlines()[:-1]] == [
        ["67108864", "B", "87.5", "GB/s"],
        ["134217728", "B", "175.0", "GB/s"],
        ["268435456", "B", "350.0", "GB/s"],
    ]
    assert done.stdout.splitlines()[-1] == "network IB, 350.0 GB/s, floor 270 GB/s"


@pytest.mark.parametrize(
    ("network", "gbs", "said"),
    [("IB", 120, "120 GB/s at the largest size is below 270 GB/s"), ("Socket", 350, "NCCL uses Socket: pods have no")],
)
def test_a_broken_fabric_fails_every_rank_and_the_first_one_says_what_was_measured(
    device: str, network: str, gbs: float, said: str
) -> None:
    first, other = (run(device, network=network, gbs=gbs, rank=rank) for rank in (0, 9))
    assert (first.returncode, other.returncode) == (1, 1)
    assert first.stdout.endswith(f"network {network}, {gbs:.1f} GB/s, floor 270 GB/s\n")
    assert other.stdout == ""
    assert first.stderr.startswith(f"rank 0: {said}")
    assert other.stderr.startswith(f"rank 9: {said}")


def test_a_largest_size_below_64_mib_is_measured_all_the_same(device: str) -> None:
    done = run(device, largest=2**20)
    assert done.returncode == 0
    assert done.stdout.split()[:3] == ["1048576", "B", "350.0"]
