"""Judging grows with what is judged, not with its square: counted in calls, which no busy machine changes."""

import sys
from collections.abc import Iterator
from typing import Any

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.resources.model import Resource
from tests.unit.policies import valid as v

FEW, MANY = 20, 120
GROWTH = 1.5


def team(number: int) -> Iterator[Any]:
    """One of every kind that other kinds are looked up by, under names of its own."""
    place, name = f"team-{number}", f"x-{number}"
    for doc in (v.pytorch_job(), v.deployment(), v.mpi_job()):
        yield {**doc, "metadata": {"name": name, "namespace": place, "labels": {"kueue.x-k8s.io/queue-name": name}}}
    yield v.manifest("v1", "Namespace", place)
    yield v.manifest("kueue.x-k8s.io/v1beta2", "LocalQueue", name, place, spec={"clusterQueue": name})
    yield v.manifest("kueue.x-k8s.io/v1beta2", "ClusterQueue", name, spec={"resourceGroups": []})
    yield v.manifest("v1", "PersistentVolumeClaim", name, place, spec={"accessModes": ["ReadWriteMany"]})
    yield v.manifest("policy/v1", "PodDisruptionBudget", name, place, spec={"maxUnavailable": 1})
    target = {"scaleTargetRef": {"kind": "Deployment", "name": name}, "maxReplicas": 4}
    yield v.manifest("autoscaling/v2", "HorizontalPodAutoscaler", name, place, spec=target)
    ports = {"resourceName": f"r{number}", "numVfs": 8, "nicSelector": {"pfNames": [f"e{number}"]}}
    yield v.manifest("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy", name, "x", spec=ports)


def resources(teams: int) -> list[Resource]:
    return [from_manifest(doc, str(number)) for number in range(teams) for doc in team(number)]


def calls(teams: int) -> float:
    """Python calls per resource."""
    found, count = resources(teams), 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        judge(found, Facts(), complete=False)
    finally:
        sys.setprofile(None)
    return count / len(found)


def test_the_cost_of_a_resource_does_not_grow_with_their_number() -> None:
    judge(resources(1), Facts(), complete=False)
    assert calls(MANY) / calls(FEW) <= GROWTH
