"""The policies' configuration says what the profile says."""

import json

import pytest

from bedplate.stacks.facts.policies import policy_facts
from tests.stack_files import STACKS, profile


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_has_facts_that_json_can_carry(stack: str) -> None:
    facts = policy_facts(profile(stack))

    assert json.loads(json.dumps(facts)) == facts
    assert facts["platform"] == profile(stack).platform
    assert [pool["name"] for pool in facts["pools"]] == [pool.name for pool in profile(stack).pools]


def test_the_reference_cluster() -> None:
    facts = policy_facts(profile("onprem-h100-roce"))

    assert (facts["fabric"], facts["exposure"], facts["mtu"]) == ("roce", "shared", 9000)
    assert facts["rdmaResources"] == {"rdma/rdma_shared_device_a": 1}
    assert facts["podCidrs"] == ["10.244.0.0/16"]
    system, h100 = facts["pools"]
    assert "gpuProduct" not in system
    assert (h100["gpusPerNode"], h100["nicsPerNode"], h100["gpuMemoryGb"]) == (8, 8, 80)
    assert h100["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]


def test_efa_devices_are_counted_per_node() -> None:
    facts = policy_facts(profile("eks-p5"))

    assert [pool.get("efaPerNode") for pool in facts["pools"]] == [None, 32]
    assert "exposure" not in facts
