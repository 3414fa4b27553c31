"""What no queue counts has a bound that follows from the cluster, and lets its own jobs, servers and claims through."""

from typing import Any

import pytest

from bedplate.components.quantity import amount
from bedplate.components.tenancy.access import rules
from bedplate.components.tenancy.counts import counts
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import STACKS, document, graph, graph_of, known

COUNTED = (
    *("pods", "count/configmaps", "count/secrets", "count/jobs.batch", "count/cronjobs.batch", "count/services"),
    *("services.loadbalancers", "services.nodeports", "persistentvolumeclaims", "requests.storage"),
)


def quotas(one: dict[str, Any], name: str = "team") -> dict[str, dict[str, str]]:
    found = [node.inputs for node in graph_of(one).resources if node.type.endswith(":ResourceQuota")]
    found = [inputs for inputs in found if inputs["metadata"]["name"] == name]
    return {inputs["metadata"]["namespace"]: inputs["spec"]["hard"] for inputs in found}


@pytest.mark.parametrize("stack", STACKS)
def test_every_quota_counts_what_fills_etcd_nodes_and_bills(stack: str) -> None:
    for hard in quotas(document(stack)).values():
        assert set(COUNTED) <= set(hard)
        assert hard["services.loadbalancers"] == hard["services.nodeports"] == "0"


@pytest.mark.parametrize("stack", STACKS)
def test_every_kind_that_members_may_make_is_counted_and_none_before_the_cluster_knows_it(stack: str) -> None:
    own = {"pods": "pods", "persistentvolumeclaims": "persistentvolumeclaims"}
    operators = quotas(document(stack), "kinds")
    for team, hard in quotas(document(stack)).items():
        for rule in rules(known(stack)):
            names = [name for name in rule["resources"] if "/" not in name and "create" in rule["verbs"]]
            keys = {own.get(kind, f"count/{kind}") for kind in _kinds(names, rule["api_groups"])}
            early = rule["api_groups"][0] in ("", "apps", "batch", "policy")
            assert keys <= set(hard if early else operators.get(team, {})), rule
            assert early or not keys & set(hard), "the cluster may not know it yet"


def _kinds(names: list[str], groups: list[str]) -> list[str]:
    return [".".join(filter(None, (name, *groups))) for name in names]


@pytest.mark.parametrize("stack", STACKS)
def test_what_makes_objects_of_an_operator_waits_until_they_are_counted(stack: str) -> None:
    declared = {node.name: node for node in graph(stack).resources if node.type.endswith(":ResourceQuota")}
    for name, node in declared.items():
        if name.endswith("-kinds-counted"):
            waited = str(node.inputs["metadata"]["annotations"]["pulumi.com/waitFor"])
            assert all(f".status.used['{key}']" in waited for key in node.inputs["spec"]["hard"])
            assert node.options.timeouts["create"] == "600s"


def test_volcano_may_make_a_group_for_each_pod_ended_or_not() -> None:
    hard, groups = quotas(document("onprem-h100-ib")), quotas(document("onprem-h100-ib"), "kinds")
    for team, numbers in groups.items():
        assert int(numbers["count/podgroups.scheduling.volcano.sh"]) > int(hard[team]["count/pods"])


@pytest.mark.parametrize("stack", STACKS)
def test_what_changes_leave_behind_is_counted(stack: str) -> None:
    """A Deployment keeps as many ReplicaSets as its `revisionHistoryLimit` says, and each change makes one."""
    for hard in quotas(document(stack)).values():
        assert {"count/replicasets.apps", "count/controllerrevisions.apps", "count/pods"} <= set(hard)


def test_a_cluster_over_all_of_which_a_team_runs_one_pod_a_gpu_has_room() -> None:
    hard = quotas(document("onprem-h100-roce"))["research"]
    assert hard["pods"] == str(64 + 20 * 11)
    assert hard["count/configmaps"] == hard["count/secrets"] == str(250 + 2 * 11)
    assert int(hard["count/services"]) > int(hard["pods"])


def test_claims_of_the_stack_are_beside_ten_tebibytes_a_node() -> None:
    one = document("eks-p5")
    hard = quotas(one)["research"]
    assert amount(hard["requests.storage"]) == amount(f"{3 * 4800 + 10 * 1024 * 11}Gi")
    assert hard["persistentvolumeclaims"] == str(3 + 100)


def test_a_cache_of_claims_has_one_for_each_pod() -> None:
    one = document("lab")
    one["storage"] = {"cache": {"kind": "storage-class", "name": "local", "provisioner": "topolvm.io", "size": "100Gi"}}
    known = facts(load(one))
    profile = load(one)
    assert profile.tenancy
    hard = counts(profile.tenancy.teams[0].limits, profile.tenancy.teams[0].name, known)
    assert int(hard["persistentvolumeclaims"]) == int(hard["pods"]) + 100
    assert amount(hard["requests.storage"]) >= int(hard["pods"]) * amount("100Gi")


def test_a_team_says_another_number() -> None:
    one = document("lab")
    limits = {"pods": 7, "storage": "5Ti", "loadBalancers": 2, "nodePorts": 1, "configMaps": 9}
    one["tenancy"]["teams"][0]["limits"] = limits
    hard = quotas(one)[one["tenancy"]["teams"][0]["name"]]
    assert (hard["pods"], hard["requests.storage"], hard["count/secrets"]) == ("7", "5Ti", "9")
    assert (hard["services.loadbalancers"], hard["services.nodeports"]) == ("2", "21")
