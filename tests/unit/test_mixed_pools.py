"""Two pools of different machines in one fabric: every number is the pool's own, wherever it is used."""

from typing import Any

import pytest

from bedplate.components.facts import Facts, NodePool
from bedplate.components.observability.alerts.fabric import fabric as fabric_alerts
from bedplate.components.verification.nccl import VerificationSection, gate
from bedplate.lab.nodes import nodes
from bedplate.policies.facts import Facts as PolicyFacts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.charts import from_manifest
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.cloud_profiles import SYSTEM
from tests.promql import selectors
from tests.training_jobs import all_templates, container, job, rendered

EFA = "vpc.amazonaws.com/efa"
INFINIBAND = "rdma/ib"
COMMON: dict[str, Any] = {
    "name": "mixed",
    "kubernetesVersion": "1.34",
    "context": "mixed",
    "scheduling": {"kind": "kueue"},
    "training": {"jobset": {}},
    "tenancy": {"teams": [{"name": "research"}]},
    "nfd": {},
    "existingDevicePlugin": True,
}
EKS = COMMON | {
    "platform": "eks",
    "nodeOs": "al2023-nvidia",
    "driverOwner": "image",
    "pools": [
        {"name": "p5", "shape": "p5.48xlarge", "nodes": 4},
        {"name": "p4d", "shape": "p4d.24xlarge", "nodes": 4},
        {"name": "cpu", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 2},
    ],
    "fabric": {"kind": "efa"},
    "efaDevicePlugin": {},
}
AKS = COMMON | {
    "platform": "aks",
    "nodeOs": "ubuntu",
    "driverOwner": "cloud",
    "pools": [
        {"name": "h100", "shape": "ND96isr_H100_v5", "nodes": 4},
        {"name": "a100", "shape": "ND96asr_v4", "nodes": 4},
        SYSTEM,
    ],
    "fabric": {"kind": "infiniband", "exposure": "exclusive"},
    "networkOperator": {},
}
EACH = [
    pytest.param(EKS, "p5", EFA, 32, id="p5"),
    pytest.param(EKS, "p4d", EFA, 4, id="p4d"),
    pytest.param(AKS, "h100", INFINIBAND, 8, id="h100"),
    pytest.param(AKS, "a100", INFINIBAND, 8, id="a100"),
]


def cluster(document: dict[str, Any]) -> tuple[Profile, Facts]:
    profile = load(document)
    return profile, facts(profile)


def job_on(pool: str, known: Facts, **more: Any) -> list[dict[str, Any]]:
    return rendered(job("JobSet", pool=pool, **more), known)


@pytest.mark.parametrize(("document", "pool", "resource", "count"), EACH)
def test_a_simulated_node_advertises_its_own_interfaces(
    document: dict[str, Any], pool: str, resource: str, count: int
) -> None:
    made = {node["metadata"]["name"]: node["status"]["allocatable"] for node in nodes(load(document))}
    assert made[f"{pool}-0"][resource] == str(count)


@pytest.mark.parametrize(("document", "pool", "resource", "count"), EACH)
def test_a_job_asks_for_the_interfaces_of_its_pool(
    document: dict[str, Any], pool: str, resource: str, count: int
) -> None:
    known = cluster(document)[1]
    for gpus in (8, 4, 2):
        (template,) = all_templates(job_on(pool, known, gpusPerNode=gpus))
        assert container(template)["resources"]["limits"][resource] == str(count * gpus // 8)


@pytest.mark.parametrize(("document", "pool", "resource", "count"), EACH)
def test_quota_counts_the_interfaces_that_the_pool_has(
    document: dict[str, Any], pool: str, resource: str, count: int
) -> None:
    known = cluster(document)[1]
    assert known.capacity[pool][resource] == count * 4
    assert known.team("research").nominal[pool][resource] == count * 4


@pytest.mark.parametrize(("document", "pool", "resource", "count"), EACH)
def test_no_rule_complains_about_a_job_on_either_pool(
    document: dict[str, Any], pool: str, resource: str, count: int
) -> None:
    profile, known = cluster(document)
    told = PolicyFacts.from_mapping(policy_facts(profile))
    checkpoint = {"claim": "state", "size": "1Ti", "storageClass": "shared"}
    made = [from_manifest(one, "job.yaml") for one in job_on(pool, known, checkpoint=checkpoint)]
    assert [verdict.message for verdict in judge(made, told, complete=False)] == []


def test_the_rules_are_told_the_interfaces_of_each_pool() -> None:
    told = policy_facts(load(EKS))
    assert {pool["name"]: pool.get("efaPerNode") for pool in told["pools"]} == {"p5": 32, "p4d": 4, "cpu": None}
    assert list(told["rdmaResources"]) == [EFA]


def floor(pool: NodePool, known: Facts) -> float:
    return gate(VerificationSection(team="research", image="example.com/pytorch:1", pool=pool.name), known)


def test_a_pool_is_verified_against_the_floor_of_its_own_machines() -> None:
    eks, aks = cluster(EKS)[1], cluster(AKS)[1]
    assert [floor(pool, eks) for pool in eks.gpu_pools] == [270, 0]
    assert [floor(pool, aks) for pool in aks.gpu_pools] == [99, 180]


def test_a_port_at_the_rate_of_its_own_machine_is_not_called_slow() -> None:
    (group,) = fabric_alerts(cluster(AKS)[1])
    (slow,) = [alert for alert in group.alerts if alert.name == "RdmaLinkSlow"]
    below, _, sound = slow.expr.partition(" unless ")
    rate = below.removesuffix(f" < {400 * 10**9 // 8}")
    assert sound == f"({rate} == {200 * 10**9 // 8})"
    assert len(selectors(slow.expr)) == 2


def test_no_port_is_called_slow_where_the_rate_of_some_pool_is_unknown() -> None:
    shape = {"gpu": "A100-80", "gpus": 8, "cpus": 96, "memoryGib": 900, "fabrics": ["infiniband"], "nics": 8}
    document = AKS | {"pools": [*AKS["pools"], {"name": "other", "shape": shape, "nodes": 1}]}
    (group,) = fabric_alerts(cluster(document)[1])
    assert "RdmaLinkSlow" not in {alert.name for alert in group.alerts}
