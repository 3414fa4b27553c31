"""GPUs of one node cut in several ways: what the MIG manager reads, what nodes advertise, and what pods ask for."""

from typing import Any

import pytest
import yaml

from bedplate.components.facts import Facts
from bedplate.components.facts.queues import amounts
from bedplate.components.operators.slicing import mig_config
from bedplate.components.verification.pools import required_of
from bedplate.components.workload.contract import Contract
from bedplate.lab.nodes import nodes
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import document
from tests.training_jobs import BESIDE_TRAINING, all_templates, container, job, rendered

LAYOUTS: list[dict[str, Any]] = [
    {"gpus": [0, 1], "slices": {"1g.10gb": 7}},
    {"gpus": [2], "slices": {"1g.10gb": 1, "3g.40gb": 1}},
]
ADVERTISED = {"nvidia.com/mig-1g.10gb": 15, "nvidia.com/mig-3g.40gb": 1, "nvidia.com/gpu": 5}


def refusal(written: dict[str, Any], found: Facts) -> str:
    with pytest.raises(ProfileError) as refused:
        rendered(written, found)
    return str(refused.value)


def profile() -> dict[str, Any]:
    one = {key: value for key, value in document("inference-l40s").items() if key not in BESIDE_TRAINING}
    system = {"name": "system", "shape": {"cpus": 16, "memoryGib": 64}, "nodes": 3}
    one["pools"] = [system, {"name": "a100", "shape": "hgx-a100", "nodes": 2, "migLayouts": LAYOUTS}]
    return one | {
        "scheduling": {"kind": "kueue"},
        "training": {"jobset": {}},
        "tenancy": {"teams": [{"name": "research", "rdma": False}]},
    }


def known() -> Facts:
    return facts(load(profile()))


def test_the_mig_manager_reads_a_layout_for_every_gpu_of_the_node() -> None:
    written = yaml.safe_load(mig_config(known())["config"]["data"]["config.yaml"])
    assert written["mig-configs"]["a100"] == [
        {"devices": [0, 1], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
        {"devices": [2], "mig-enabled": True, "mig-devices": {"1g.10gb": 1, "3g.40gb": 1}},
        {"devices": [3, 4, 5, 6, 7], "mig-enabled": False},
    ]


def test_one_layout_for_all_names_no_gpus() -> None:
    one = profile()
    one["pools"][1] |= {"migLayouts": [{"gpus": list(range(8)), "slices": {"3g.40gb": 2}}]}
    written = yaml.safe_load(mig_config(facts(load(one)))["config"]["data"]["config.yaml"])
    assert written["mig-configs"]["a100"] == [{"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 2}}]


def test_nodes_advertise_each_kind_and_the_gate_and_the_queues_count_with_it() -> None:
    found = known()
    pool = found.pool("a100")
    assert pool.gpu_resources == ADVERTISED
    spelt = {name: str(count) for name, count in ADVERTISED.items()}
    assert spelt.items() <= required_of(found, pool)["each"].items()
    nominal = found.team("research").nominal["a100"]
    assert {name: nominal[name] for name in ADVERTISED} == {name: 2 * count for name, count in ADVERTISED.items()}
    node = next(one for one in nodes(load(profile())) if one["metadata"]["name"] == "a100-0")
    assert spelt.items() <= node["status"]["allocatable"].items()
    assert node["metadata"]["labels"]["nvidia.com/mig-1g.10gb.count"] == "15"
    assert "nvidia.com/gpu.count" in node["metadata"]["labels"]


def test_a_slice_with_media_engines_has_the_name_that_the_device_plugin_gives_it() -> None:
    """NVIDIA/k8s-device-plugin internal/rm/rm.go: a resource's name has no plus."""
    one = profile()
    one["pools"][1] = {"name": "a100", "shape": "hgx-a100", "nodes": 2, "mig": {"1g.10gb": 6, "1g.10gb+me": 1}}
    found = facts(load(one))
    assert found.pool("a100").gpu_resources == {"nvidia.com/mig-1g.10gb": 48, "nvidia.com/mig-1g.10gb.me": 8}
    config = yaml.safe_load(mig_config(found)["config"]["data"]["config.yaml"])
    assert config["mig-configs"]["a100"][0]["mig-devices"] == {"1g.10gb": 6, "1g.10gb+me": 1}
    pod = all_templates(rendered(job(nodes=1, gpusPerNode=1, slice="1g.10gb+me"), found))[0]
    limits = container(pod)["resources"]["limits"]
    assert limits["nvidia.com/mig-1g.10gb.me"] == "1"
    assert limits["memory"] == f"{int(found.pool('a100').memory_gib * 0.9 / 56)}Gi"


@pytest.mark.parametrize(
    ("asked", "resource", "count", "part"),
    [
        ({}, "nvidia.com/mig-1g.10gb", "1", 1 / 56),
        ({"slice": "3g.40gb"}, "nvidia.com/mig-3g.40gb", "1", 3 / 32),
        ({"slice": "whole", "gpusPerNode": 4}, "nvidia.com/gpu", "4", 1 / 2),
    ],
)
def test_a_job_says_which_kind_it_takes_and_gets_that_part_of_the_node(
    asked: dict[str, Any], resource: str, count: str, part: float
) -> None:
    found = known()
    pod = all_templates(rendered({**job(nodes=1, gpusPerNode=1), **asked}, found))[0]
    limits = container(pod)["resources"]["limits"]
    assert {name: value for name, value in limits.items() if name.startswith("nvidia.com/")} == {resource: count}
    assert limits["memory"] == f"{int(found.pool('a100').memory_gib * 0.9 * part)}Gi"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"slice": "2g.20gb"}, ("slice = 2g.20gb", "use 1g.10gb or 3g.40gb or whole")),
        ({"slice": "whole", "gpusPerNode": 6}, ("gpusPerNode = 6", "has 5", "use 5 or fewer")),
        ({"slice": "3g.40gb", "nodes": 3}, ("nodes = 3", "room for 2")),
        ({"gpusPerNode": 2}, ("cut into MIG slices", "slice: whole, or")),
    ],
)
def test_a_job_is_refused_what_no_node_has(asked: dict[str, Any], words: tuple[str, ...]) -> None:
    said = refusal({**job(nodes=1, gpusPerNode=1), **asked}, known())
    assert all(word in said for word in words), said


def test_slices_of_a_pool_without_any_are_refused() -> None:
    one = profile()
    one["pools"][1].pop("migLayouts")
    said = refusal(job(nodes=1, slice="3g.40gb"), facts(load(one)))
    assert "slice = 3g.40gb: a node of pool a100 has none; use whole" in said


def test_the_contract_of_such_a_pool_is_one_slice() -> None:
    found = known()
    asked = Contract(found, found.team("research")).document()["wholeNode"]["a100"]["resources"]
    assert amounts(asked)["nvidia.com/mig-1g.10gb"] == 1
