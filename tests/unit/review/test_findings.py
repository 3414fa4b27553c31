"""What changes of real profiles do to the cluster that runs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from bedplate.charts import names
from bedplate.review.changes import Change, Resource, changes
from bedplate.review.danger import BY_LABEL, Danger
from bedplate.review.findings import Finding, failing, findings
from bedplate.review.plans import Plan
from bedplate.review.reach import reach
from bedplate.review.rules import BY_CLOUD_KIND, BY_KIND, charts, judged
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.sections import Acknowledged
from tests.stack_files import STACKS, document, graph, graph_of

ROCE, IB, EKS = "onprem-h100-roce", "onprem-h100-ib", "eks-p5"


def plan(profile: dict[str, Any]) -> Plan:
    nodes = graph_of(profile).resources
    return Plan("test", tuple(Resource(n.urn, n.type, n.name, n.inputs, n.read) for n in nodes), profile)


@cache
def before(stack: str) -> Plan:
    return plan(document(stack))


def edited(stack: str, path: str, value: Any) -> dict[str, Any]:
    """The stack's profile with one value changed; None takes it away."""
    profile = document(stack)
    place: Any = profile
    *way, last = (int(word) if word.isdigit() else word for word in path.split("."))
    for word in way:
        place = place[word]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return profile


def found(stack: str, path: str, value: Any) -> list[Finding]:
    return findings(before(stack), plan(edited(stack, path, value)))


CASES = [
    (ROCE, "gpuOperator.version", "v26.3.3", "Release/gpu-operator", Danger.RELOADS),
    (ROCE, "gpuOperator.gdrcopy", False, "Release/gpu-operator", Danger.RELOADS),
    (ROCE, "monitoring.retention", "10d", "Release/monitoring", Danger.ROLLS_PODS),
    (ROCE, "pools.1.nodes", 16, "ClusterQueue/research-clusterqueue", Danger.NOTHING),
    (ROCE, "pools.1.nodes", 4, "ClusterQueue/research-clusterqueue", Danger.LOSES_QUOTA),
    (ROCE, "pools.1.nodes", 4, "ResourceQuota/research-quota", Danger.LOSES_QUOTA),
    (ROCE, "storage.volumes.0", None, "PersistentVolumeClaim/research/datasets", Danger.EVICTS_JOBS),
    (ROCE, "storage.volumes.0", None, "PersistentVolume/research/datasets", Danger.EVICTS_JOBS),
    (ROCE, "storage.volumes.3", None, "PersistentVolumeClaim/research/home", Danger.LOSES_DATA),
    (ROCE, "serving.servers.0.weights.directory", "another", "Deployment/serving/llama-70b", Danger.ROLLS_PODS),
    (ROCE, "serving.servers.0.maxReplicas", 3, "ScaledObject/serving/llama-70b-scaledobject", Danger.ROLLS_PODS),
    (ROCE, "serving.servers.0.maxReplicas", 5, "Deployment/serving/llama-70b", Danger.NOTHING),
    (ROCE, "fabric.ipam.blockSize", 16, "IPPool/rail-0-pool", Danger.RELOADS),
    (IB, "fabric.numVfs", 4, "SriovNetworkNodePolicy/rail-0", Danger.RELOADS),
    (IB, "fabric.numVfs", 4, "Queue/pretraining-queue", Danger.LOSES_QUOTA),
    (EKS, "pools.1.nodes", 1, "NodeGroup/p5", Danger.REPLACES_NODES),
    (EKS, "context", "another", "kubernetes/*", Danger.LOSES_DATA),
]


@pytest.mark.parametrize(("stack", "path", "value", "what", "danger"), CASES)
def test_an_edit_of_a_profile_is_labelled_by_what_it_does(
    stack: str, path: str, value: Any, what: str, danger: Danger
) -> None:
    kind, _, name = what.partition("/")
    of_it = {
        one.judgement.danger
        for one in found(stack, path, value)
        if one.change.resource.kind == kind and name in ("*", one.change.resource.name)
    }
    assert of_it == {danger}


