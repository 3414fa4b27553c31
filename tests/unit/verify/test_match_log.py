"""An all-reduce passed only if it says so itself; hung, truncated and crashed ones are told apart."""

from typing import Any

import pytest

from bedplate.verify.match_log import read

SUM = "network IB over 8 HCAs, 462.1 GB/s, floor 396 GB/s\n"
SIZES = "    67108864 B   301.0 GB/s\n  8589934592 B   462.1 GB/s\n"
SLOW = "rank 0 on gpu-1: 210 GB/s at the largest size is below 396 GB/s\n"
TRACE = 'Traceback (most recent call last):\n  File "<string>", line 3\ntorch.distributed.DistBackendError: NCCL error in: x\n'


@pytest.mark.parametrize(
    ("log", "well", "status", "words"),
    [
        (SIZES + SUM, True, "passed", "462 GB/s, network IB, floor 396 GB/s"),
        (SIZES + SUM.replace("floor 396 GB/s", "no published floor"), True, "passed", "no published floor"),
        (SIZES, True, "unknown", "its log breaks off"),
        ("", True, "unknown", "there is no log"),
        ("", False, "unknown", "there is no log"),
        (SIZES + SUM, None, "unknown", "it has not ended"),
        (SIZES + SUM[:30], True, "unknown", "its log breaks off"),
        (SIZES + "== hung\n", False, "failed", "it hung"),
        (SIZES + SUM + SLOW, False, "failed", "gpu-1: 210 GB/s at the largest size is below 396 GB/s"),
        (SIZES + SUM + SLOW, True, "failed", "gpu-1: 210 GB/s"),
        (TRACE, False, "failed", "DistBackendError"),
        ("CUDA error: uncorrectable ECC error encountered\n", False, "failed", "uncorrectable ECC"),
        ("pulling image\n", False, "unknown", "its log breaks off"),
        (
            "rank 3 on gpu-2: NCCL uses 7 HCAs (mlx5_0), 8 must be: a port is down\n",
            False,
            "failed",
            "gpu-2: NCCL uses 7",
        ),
    ],
)
def test_a_match_is_judged_by_what_its_pods_wrote(log: str, well: Any, status: str, words: str) -> None:
    found = read(log, ended_well=well)
    assert found.status == status
    assert words in found.text


def test_what_many_ranks_say_alike_is_said_once_and_the_rest_is_counted() -> None:
    found = read("".join(f"rank {n} on gpu-{n % 6}: NCCL uses 7 HCAs\n" for n in range(48)), ended_well=False)
    assert found.text.count("NCCL uses 7 HCAs") == 4
    assert found.text.endswith("; and 2 more")


def test_the_measured_sum_comes_with_it() -> None:
    assert read(SUM, ended_well=True).gbs == pytest.approx(462.1)
