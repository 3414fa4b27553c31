"""By which labels a pool's nodes are found, and whose they are."""

from typing import Any

import pytest

from bedplate.components.nodes.pool_labels import rules
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile

PRODUCT = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
BY_HARDWARE = {"bedplate/pool": "h100"}
H100: dict[str, Any] = {"gpu": "H100", "gpus": 8, "cpus": 192, "memoryGib": 2048}


def with_operator(version: str | None, *more: dict[str, Any], **pool: Any) -> Profile:
    """Unchecked: of old releases some go with no Kubernetes of today."""
    return Profile.model_validate(
        {
            "name": "site",
            "platform": "kubeadm",
            "kubernetesVersion": "1.33",
            "context": "site",
            "driverOwner": "operator",
            "pools": [{"name": "h100", "shape": H100, "nodes": 2, **pool}, *more],
            "fabric": {"kind": "none"},
            "nfd": {},
            "gpuOperator": {"version": version} if version else {},
        }
    )


@pytest.mark.parametrize(
    ("version", "found"),
    [("v24.9.2", BY_HARDWARE), ("v25.3.4", BY_HARDWARE), ("v25.10.1", PRODUCT), (None, PRODUCT)],
)
def test_queues_and_jobs_find_nodes_by_a_label_that_stays(version: str | None, found: dict[str, str]) -> None:
    """GPU Feature Discovery up to v25.3 takes the product away whenever it ends (NVIDIA/k8s-device-plugin#796)."""
    known = facts(with_operator(version))
    assert dict(known.pool("h100").selector) == found
    assert [rule["labels"] for rule in rules(known)] == ([BY_HARDWARE] if found == BY_HARDWARE else [])


def test_a_label_by_hardware_is_for_hardware_that_no_other_pool_has() -> None:
    racked = with_operator("v25.3.4", selector={"example.com/rack": "a"})
    assert dict(facts(racked).pool("h100").selector) == {"example.com/rack": "a"}
    twice = with_operator("v25.3.4", {"name": "other", "shape": H100, "nodes": 1})
    assert dict(facts(twice).pool("h100").selector) == PRODUCT
    of_site = with_operator("v25.3.4").model_copy(update={"nfd": None})
    assert dict(facts(of_site).pool("h100").selector) == PRODUCT


@pytest.mark.parametrize(
    ("site", "product", "resource"),
    [
        ({"gpuOperator": {}}, "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.shared"),
        ({"existingDevicePlugin": True}, "NVIDIA-H100-80GB-HBM3-SHARED", "nvidia.com/gpu"),
        ({"existing": {"devicePlugin": {}}}, "NVIDIA-H100-80GB-HBM3-SHARED", "nvidia.com/gpu"),
        ({"existing": {"devicePlugin": {"renamesShared": True}}}, "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.shared"),
    ],
)
def test_a_share_of_a_gpu_is_called_as_whoever_hands_it_out_calls_it(
    site: dict[str, Any], product: str, resource: str
) -> None:
    """By default NVIDIA's plugin renames nothing, and GPU Feature Discovery marks the product."""
    shared = with_operator("v26.7.0", timeSlicing=4).model_dump(by_alias=True, exclude_unset=True) | {
        "gpuOperator": None
    }
    pool = facts(Profile.model_validate(shared | site)).pool("h100")
    assert (pool.selector, pool.resource) == ({"nvidia.com/gpu.product": product}, resource)
    assert pool.gpu_resources == {resource: 32}
