"""A pool whose nodes come and go: queues and limits know the most, and alerts the fewest that there may be."""

from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.nodes import nodes as node_alerts
from bedplate.components.scheduling.kueue_queues import cluster_queue
from bedplate.components.tenancy.limits import most
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import document

MOST, FEWEST, NODES, GPUS = 8, 2, 4, 8


def profile(**more: Any) -> dict[str, Any]:
    """The EKS stack with a queue; its pool begins with four nodes."""
    one: dict[str, Any] = document("eks-p5") | {"scheduling": {"kind": "kueue"}, **more}
    one["pools"][1]["autoscale"] = {"min": FEWEST, "max": MOST}
    one["tenancy"] = {"teams": [{"name": "research", "borrow": False}, {"name": "serving", "gpus": {"p5": 40}}]}
    return one


@pytest.fixture(scope="module")
def known() -> Facts:
    return facts(load(profile()))


def test_queues_hand_out_what_an_autoscaler_may_add(known: Facts) -> None:
    gpus = [
        int(each["nominalQuota"])
        for team in known.teams
        for flavor in cluster_queue(team, known)["resourceGroups"][0]["flavors"]
        for each in flavor["resources"]
        if each["name"] == "nvidia.com/gpu"
    ]
    assert sum(gpus) == MOST * GPUS


def test_a_namespaces_quota_counts_the_nodes_that_may_come(known: Facts) -> None:
    research = known.team("research")
    assert most(research, {}, known)["requests.nvidia.com/gpu"] == str(MOST * GPUS - 40)


def test_a_scaled_in_pool_is_no_alert(known: Facts) -> None:
    (short,) = (alert for group in node_alerts(known) for alert in group.alerts if alert.name == "ClusterGpuCountShort")
    assert short.expr.endswith(f"< {FEWEST * GPUS}")


def test_policies_judge_by_the_nodes_that_may_come(known: Facts) -> None:
    loaded = load(profile())
    assert next(pool for pool in policy_facts(loaded)["pools"] if pool["name"] == "p5")["nodes"] == MOST
    assert known.pool("p5").room(GPUS) == MOST


@pytest.mark.parametrize(("replicas", "fits"), [(5, True), (6, False)])
def test_servers_may_grow_into_nodes_that_are_not_there_yet(replicas: int, *, fits: bool) -> None:
    server = {
        "kind": "vllm",
        "name": "llama",
        "namespace": "serving",
        "pool": "p5",
        "model": "llama-3.1-70b",
        "tensorParallel": 8,
        "replicas": replicas,
        "weights": {"kind": "volume", "volume": "models", "directory": "llama"},
    }
    one = profile(serving={"servers": [server]})
    if fits:
        assert load(one).serving
    else:
        with pytest.raises(ProfileError, match="need 48 GPUs"):
            load(one)
