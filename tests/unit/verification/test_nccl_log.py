"""NCCL's own log is read for what it says and for what it leaves out."""

import pytest

from bedplate.components.verification.nccl_log import (
    Expected,
    adapters,
    faults,
    indirect,
    networks,
    over_switches,
    without_nvls,
    without_sharp,
)
from tests.nccl_logs import HCAS, LOGS, NVLS, SHARP, SOUND, channels, line, using

EIGHT = Expected(adapters=8, direct=True)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_sound_or_says_what_is_broken(name: str) -> None:
    log, expected = LOGS[name]
    said = list(faults(log, EIGHT))
    assert len(said) == len(expected), said
    for found, words in zip(said, expected, strict=True):
        assert words in found


def test_there_are_logs_enough_to_trust_it() -> None:
    assert len(LOGS) >= 25


@pytest.mark.parametrize("network", ["IB", "AWS Libfabric", "FasTrak", "gIB"])
def test_a_fabric_that_names_no_adapters_is_asked_for_its_network_alone(network: str) -> None:
    assert list(faults(line(f"Using network {network}"), Expected())) == []


def test_adapters_are_counted_once_however_often_they_are_named() -> None:
    assert adapters(SOUND + SOUND) == list(HCAS)
    assert adapters(using(("mlx5_bond_0",))) == ["mlx5_bond_0"]


def test_channels_inside_a_node_are_no_channels_over_the_network() -> None:
    assert indirect(channels("P2P/IPC") + channels("SHM/direct/direct")) == []


def test_networks_are_named_once() -> None:
    assert networks(line("Using network IB") * 3) == ["IB"]


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (NVLS, ""),
        (NVLS.replace(" (NVLS_NCHANNELS 16)", ""), ""),
        (NVLS.replace(" (NVLS_NCHANNELS 16)", ", transport enabled, symmetric multimem enabled"), ""),
        (line("NVLS multicast support is available on dev 0"), ""),
        ("", "NCCL says nothing of NVLS"),
        (SOUND, "NCCL says nothing of NVLS"),
        (NVLS.replace("is available", "is not available"), "NVLS multicast support is not available"),
        (NVLS.replace("16 nvls", "0 nvls"), "0 nvls channels"),
        (NVLS + NVLS.replace("is available", "is not available"), "NVLS multicast support is not available"),
    ],
)
def test_nvls_that_is_declared_and_not_there_is_said(log: str, said: str) -> None:
    found = list(without_nvls(log))
    assert len(found) == bool(said)
    assert "".join(found).startswith(said)


def test_nvls_is_asked_for_only_where_it_is_declared() -> None:
    assert list(faults(SOUND, EIGHT)) == []
    (said,) = faults(SOUND, Expected(adapters=8, direct=True, nvls=True))
    assert "NVLS" in said
    assert list(faults(SOUND + NVLS, Expected(adapters=8, direct=True, nvls=True))) == []


def test_switches_that_reduce_are_known_by_their_channels_and_not_by_those_of_the_network() -> None:
    assert over_switches(SOUND) == []
    assert over_switches(SOUND + SHARP) == ["COLLNET/SHARP/0/GDRDMA"]
    assert over_switches(line("Coll 00 : 0 [send] via COLLNET/SHARP/0/GDRDMA")) == ["COLLNET/SHARP/0/GDRDMA"]
    assert list(faults(SOUND + SHARP, EIGHT)) == []


@pytest.mark.parametrize(
    ("ways", "direct", "said"),
    [
        (["COLLNET/SHARP/0/GDRDMA"], True, ""),
        ([], True, "no channel over COLLNET: switches do not reduce (SHARP)"),
        (["COLLNET/SHARP/0"], True, "COLLNET/SHARP/0: channels copy through the host's memory"),
        (["COLLNET/SHARP/0"], False, ""),
    ],
)
def test_sharp_that_is_declared_and_not_there_is_said(ways: list[str], direct: bool, said: str) -> None:  # noqa: FBT001
    found = list(without_sharp(ways, direct=direct))
    assert len(found) == bool(said)
    assert "".join(found).startswith(said)