def test_a_team_that_leaves_loses_its_data_and_its_quota() -> None:
    worst = {one.title: one.judgement.danger for one in found(IB, "tenancy.teams.1", None)}
    assert worst["delete Namespace alignment"] == Danger.LOSES_DATA
    assert worst["delete Queue alignment-queue"] == Danger.LOSES_QUOTA


@pytest.mark.parametrize("stack", STACKS)
def test_a_plan_does_not_differ_from_itself(stack: str) -> None:
    assert findings(before(stack), plan(document(stack))) == []


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_of_a_stack_is_unknown_when_it_is_made_changed_or_taken_away(stack: str) -> None:
    empty = Plan("empty", ())
    for one in (findings(empty, before(stack)), findings(before(stack), empty)):
        assert [f.title for f in one if f.judgement.danger == Danger.UNKNOWN] == []
    for node in graph(stack).resources:
        kind = node.kind.removesuffix("Patch")
        known = kind in BY_KIND or kind in BY_CLOUD_KIND or kind == "Release"
        assert known or node.read or node.type.startswith(("bedplate:", "pulumi:pulumi:")), node.type


@pytest.mark.parametrize("stack", STACKS)
def test_what_is_new_disturbs_nothing_that_runs(stack: str) -> None:
    loud = {
        one.change.resource.name if one.change.resource.kind == "Release" else one.change.resource.kind
        for one in findings(Plan("empty", ()), before(stack))
        if one.judgement.danger > Danger.ROLLS_PODS
    }
    # A policy cuts what no other allows, virtual functions need empty nodes, servers take GPUs, Kueue suspends jobs,
    # and a policy of admission that is bound refuses from then on.
    servers = {"Deployment", "HorizontalPodAutoscaler", "Job", "JobSet", "LeaderWorkerSet", "MPIJob", "ScaledObject"}
    assert loud <= {"NetworkPolicy", "SriovNetworkNodePolicy", "ValidatingAdmissionPolicyBinding", "kueue", *servers}


def test_the_dangerous_come_first() -> None:
    dangers = [one.judgement.danger for one in found(IB, "fabric.numVfs", 4)]
    assert dangers == sorted(dangers, reverse=True)


def test_an_acknowledged_change_passes_and_a_worse_one_does_not() -> None:
    wanted = {"change": "Release/gpu-operator", "danger": "reloads-drivers-or-network", "reason": "window on Sunday"}
    new = edited(ROCE, "gpuOperator.version", "v26.3.3") | {"acknowledged": [wanted]}
    assert failing(findings(before(ROCE), plan(new)), Danger.RELOADS) == []

    mild = edited(ROCE, "gpuOperator.version", "v26.3.3") | {"acknowledged": [wanted | {"danger": "rolls-pods"}]}
    (left,) = failing(findings(before(ROCE), plan(mild)), Danger.RELOADS)
    assert left.title == "update Release gpu-operator"


def test_the_profile_takes_every_danger_there_is_but_none() -> None:
    options = Acknowledged.model_json_schema()["properties"]["danger"]["enum"]
    assert set(options) == BY_LABEL.keys() - {"nothing"}


def test_whom_it_can_reach_is_counted_from_the_pools() -> None:
    known = facts(load(document(ROCE)))
    assert reach(found(ROCE, "gpuOperator.version", "v26.3.3"), known) == "up to 64 GPUs on 8 nodes of h100"
    assert reach(found(ROCE, "monitoring.retention", "10d"), known) == ""


def resource(kind: str, inputs: Mapping[str, Any], type_: str = "kubernetes:v1") -> Resource:
    return Resource(f"urn:pulumi:s::p::{type_}:{kind}::x", f"{type_}:{kind}", "x", inputs)


def only(kind: str, old: Mapping[str, Any], new: Mapping[str, Any], type_: str = "kubernetes:v1") -> Change:
    (change,) = changes([resource(kind, old, type_)], [resource(kind, new, type_)])
    return change


