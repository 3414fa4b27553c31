"""The verification job asks for the fabric, and tells a sound one from a broken one."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from bedplate.catalog.machines import MACHINES
from bedplate.catalog.sources import SOURCES
from bedplate.components.verification.all_reduce import bus_bandwidth
from bedplate.components.verification.nccl import VerificationSection, gate, objects
from bedplate.components.workload.clouds import gke_extras
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.crds import faults as crd_faults
from tests.stack_files import document, graph
from tests.training_jobs import FABRICS, all_templates, cluster, container
from tests.unit.checks.case import GONE, edited

SECTION = VerificationSection(team="research", image="example.com/pytorch:1")


def test_bus_bandwidth_is_counted_as_nccl_tests_does() -> None:
    assert bus_bandwidth(8 * 10**9, 0.04, 16) == pytest.approx(8 / 0.04 * 2 * 15 / 16)


def test_the_gate_is_nine_tenths_of_the_published_floor_or_what_the_site_says() -> None:
    facts = cluster("onprem-h100-roce")
    assert gate(SECTION, facts) == 396
    assert gate(SECTION.model_copy(update={"floor_gbs": 400}), facts) == 400


def test_a_fabric_of_h100_that_only_reaches_what_efa_does_is_broken() -> None:
    """Healthy are 440 to 490 GB/s over two nodes; with half its rails it reaches 216, with seven of eight some 350."""
    for shape in ("dgx-h100", "dgx-h200"):
        assert 350 < gate(SECTION, facts(load(edited("onprem-h100-roce", {"pools.1.shape": shape})))) < 440


def test_over_many_nodes_the_floor_is_that_of_many() -> None:
    eight = SECTION.model_copy(update={"nodes": 8})
    assert gate(eight, cluster("onprem-h100-roce")) == 297
    assert gate(eight, cluster("eks-p5")) == gate(SECTION, cluster("eks-p5")) == 270


def test_a_shape_of_ones_own_says_its_own_floor() -> None:
    shape = {"gpu": "H100", "gpus": 8, "cpus": 64, "memoryGib": 512, "fabrics": ["roce"], "nics": 8}
    one = edited("onprem-h100-roce", {"pools.1.shape": {**shape, "busbwFloorGbs": 400}, "serving": GONE})
    assert gate(SECTION, facts(load(one))) == 360


def test_every_floor_is_on_the_page_with_its_shapes_and_its_source() -> None:
    page = (Path(__file__).parents[3] / "docs" / "verification.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    for shape, floor in ((one.name, one.floor) for one in MACHINES.values() if one.floor):
        (row,) = (row for row in rows if shape in row.split("|")[1])
        assert f"| {floor.two} |" in row
        assert f"| {floor.more} |" in row
        assert SOURCES[floor.source].text.split(":")[0].split(",")[0] in row


@pytest.mark.parametrize("stack", FABRICS.values())
@pytest.mark.parametrize("scheduler", ["kueue", "volcano", "kai"])
def test_the_job_uses_whole_nodes_and_all_of_the_fabric(stack: str, scheduler: str) -> None:
    facts = cluster(stack, scheduler)
    made = objects(SECTION, facts)
    (pod,) = all_templates(made)
    limits = container(pod)["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == "8"
    assert {name: int(limits[name]) for name in facts.fabric.devices} == dict(facts.gpu_pools[0].devices)
    words = container(pod)["command"]
    assert words[words.index("--floor") + 1] == str(gate(SECTION, facts))
    compile(words[words.index("-c", 3) + 1] if words[0] == "bash" else words[words.index("-c") + 1], "pod", "exec")
    if made[-1]["kind"] == "JobSet":
        assert crd_faults(made[-1]) == []
        assert made[-1]["metadata"]["annotations"]["pulumi.com/waitFor"] == "condition=Completed"


def words(stack: str, **changes: Any) -> list[str]:
    facts = cluster(stack)
    (pod,) = all_templates(objects(SECTION, dataclasses.replace(facts, **changes)))
    return container(pod)["command"]


@pytest.mark.parametrize(("stack", "adapters"), [("onprem-h100-roce", "8"), ("onprem-h100-ib", "8")])
def test_a_fabric_that_names_its_adapters_must_show_them_all_and_read_memory_directly(
    stack: str, adapters: str
) -> None:
    said = words(stack)
    assert said[said.index("--adapters") + 1] == adapters
    assert "--direct" in said
    assert "--direct" not in words(stack, gpu_direct="none")


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        ({}, []),
        ({"NCCL_NVLS_ENABLE": "2", "NCCL_COLLNET_ENABLE": "0"}, []),
        ({"NCCL_NVLS_ENABLE": "1"}, ["--nvls"]),
        ({"NCCL_COLLNET_ENABLE": "1"}, ["--sharp"]),
        ({"NCCL_NVLS_ENABLE": "1", "NCCL_COLLNET_ENABLE": "1"}, ["--nvls", "--sharp"]),
    ],
)
def test_switches_must_reduce_where_the_profile_declares_it(env: dict[str, str], asked: list[str]) -> None:
    declared = facts(load(edited("onprem-h100-ib", {"fabric.env": env})))
    section = SECTION.model_copy(update={"team": declared.teams[0].name})
    (pod,) = all_templates(objects(section, declared))
    assert [word for word in container(pod)["command"] if word in ("--nvls", "--sharp")] == asked


@pytest.mark.parametrize("stack", ["eks-p5", "gke-a3-mega"])
def test_a_fabric_of_a_cloud_is_asked_for_its_network_alone(stack: str) -> None:
    assert "--adapters" not in words(stack)


@pytest.mark.parametrize("scheduler", ["kueue", "kai"])
def test_its_pods_know_their_node_by_name(scheduler: str) -> None:
    for pod in all_templates(objects(SECTION, cluster("onprem-h100-roce", scheduler))):
        assert {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}} in container(pod)["env"]


def test_the_fabrics_daemon_stays_as_the_contract_has_it() -> None:
    known = cluster("gke-a3-mega")
    for pod in all_templates(objects(SECTION, known)):
        assert pod["spec"]["initContainers"] == [dict(one) for one in gke_extras("tcpxo", 8).sidecars]


def test_the_deployment_waits_for_it_last() -> None:
    nodes = [node for node in graph("onprem-h100-ib").resources if node.name == "nccl-verification-job"]
    assert [node.type for node in nodes] == ["kubernetes:batch/v1:Job"]
    assert json.dumps(nodes[0].inputs["spec"]).count("all-reduce") == 1
    assert nodes[0].options.timeouts["create"] == "3600s"


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown team": ({"team": "sales", "image": "x:1"}, "verification.team = sales: no such team"),
    "too many nodes": ({"team": "research", "image": "x:1", "nodes": 9}, "verification.nodes = 9: pool h100 has 8"),
    "one node": ({"team": "research", "image": "x:1", "nodes": 1}, "verification.nodes = 1"),
}


def bad(name: str) -> dict[str, Any]:
    return {**document("onprem-h100-roce"), "verification": BAD[name][0]}


@pytest.mark.parametrize("name", BAD)
def test_a_verification_that_cannot_run_is_refused(name: str) -> None:
    with pytest.raises(ProfileError) as refused:
        load(bad(name))
    assert BAD[name][1] in str(refused.value)


def test_there_is_nothing_to_verify_without_a_fabric() -> None:
    profile = document("inference-l40s")
    team = profile["tenancy"]["teams"][0]["name"]
    with pytest.raises(ProfileError, match="the cluster has no fabric to verify"):
        load({**profile, "verification": {"team": team, "image": "x:1"}})
