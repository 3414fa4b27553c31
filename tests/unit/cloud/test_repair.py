"""Who repairs the nodes of a cloud, and where it stops."""

from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.cloud.aws.node_group import repair
from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.facts import Args, Health
from tests.cloud_profiles import one
from tests.stack_files import graph_of, known
from tests.unit.checks.case import GONE, edited

P5 = {"pools.1.autoscale": GONE, "verification.qualify": {}}


def eks_repair(health: dict[str, Any], **pool: Any) -> dict[str, Any] | None:
    """What EKS is told of a node group of p5."""
    changes = {f"pools.1.{key}": value for key, value in pool.items()}
    made = graph_of(edited("eks-p5", {**P5, "health": health, **changes}))
    return one(made, "NodeGroup", "p5").inputs.get("nodeRepairConfig")


def test_eks_repairs_one_at_a_time_and_stops_at_a_fifth_of_the_nodes() -> None:
    expected = {"enabled": True, "maxParallelNodesRepairedCount": 1, "maxUnhealthyNodeThresholdCount": 4}
    assert eks_repair({"level": "remediate"}, nodes=20) == expected


def test_of_a_small_pool_one_node_may_always_be_repaired() -> None:
    found = eks_repair({"level": "remediate"}, nodes=2)
    assert found is not None
    assert found["maxUnhealthyNodeThresholdCount"] == 1


def test_the_breaker_is_the_profiles() -> None:
    found = eks_repair({"level": "remediate", "breaker": {"unhealthyPercent": 10, "atOnce": 3}}, nodes=64)
    assert found == {"enabled": True, "maxParallelNodesRepairedCount": 3, "maxUnhealthyNodeThresholdCount": 6}


def test_a_group_whose_size_changes_has_a_percentage() -> None:
    facts = known("eks-p5")
    args = Args(
        AwsCloud(kind="aws", region="us-east-2"), replace(facts, health=Health(repairs=True, percent=20, at_once=1))
    )
    found = repair(args, next(pool for pool in facts.pools if pool.autoscale))
    expected = {"max_parallel_nodes_repaired_count": 1, "max_unhealthy_node_threshold_percentage": 20}
    assert found == {"enabled": True, **expected}


def test_nobody_repairs_where_people_act() -> None:
    assert eks_repair({"level": "observe"}) is None


@pytest.mark.parametrize(
    ("level", "management"), [("observe", None), ("remediate", {"autoRepair": True, "autoUpgrade": True})]
)
def test_gke_repairs_where_the_profile_says_so(level: str, management: dict[str, bool] | None) -> None:
    made = graph_of(edited("gke-a3-mega", {"health": {"level": level}, "verification.qualify": {}}))
    assert one(made, "NodePool", "a3-mega").inputs.get("management") == management