@pytest.mark.parametrize(
    ("kind", "path", "what"),
    [
        ("Deployment", "selector", "replace"),
        ("Deployment", "template", "update"),
        ("StorageClass", "parameters", "update"),
        ("PersistentVolumeClaim", "storageClassName", "replace"),
        ("PersistentVolumeClaim", "resources", "update"),
        ("Job", "template", "replace"),
    ],
)
def test_what_the_provider_cannot_change_in_place_is_a_replacement(kind: str, path: str, what: str) -> None:
    assert only(kind, {"spec": {path: "a"}}, {"spec": {path: "b"}}).what == what


def test_a_renamed_object_is_replaced() -> None:
    assert only("Namespace", {"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}).what == "replace"


def test_an_item_of_a_list_goes_by_its_name() -> None:
    env = [{"name": "A", "value": 1}, {"name": "B", "value": 2}]
    change = only("Deployment", {"env": env}, {"env": [{"name": "Z", "value": 0}, *env]})
    assert [field.path for field in change.fields] == ["env[Z].name", "env[Z].value"]


def test_stacks_of_two_names_are_compared_by_what_they_declare() -> None:
    one = Resource("urn:pulumi:a::p::t::x", "kubernetes:v1:ConfigMap", "x", {"data": 1})
    two = Resource("urn:pulumi:b::p::t::x", "kubernetes:v1:ConfigMap", "x", {"data": 1})
    assert changes([one], [two]) == []


SECURITY = "pod-security.kubernetes.io"


def quota(**limits: str) -> dict[str, Any]:
    """A ClusterQueue with one resource of one flavor."""
    resources = [{"name": "nvidia.com/gpu", **limits}]
    return {"spec": {"resourceGroups": [{"flavors": [{"name": "h100", "resources": resources}]}]}}


def labels(**labels: str) -> dict[str, Any]:
    return {"metadata": {"labels": labels}}


def test_a_kind_that_nobody_knows_is_never_taken_for_harmless() -> None:
    assert judged(only("Mystery", {"spec": 1}, {"spec": 2})).danger == Danger.UNKNOWN


@pytest.mark.parametrize(
    ("kind", "old", "new", "danger"),
    [
        ("ClusterQueue", quota(nominalQuota="8"), quota(nominalQuota="9"), Danger.NOTHING),
        ("ClusterQueue", quota(nominalQuota="1Gi"), quota(nominalQuota="1000Mi"), Danger.LOSES_QUOTA),
        ("ClusterQueue", quota(), quota(borrowingLimit="4"), Danger.LOSES_QUOTA),
        ("ClusterQueue", quota(borrowingLimit="4"), quota(), Danger.NOTHING),
        ("ClusterQueue", {"spec": {"preemption": "Any"}}, {"spec": {"preemption": "Never"}}, Danger.EVICTS_JOBS),
        ("NicClusterPolicy", {"spec": {"ofedDriver": 1}}, {"spec": {"ofedDriver": 2}}, Danger.RELOADS),
        (
            "NicClusterPolicy",
            {"spec": {"nvIpam": {"version": "1"}}},
            {"spec": {"nvIpam": {"version": "2"}}},
            Danger.ROLLS_PODS,
        ),
        ("Service", {"spec": {"selector": 1}}, {"spec": {"selector": 2}}, Danger.RELOADS),
        ("Deployment", {"spec": {"replicas": 3}}, {"spec": {"replicas": 2}}, Danger.ROLLS_PODS),
        ("Deployment", {"spec": {"replicas": 2}}, {"spec": {"replicas": 3}}, Danger.NOTHING),
        (
            "NodeFeatureRule",
            {"spec": {"rules": [{"name": "h100", "labels": {"nvidia.com/mig.config": "a"}}]}},
            {"spec": {"rules": [{"name": "h100", "labels": {"nvidia.com/mig.config": "b"}}]}},
            Danger.EVICTS_JOBS,
        ),
        ("Namespace", labels(**{f"{SECURITY}/warn": "baseline"}), labels(**{f"{SECURITY}/warn": "x"}), Danger.NOTHING),
        (
            "Deployment",
            {"metadata": {"annotations": {"bedplate/guards": "a"}}},
            {"metadata": {"annotations": {"bedplate/guards": "b"}}},
            Danger.NOTHING,
        ),
    ],
)
def test_a_change_of_one_field_is_judged_by_what_it_means(
    kind: str, old: Mapping[str, Any], new: Mapping[str, Any], danger: Danger
) -> None:
    assert judged(only(kind, old, new)).danger == danger


@pytest.mark.parametrize(
    ("kind", "old", "new", "danger"),
    [
        ("NodeGroup", {"tags": 1}, {"tags": 2}, Danger.NOTHING),
        ("NodeGroup", {"launchTemplate": {"version": 1}}, {"launchTemplate": {"version": 2}}, Danger.REPLACES_NODES),
        ("NodeGroup", {"scalingConfig": {"maxSize": 4}}, {"scalingConfig": {"maxSize": 8}}, Danger.NOTHING),
        ("NodeGroup", {"capacityType": "ON_DEMAND"}, {"capacityType": "SPOT"}, Danger.REPLACES_NODES),
        ("PlacementGroup", {"strategy": "cluster"}, {"strategy": "spread"}, Danger.REPLACES_NODES),
        ("SecurityGroup", {"ingress": 1}, {"ingress": 2}, Danger.RELOADS),
    ],
)
def test_machines_of_a_cloud_are_replaced_by_what_they_start_from(
    kind: str, old: Mapping[str, Any], new: Mapping[str, Any], danger: Danger
) -> None:
    assert judged(only(kind, old, new, "aws:x/y")).danger == danger


def test_a_rule_of_a_release_is_of_a_chart_that_there_is() -> None:
    assert set(names(charts.FILE)) <= {chart.name for chart in installable(Profile).values()}


@pytest.mark.parametrize("level", [danger for danger in Danger if danger > Danger.NOTHING])
def test_what_nobody_knows_fails_at_every_level_until_somebody_says_yes(level: Danger) -> None:
    strange = only("Mystery", {"spec": 1}, {"spec": 2})
    unknown = Finding(strange, judged(strange))
    assert failing([unknown], level) == [unknown]
    assert failing([replace(unknown, acknowledged="it is ours")], level) == []


def test_two_items_of_one_name_are_both_seen() -> None:
    team, account = ({"kind": kind, "name": "a"} for kind in ("Group", "ServiceAccount"))
    change = only("RoleBinding", {"subjects": [team, account]}, {"subjects": [account]})
    assert [field.path for field in change.fields] == [
        "subjects[0].kind",
        "subjects[0].name",
        "subjects[1].kind",
        "subjects[1].name",
        "subjects[a].kind",
        "subjects[a].name",
    ]


def test_another_order_of_named_items_is_a_change() -> None:
    flavors = [{"name": name, "resources": []} for name in ("reserved", "spot")]
    old, new = ({"spec": {"resourceGroups": [{"flavors": one}]}} for one in (flavors, flavors[::-1]))
    change = only("ClusterQueue", old, new)
    assert [(field.path, field.new) for field in change.fields] == [
        ("spec.resourceGroups[0].flavors", ["spot", "reserved"])
    ]
    assert judged(change).danger == Danger.NOTHING
    containers = [{"name": name} for name in "ab"]
    old, new = ({"spec": {"template": {"spec": {"initContainers": one}}}} for one in (containers, containers[::-1]))
    assert judged(only("Deployment", old, new)).danger == Danger.ROLLS_PODS
    more = {"spec": {"resourceGroups": [{"flavors": [{"name": "new", "resources": []}, *flavors]}]}}
    assert "spec.resourceGroups[0].flavors" not in [one.path for one in only("ClusterQueue", new, more).fields]
    ports = [{"name": name, "port": 1} for name in "ab"]
    old, new = ({"spec": {"ports": one}} for one in (ports, ports[::-1]))
    assert judged(only("Service", old, new)).danger == Danger.RELOADS
    old, new = ({"strange": one} for one in (ports, ports[::-1]))
    assert judged(only("Service", old, new)).danger == Danger.UNKNOWN
