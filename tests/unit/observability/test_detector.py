"""The checks of Node Problem Detector, run on trees of files that look like a node's, and what it is told of them."""

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bedplate.components.facts import Args, Facts
from bedplate.components.observability.conditions import conditions
from bedplate.components.observability.problem_detector import (
    SCRIPT,
    NodeProblemDetectorSection,
    helm_values,
    xid_events,
)
from tests.stack_files import known

SOUND, FAULT, UNKNOWN = 0, 1, 2
XID = "[ 12.5] NVRM: Xid (PCI:0000:3b:00): {}, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


class Machine:
    """A node's files below a folder, and programs that say what a test tells them to."""

    def __init__(self, root: Path) -> None:
        self.root, self.programs = root, root / "programs"
        self.programs.mkdir()
        self.program("chroot", 'root=$1; shift; exec "$root$@"')
        self.program("dmesg", "true")

    def program(self, name: str, body: str, place: Path | None = None) -> None:
        path = (place or self.programs) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def smi(self, **answers: str) -> None:
        """What nvidia-smi prints, by the first word that its arguments have; without one it fails."""
        cases = "".join(f"*{word.replace('_', '-')}*) printf '%s' '{answer}' ;;\n" for word, answer in answers.items())
        self.program("nvidia-smi", f'case "$*" in\n{cases}*) exit 6 ;;\nesac', self.root / "usr/bin")

    def log(self, *lines: str) -> None:
        self.program("dmesg", "\n".join(f'echo "{line}"' for line in lines))

    def file(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(f"{text}\n")

    def pci(self, name: str, width: int = 16, slot: int = 16, most: int = 16, vendor: str = "0x10de") -> None:
        """A GPU or NIC in its slot, as the kernel shows them: a link to a folder below the slot's."""
        real = f"sys/devices/{name}-slot/{name}"
        self.file(f"{real}/vendor", vendor)
        self.file(f"{real}/class", "0x030200" if vendor == "0x10de" else "0x020000")
        self.file(f"{real}/current_link_width", str(width))
        self.file(f"{real}/max_link_width", str(most))
        self.file(f"sys/devices/{name}-slot/max_link_width", str(slot))
        link = self.root / "sys/bus/pci/devices" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(self.root / real)

    def check(self, *words: str) -> tuple[int, str]:
        path = f"{self.programs}:{os.environ['PATH']}"
        variables = {"PATH": path, "HOST": str(self.root), "KEPT": str(self.root / "kept")}
        ran = subprocess.run(["bash", str(SCRIPT), *words], env=variables, capture_output=True, text=True, check=False)
        assert ran.stderr == ""
        return ran.returncode, ran.stdout.strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def gpu_node(machine: Machine) -> Machine:
    for name in ("0000:3b:00.0", "0000:5e:00.0"):
        machine.pci(name)
    machine.file("proc/driver/nvidia/version", "NVRM version")
    return machine


@pytest.mark.parametrize("check", ["missing", "memory", "slowed", "nvlink"])
def test_a_node_without_gpus_is_sound(machine: Machine, check: str) -> None:
    assert machine.check(check) == (SOUND, "no GPU here")


@pytest.mark.parametrize("check", ["memory", "slowed"])
def test_of_gpus_that_nobody_can_ask_nothing_is_said(gpu_node: Machine, check: str) -> None:
    assert gpu_node.check(check) == (UNKNOWN, "nvidia-smi: no nvidia-smi on this node")


def test_an_xid_of_the_class_is_a_fault_and_another_is_none(machine: Machine) -> None:
    machine.log(XID.format(13), XID.format(79))
    assert machine.check("xid", "79|151") == (FAULT, "Xid 79 of 0000:3b:00")
    assert machine.check("xid", "7|9|1") == (SOUND, "no such Xid")
    machine.program("dmesg", "exit 1")
    assert machine.check("xid", "79") == (UNKNOWN, "the kernel's log cannot be read")


def test_a_gpu_that_does_not_answer_is_missing(gpu_node: Machine) -> None:
    gpu_node.smi(_L="GPU 0: NVIDIA H100 (UUID: GPU-a)\nGPU 1: NVIDIA H100 (UUID: GPU-b)\n")
    assert gpu_node.check("missing") == (SOUND, "every GPU answers")
    gpu_node.smi(_L="GPU 0: NVIDIA H100 (UUID: GPU-a)\nUnable to determine the device handle\n")
    assert gpu_node.check("missing") == (FAULT, "1 of 2 GPUs answer")
    (gpu_node.root / "proc/driver/nvidia/version").unlink()
    assert gpu_node.check("missing") == (UNKNOWN, "the driver is not loaded")


def test_a_gpu_of_a_virtual_machine_is_not_the_hosts(gpu_node: Machine) -> None:
    gpu_node.smi(_L="GPU 0: NVIDIA H100 (UUID: GPU-a)\n")
    (gpu_node.root / "sys/bus/pci/devices/0000:5e:00.0/driver").symlink_to("../drivers/vfio-pci")
    assert gpu_node.check("missing")[0] == SOUND


def test_memory_is_a_fault_by_errors_and_by_rows(gpu_node: Machine) -> None:
    gpu_node.smi(query_gpu="0, 0\n1, [N/A]\n", remapped="00000000:3B:00.0, No, No\n")
    assert gpu_node.check("memory") == (SOUND, "no uncorrectable error")
    gpu_node.smi(query_gpu="0, 3\n1, 0\n", remapped="0:3B, 1, 0\n0:5E, 0, 1\n")
    expected = "GPU 0: 3 uncorrectable errors; GPU 0:3B: a row waits for a reset; GPU 0:5E: no spare row is left"
    assert gpu_node.check("memory") == (FAULT, expected)
    gpu_node.smi(query_gpu="0, 0\n")
    assert gpu_node.check("memory")[0] == SOUND, "a GPU without such rows"


@pytest.mark.parametrize("word", ["event", "throttle"])
def test_a_slowed_gpu_is_found_by_drivers_of_either_word(gpu_node: Machine, word: str) -> None:
    gpu_node.smi(**{word: "0, Not Active, Not Active, Not Active\n1, Not Active, Active, Not Active\n"})
    assert gpu_node.check("slowed") == (FAULT, "GPU 1 is slowed by the hardware")
    gpu_node.smi(**{word: "0, Not Active, Not Active, Not Active\n"})
    assert gpu_node.check("slowed") == (SOUND, "no GPU is slowed")


def test_a_gpu_with_fewer_links_than_its_neighbours_is_found(gpu_node: Machine) -> None:
    up, down = "\t Link 0: 26.562 GB/s\n", "\t Link 1: <inactive>\n"
    gpu_node.smi(nvlink=f"GPU 0: H100\n{up}{up}GPU 1: H100\n{up}{down}")
    assert gpu_node.check("nvlink") == (FAULT, "GPU 1: 1 of 2 links")
    gpu_node.smi(nvlink=f"GPU 0: A100\n{up}{down}GPU 1: A100\n{up}{down}")
    assert gpu_node.check("nvlink")[0] == SOUND, "a board that has no more"
    gpu_node.smi()
    assert gpu_node.check("nvlink") == (SOUND, "no NVLink here")


def test_lanes_are_those_that_card_and_slot_both_have(machine: Machine) -> None:
    machine.pci("0000:3b:00.0", slot=8, width=8)
    machine.pci("0000:18:00.0", vendor="0x15b3")
    assert machine.check("pcie") == (SOUND, "every lane is there")
    machine.pci("0000:19:00.0", width=4, vendor="0x15b3")
    assert machine.check("pcie") == (FAULT, "0000:19:00.0: 4 of 16 lanes")


def test_a_port_of_the_fabric_that_is_down_is_a_fault_and_another_is_none(machine: Machine) -> None:
    machine.file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE")
    machine.file("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN")
    assert machine.check("down", "mlx5_0|mlx5_10") == (SOUND, "every port is active")
    assert machine.check("down", "mlx5_0|mlx5_1") == (FAULT, "mlx5_1 port 1: DOWN")
    machine.file("sys/class/infiniband/mlx5_1/device/physfn/vendor", "0x15b3")
    assert machine.check("down", "mlx5_0|mlx5_1")[0] == SOUND, "a virtual function"


def test_a_port_flaps_by_how_often_it_goes_down_within_an_hour(machine: Machine) -> None:
    counter = "sys/class/infiniband/mlx5_0/ports/1/counters/link_downed"
    for count, expected in (("7", SOUND), ("9", SOUND), ("10", FAULT), ("0", SOUND), ("2", SOUND), ("3", FAULT)):
        machine.file(counter, count)
        assert machine.check("flaps", "mlx5_0", "2")[0] == expected, count
    kept = machine.root / "kept/mlx5_0.ports.1"
    kept.write_text(re.sub(r"^(\d+)", lambda at: str(int(at[1]) - 3601), kept.read_text(), flags=re.MULTILINE))
    assert machine.check("flaps", "mlx5_0", "2") == (SOUND, "no port flaps"), "an hour later"


def test_what_is_no_check_says_so(machine: Machine) -> None:
    assert machine.check("rm") == (UNKNOWN, "no such check: rm")


def values(facts: Facts) -> dict[str, Any]:
    return helm_values(Args(NodeProblemDetectorSection(), facts))


def monitors(facts: Facts) -> dict[str, Any]:
    settings = values(facts)["settings"]
    return {
        name: json.loads(text) for name, text in settings["custom_monitor_definitions"].items() if text.startswith("{")
    }


def test_every_condition_has_one_rule_and_a_check_that_there_is() -> None:
    """Two rules of one condition would take back what the other said."""
    monitor = monitors(known("onprem-h100-roce"))["checks"]
    kinds = [condition["type"] for condition in monitor["conditions"]]
    assert [rule["condition"] for rule in monitor["rules"]] == kinds
    assert len(kinds) == len(set(kinds)) == 10
    checks = re.findall(r"^(\w+)\(\) \{", SCRIPT.read_text(), re.MULTILINE)
    assert {rule["args"][0] for rule in monitor["rules"]} <= set(checks)
    assert not {"<", ">"} & set(json.dumps(monitor["rules"])), "a text that was not filled in"


def test_a_cluster_has_the_conditions_of_its_hardware() -> None:
    roce, without = known("onprem-h100-roce"), known("inference-l40s")
    assert "mlx5_0|mlx5_3|mlx5_4|mlx5_5|mlx5_6|mlx5_9|mlx5_10|mlx5_11" in str(monitors(roce)["checks"])
    assert not [one for one in conditions(without) if one.type.startswith("Rdma")]
    cpus = replace(without, pools=tuple(replace(pool, gpus=0) for pool in without.pools))
    assert values(cpus)["settings"]["custom_plugin_monitors"] == []
    assert {one.type for one in conditions(cpus)} >= {"KernelDeadlock", "ReadonlyFilesystem"}


@pytest.mark.parametrize("platform", ["gke", "aks"])
def test_where_the_nodes_have_a_detector_the_kernels_conditions_are_its_own(platform: str) -> None:
    facts = replace(known("onprem-h100-roce"), platform=platform)
    assert values(facts)["settings"]["log_monitors"] == ["/custom-config/xid"]
    assert "KernelDeadlock" not in {one.type for one in conditions(facts)}


def test_every_xid_is_an_event() -> None:
    (rule,) = xid_events()["rules"]
    assert re.search(rule["pattern"], XID.format(31))
    assert rule["type"] == "temporary"
