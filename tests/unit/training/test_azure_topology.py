"""On Azure's ND machines NCCL is told the PCI buses: it cannot see them, and would copy by way of the host."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from bedplate.components.facts import Args, Facts
from bedplate.components.serving.servers import manifests
from bedplate.components.workload.clouds import MACHINES, topology_files
from bedplate.components.workload.contract import contract
from bedplate.components.workload.extras import CONFIG_MAP
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import graph_of
from tests.tools.golden_objects import PROFILES
from tests.training_jobs import job, main, rendered, templates
from tests.unit.cloud.test_cloud_checks import aks

FILE = "/etc/nccl-topology/ndv5-topo.xml"
PAIRS = {
    "ndv4": {
        "0001": 0x101,
        "0002": 0x102,
        "0003": 0x103,
        "0004": 0x104,
        "000b": 0x105,
        "000c": 0x106,
        "000d": 0x107,
        "000e": 0x108,
    },
    "ndv5": {
        "0001": 0x101,
        "0002": 0x102,
        "0003": 0x103,
        "0008": 0x104,
        "0009": 0x105,
        "000a": 0x106,
        "000b": 0x107,
        "000c": 0x108,
    },
}
"""GPU and NIC of the same rail (Azure/azhpc-images topology)."""


def document() -> dict[str, Any]:
    return yaml.safe_load((PROFILES / "aks-nd-h100.yaml").read_text())


def known(shape: str = "ND96isr_H100_v5") -> Facts:
    one = document()
    one["pools"][1]["shape"] = shape
    return facts(load(one))


def told(spec: dict[str, Any]) -> tuple[str | None, list[Any], list[str]]:
    """What NCCL is told, the ConfigMap's files in the pod, and where the worker has them."""
    (worker,) = (one for one in spec["containers"] if "nvidia.com/gpu" in str(one.get("resources")))
    env = {one["name"]: one.get("value") for one in worker["env"]}
    files = [volume["configMap"] for volume in spec["volumes"] if volume["name"] == "nccl-topology"]
    return (
        env.get("NCCL_TOPO_FILE"),
        files,
        [one["mountPath"] for one in worker["volumeMounts"] if one["name"] == "nccl-topology"],
    )


MOUNTED = [{"name": CONFIG_MAP, "items": [{"key": "ndv5-topo.xml", "path": "ndv5-topo.xml"}]}]


@pytest.mark.parametrize("kind", ["JobSet", "MPIJob"])
def test_every_worker_of_a_job_is_told_the_pci_buses(kind: Any) -> None:
    pods = templates(main(rendered(job(kind), known())))
    workers = [pod["spec"] for pod in pods if "nvidia.com/gpu" in str(pod["spec"]["containers"])]
    assert workers
    for spec in workers:
        assert told(spec) == (FILE, MOUNTED, ["/etc/nccl-topology"])


def test_so_is_a_server_over_two_nodes() -> None:
    one = document()
    one["training"]["leaderWorkerSet"] = {}
    one["serving"] = {
        "servers": [
            {
                "kind": "vllm",
                "name": "llama",
                "namespace": "research",
                "pool": "h100",
                "model": "llama-3.1-405b",
                "weights": {"kind": "volume", "volume": "datasets", "directory": "llama"},
                "tensorParallel": 8,
                "pipelineParallel": 2,
            }
        ]
    }
    loaded = load(one)
    assert loaded.serving
    made = manifests(loaded.serving.servers[0], Args(loaded.serving, facts(loaded)))
    groups = [pod["spec"] for pod in templates(made)]
    assert len(groups) >= 1
    assert all(told(spec) == (FILE, MOUNTED, ["/etc/nccl-topology"]) for spec in groups)


def test_the_file_is_in_the_namespace_of_every_team() -> None:
    found = [node.inputs for node in graph_of(document()).resources if node.name.endswith(CONFIG_MAP)]
    assert found
    assert all(one["data"]["ndv5-topo.xml"] == topology_files(["ndv5"])["ndv5-topo.xml"] for one in found)


def test_other_peoples_jobs_read_in_the_contract_where_the_file_goes() -> None:
    facts = known()
    (team,) = facts.teams
    whole = contract(facts, team.name).share(facts.pool("h100"), 8).document()
    assert whole["configFiles"] == {"/etc/nccl-topology": "ndv5-topo.xml"}
    assert whole["hostPaths"] == {}


@pytest.mark.parametrize("name", MACHINES)
def test_nccl_finds_each_nic_beside_its_gpu(name: str) -> None:
    (text,) = topology_files([name]).values()
    system = ET.fromstring(text)  # noqa: S314 - our own
    buses: dict[str, int] = {}
    for cpu in system.findall("cpu"):
        assert cpu.get("numaid")
        assert cpu.get("affinity")
        for switch in cpu.findall("pci"):
            inside = [(str(one.get("busid"))[:4], one.get("class")) for one in switch.findall("pci")]
            gpus = [bus for bus, kind in inside if kind == "0x030200"]
            nics = [int(bus, 16) for bus, kind in inside if kind == "0x020700"]
            buses |= dict(zip(gpus, nics, strict=True))
    assert buses == PAIRS[name]


def test_machines_whose_buses_nccl_sees_are_told_nothing() -> None:
    assert known("ND96asr_v4").pool("h100").topology == "ndv4"
    assert topology_files([""]) == {}
    one = aks()
    one["fabric"] = {"kind": "none"}
    assert facts(load(one)).pool("gpu").topology == ""


def test_aks_gets_the_driver_that_azure_installs() -> None:
    """Azure/aks-rdma-infiniband configs/nicclusterpolicy/base/nic.yaml: DOCA-OFED by the Network Operator."""
    (policy,) = (n.inputs for n in graph_of(document()).resources if n.name == "network-operator-ready")
    assert policy["spec"]["ofedDriver"]["image"] == "doca-driver"
