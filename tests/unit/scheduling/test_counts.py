"""What no queue counts has a bound that follows from the cluster, and lets its own jobs, servers and claims through."""

from typing import Any

import pytest

from bedplate.components.quantity import amount
from bedplate.components.tenancy.access import rules
from bedplate.components.tenancy.counts import counts
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import STACKS, document, graph_of, known

COUNTED = (
    *("pods", "count/configmaps", "count/secrets", "count/jobs.batch", "count/cronjobs.batch", "count/services"),
    *("services.loadbalancers", "services.nodeports", "persistentvolumeclaims", "requests.storage"),
)


def quotas(one: dict[str, Any]) -> dict[str, dict[str, str]]:
    found = [node.inputs for node in graph_of(one).resources if node.type.endswith(":ResourceQuota")]
    found = [inputs for inputs in found if inputs["metadata"]["name"] == "team"]
    return {inputs["metadata"]["namespace"]: inputs["spec"]["hard"] for inputs in found}


@pytest.mark.parametrize("stack", STACKS)
def test_every_quota_counts_what_fills_etcd_nodes_and_bills(stack: str) -> None:
    for hard in quotas(document(stack)).values():
        assert set(COUNTED) <= set(hard)
        assert hard["services.loadbalancers"] == hard["services.nodeports"] == "0"


@pytest.mark.parametrize("stack", STACKS)
def test_every_kind_of_kubernetes_own_that_members_may_make_is_counted(stack: str) -> None:
    own = {"pods": "pods", "persistentvolumeclaims": "persistentvolumeclaims"}
    for hard in quotas(document(stack)).values():
        for rule in rules(known(stack)):
            names = [name for name in rule["resources"] if "/" not in name and "create" in rule["verbs"]]
            kinds = {".".join(filter(None, (name, *rule["api_groups"]))) for name in names}
            if rule["api_groups"][0] not in ("", "apps", "batch", "policy"):
                assert not any(f"count/{kind}" in hard for kind in kinds), "the cluster may not know it yet"
                continue
            assert {own.get(kind, f"count/{kind}") for kind in kinds} <= set(hard)


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
