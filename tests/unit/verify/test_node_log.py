"""What a node says of its GPUs and links is read as it is written, and what it leaves out is never taken for well."""

import os
import subprocess
from pathlib import Path

import pytest

from bedplate.verify.node_log import SCRIPT, Desired, cases

GPUS = [f"{n}, NVIDIA H100 80GB HBM3, 580.95.05, Enabled, 0" for n in range(8)]
CLOCKS = [f"{n}, Not Active, Not Active, Not Active" for n in range(8)]
OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22)  Tue Sep 23"
)
CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 09:55:41 UTC 2025"
LINKS = [f"mlx5_{n} 4: ACTIVE|400 Gb/sec (4X NDR)|InfiniBand" for n in range(8)]
DESIRED = Desired(gpus=8, open_module=True, links=8, gbps=400)
PARTS = {"gpus": GPUS, "clocks": CLOCKS, "module": [OPEN], "links": LINKS, "end": list[str]()}


def log(**parts: list[str]) -> str:
    return "".join(f"== {name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in (PARTS | parts).items())


def changed(lines: list[str], place: int, old: str, new: str) -> list[str]:
    return [line.replace(old, new) if at == place else line for at, line in enumerate(lines)]


SMI = "Failed to initialize NVML: Driver/library version mismatch"
LOST = "Unable to determine the device handle for GPU0000:1B:00.0: Unknown Error"
LOGS: dict[str, tuple[str, Desired, dict[str, tuple[str, str]]]] = {
    "sound": (log(), DESIRED, {}),
    "sound on a cloud's fabric, whose links nobody looks at": (log(links=[]), Desired(8, open_module=True), {}),
    "sound, RoCE at more than is wanted": (
        log(links=[line.replace("InfiniBand", "Ethernet") for line in LINKS]),
        Desired(8, links=8, gbps=200),
        {},
    ),
    "sound, a card without ECC": (log(gpus=[g.replace("Enabled, 0", "[N/A], [N/A]") for g in GPUS]), DESIRED, {}),
    "sound, a storage port that is down beside the rails": (
        log(links=[*LINKS, "mlx5_8 1: DOWN|10 Gb/sec (4X SDR)|Ethernet"]),
        DESIRED,
        {},
    ),
    "seven of eight GPUs": (log(gpus=GPUS[:7], clocks=CLOCKS[:7]), DESIRED, {"GPUs": ("failed", "7 GPUs are seen")}),
    "two models": (
        log(gpus=changed(GPUS, 3, "H100 80GB HBM3", "H200")),
        DESIRED,
        {"GPUs": ("failed", "several models: NVIDIA H100 80GB HBM3, NVIDIA H200")},
    ),
    "a library of another version": (log(gpus=[SMI]), DESIRED, {"GPUs": ("failed", "version mismatch")}),
    "a GPU that fell off the bus": (log(gpus=[*GPUS[:7], LOST]), DESIRED, {"GPUs": ("failed", "device handle")}),
    "no nvidia-smi": (log(gpus=["sh: 2: nvidia-smi: not found"]), DESIRED, {"GPUs": ("failed", "not found")}),
    "ECC is off": (
        log(gpus=changed(GPUS, 2, "Enabled", "Disabled")),
        DESIRED,
        {"ECC": ("failed", "GPU 2: ECC is Disabled")},
    ),
    "uncorrected errors": (
        log(gpus=changed(GPUS, 5, "Enabled, 0", "Enabled, 12")),
        DESIRED,
        {"ECC": ("failed", "GPU 5: 12 uncorrected errors")},
    ),
    "too hot": (
        log(clocks=changed(CLOCKS, 1, "Not Active, Not Active, Not Active", "Active, Active, Not Active")),
        DESIRED,
        {"clocks": ("failed", "GPU 1: hw_slowdown; GPU 1: hw_thermal_slowdown")},
    ),
    "clocks that an old driver cannot tell": (
        log(clocks=['Field "clocks_throttle_reasons.hw_slowdown" is not a valid field to query.']),
        DESIRED,
        {"clocks": ("unknown", "not a valid field")},
    ),
    "clocks not supported": (
        log(clocks=[line.replace("Not Active", "[N/A]") for line in CLOCKS]),
        DESIRED,
        {"clocks": ("unknown", "[N/A]")},
    ),
    "the proprietary module where DMA-BUF needs the open one": (
        log(module=[CLOSED]),
        DESIRED,
        {"driver": ("failed", "the proprietary one")},
    ),
    "the proprietary module where nobody minds": (log(module=[CLOSED]), Desired(8, links=8, gbps=400), {}),
    "another driver than the profile says": (
        log(),
        Desired(8, driver="570.124.06", links=8),
        {"driver": ("failed", "it is 580.95.05, the profile says 570.124.06")},
    ),
    "a module of another version than the library": (
        log(module=[OPEN.replace("580.95.05", "570.1")]),
        DESIRED,
        {"driver": ("failed", "nvidia-smi says 580.95.05, the module 570.1")},
    ),
    "no module's version": (log(module=[]), DESIRED, {"driver": ("unknown", "is empty")}),
    "a port down": (
        log(links=changed(LINKS, 6, "4: ACTIVE|400", "1: DOWN|10")),
        DESIRED,
        {"links": ("failed", "7 of 8 links are active at 400 Gb/s; mlx5_6 is DOWN at 10 Gb/s")},
    ),
    "a port at a quarter of its rate": (
        log(links=changed(LINKS, 0, "400", "100")),
        DESIRED,
        {"links": ("failed", "mlx5_0 is ACTIVE at 100 Gb/s")},
    ),
    "no RDMA device": (log(links=[]), DESIRED, {"links": ("unknown", "sees no RDMA device")}),
    "truncated": (log().partition("== module")[0], DESIRED, {"GPUs": ("unknown", "breaks off after clocks")}),
    "empty": ("", DESIRED, {"GPUs": ("unknown", "breaks off after nothing")}),
    "another program's": ("epoch 1 loss 2.7\n", DESIRED, {"GPUs": ("unknown", "breaks off")}),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_nodes_log_is_sound_or_says_what_is_broken_or_not_known(name: str) -> None:
    text, desired, expected = LOGS[name]
    found = {case.check: case for case in cases(text, desired, "node-0")}
    for check, case in found.items():
        status, words = expected.get(check, ("passed", ""))
        assert (case.status, case.subject) == (status, "node-0"), case
        assert words in case.text
    assert expected.keys() <= found.keys()


def test_there_are_logs_enough_to_trust_it() -> None:
    assert len(LOGS) >= 25


def test_what_the_script_prints_on_a_machine_without_gpus_is_read_as_such(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", SCRIPT], capture_output=True, text=True, check=False, env={"PATH": "/bin:/usr/bin"}
    )
    found = {case.check: case.status for case in cases(done.stdout, DESIRED, "here")}
    assert found == {"GPUs": "failed"}


def test_the_script_asks_for_the_older_names_where_the_newer_ones_are_not_known(tmp_path: Path) -> None:
    smi = tmp_path / "nvidia-smi"
    rows = "\n".join(GPUS)
    clocks = "\n".join(CLOCKS)
    smi.write_text(
        f'#!/bin/sh\ncase "$1" in *events*|*event_*) echo \'not a valid field\'; exit 2;; *throttle*) echo "{clocks}";; *) echo "{rows}";; esac\n'
    )
    smi.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", SCRIPT], capture_output=True, text=True, check=False, env=env)
    found = {case.check: case.status for case in cases(done.stdout, Desired(8), "here")}
    assert found["GPUs"] == found["ECC"] == "passed"
    assert found["clocks"] == "passed"
