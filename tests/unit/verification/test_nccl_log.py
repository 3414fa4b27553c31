"""NCCL's own log is read for what it says and for what it leaves out."""

import pytest

from components.verification.nccl_log import Expected, adapters, faults, indirect, networks
from tests.nccl_logs import HCAS, LOGS, SOUND, channels, line, using

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
