"""Labels that a cluster has shown to be due, or the source of what does it: each was once too low, or a false alarm."""

from collections.abc import Mapping
from typing import Any

import pytest

from review.changes import Change, Resource, changes
from review.danger import Danger
from review.rules import judged
from tests.unit.review.test_findings import only

GPUS = {"template": {"spec": {"containers": [{"name": "server", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}
CALM = {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}
AUTO = {"upgradePolicy": {"autoUpgrade": True}}


def single(
    kind: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, type_: str = "kubernetes:v1"
) -> Change:
    """One resource that comes or goes."""
    before, after = (
        [Resource(f"urn:pulumi:s::p::{type_}:{kind}::x", f"{type_}:{kind}", "x", inputs)] if inputs is not None else []
        for inputs in (old, new)
    )
    (change,) = changes(before, after)
    return change


def size(storage: str, **spec: str) -> dict[str, Any]:
    return {"spec": {**spec, "resources": {"requests": {"storage": storage}}}}


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("Topology", {"spec": {"levels": [{"nodeLabel": "a"}]}}, {"spec": {"levels": [{"nodeLabel": "b"}]}}),
        ("ResourceFlavor", {"spec": {"nodeLabels": {"a": "1"}}}, {"spec": {"nodeLabels": {"a": "2"}}}),
        ("ResourceFlavor", {"spec": {"topologyName": "a"}}, {"spec": {"topologyName": "b"}}),
        ("LocalQueue", {"spec": {"clusterQueue": "a"}}, {"spec": {"clusterQueue": "b"}}),
        ("AdmissionCheck", {"spec": {"controllerName": "a"}}, {"spec": {"controllerName": "b"}}),
        ("PersistentVolumeClaim", size("2Ti"), size("1000Gi")),
        ("PersistentVolumeClaim", size("1Ti", volumeName="v"), size("2Ti", volumeName="v")),
        ("StorageClass", {"reclaimPolicy": "Retain"}, {"reclaimPolicy": "Delete"}),
    ],
)
def test_what_the_api_server_does_not_take_is_said_to_be_refused(
    kind: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> None:
    assert judged(only(kind, old, new)).danger == Danger.REFUSED


def test_taints_of_a_flavor_may_change_and_its_labels_may_not() -> None:
    taints = only("ResourceFlavor", {"spec": {"nodeTaints": [{"key": "a"}]}}, {"spec": {"nodeTaints": [{"key": "b"}]}})
    assert judged(taints).danger == Danger.NOTHING


def test_whether_a_claim_grows_is_its_classs_to_say() -> None:
    judgement = judged(only("PersistentVolumeClaim", size("1Ti"), size("2Ti")))
    assert judgement.danger == Danger.UNKNOWN
    assert "allowVolumeExpansion" in judgement.reason


@pytest.mark.parametrize(
    ("old", "new", "danger"),
    [
        (None, {**GPUS, **CALM}, Danger.EVICTS_JOBS),
        (None, {"template": {"spec": {"nodeSelector": {"nvidia.com/gpu.product": "H100"}}}}, Danger.NOTHING),
        ({"replicas": 2, **GPUS}, {"replicas": 3, **GPUS}, Danger.EVICTS_JOBS),
        ({"replicas": 2}, {"replicas": 3}, Danger.NOTHING),
        (GPUS, {"replicas": 3, **GPUS}, Danger.EVICTS_JOBS),
        ({}, {"replicas": 3}, Danger.ROLLS_PODS),
        ({"replicas": 3, **GPUS}, GPUS, Danger.ROLLS_PODS),
        ({"replicas": 3, **GPUS}, {"replicas": 2, **GPUS}, Danger.ROLLS_PODS),
        (CALM, {**CALM, **GPUS}, Danger.ROLLS_PODS),
        ({}, GPUS, Danger.EVICTS_JOBS),
    ],
)
def test_a_server_that_takes_more_gpus_may_stop_jobs_and_one_that_takes_no_more_does_not(
    old: Mapping[str, Any] | None, new: Mapping[str, Any], danger: Danger
) -> None:
    change = single("Deployment", None if old is None else {"spec": old}, {"spec": new})
    assert judged(change).danger == danger


@pytest.mark.parametrize(
    ("old", "new", "danger"),
    [
        (None, {"minReplicas": 2, "maxReplicas": 4}, Danger.EVICTS_JOBS),
        (None, {"minReplicaCount": 1, "maxReplicaCount": 4}, Danger.NOTHING),
        ({"minReplicaCount": 1}, {"minReplicaCount": 2}, Danger.EVICTS_JOBS),
        ({"minReplicaCount": 2}, {"minReplicaCount": 1}, Danger.NOTHING),
        ({"maxReplicas": 4}, {"maxReplicas": 3}, Danger.ROLLS_PODS),
        ({"maxReplicas": 3}, {"maxReplicas": 4}, Danger.NOTHING),
        ({"maxReplicas": 3}, None, Danger.NOTHING),
    ],
)
def test_an_autoscaler_is_judged_by_its_bounds(
    old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, danger: Danger
) -> None:
    old, new = (one if one is None else {"spec": one} for one in (old, new))
    assert judged(single("HorizontalPodAutoscaler", old, new)).danger == danger


def test_what_deletes_a_teams_namespace_loses_its_data() -> None:
    leaving = {"namespace": "research", "timeout": 600}
    assert judged(single("Leaving", leaving, None, "pulumi-python:dynamic")).danger == Danger.LOSES_DATA
    later = single("Leaving", leaving, leaving | {"timeout": 900}, "pulumi-python:dynamic")
    assert judged(later).danger == Danger.NOTHING


@pytest.mark.parametrize(
    ("old", "new", "danger"),
    [
        ({"egress": [{"to": "world"}]}, None, Danger.RELOADS),
        ({"policyTypes": ["Ingress"]}, None, Danger.NOTHING),
        (None, {"egress": [{"to": "world"}]}, Danger.NOTHING),
        (None, {"policyTypes": ["Ingress"]}, Danger.RELOADS),
        ({"egress": [{"to": "world"}]}, {"egress": [{"to": "home"}]}, Danger.RELOADS),
    ],
)
def test_policies_add_up_so_one_that_allowed_traffic_cuts_it_when_it_goes(
    old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, danger: Danger
) -> None:
    old, new = (one if one is None else {"spec": one} for one in (old, new))
    assert judged(single("NetworkPolicy", old, new)).danger == danger


def chart(name: str, **values: Any) -> dict[str, Any]:
    return {"chart": name, "version": "1", "values": values}


@pytest.mark.parametrize(
    "values",
    [{"gdrcopy": {"enabled": True}}, {"gds": {"enabled": True}}, {"daemonsets": {"tolerations": [{"key": "a"}]}}],
)
def test_whatever_the_drivers_pods_are_made_from_reloads_the_driver(values: dict[str, Any]) -> None:
    change = only("Release", chart("gpu-operator", driver=AUTO), chart("gpu-operator", driver=AUTO, **values))
    assert judged(change).danger == Danger.RELOADS
    assert "node by node" in judged(change).reason


def test_a_driver_that_waits_for_somebody_says_so() -> None:
    judgement = judged(only("Release", chart("gpu-operator"), chart("gpu-operator", driver={"version": "2"})))
    assert judgement.danger == Danger.RELOADS
    assert "autoUpgrade is off" in judgement.reason


@pytest.mark.parametrize(
    ("policy", "danger"),
    [({"maxParallelUpgrades": 2}, Danger.ROLLS_PODS), ({"autoUpgrade": True}, Danger.RELOADS)],
)
def test_how_drivers_are_upgraded_reloads_none_but_that_it_begins(policy: dict[str, Any], danger: Danger) -> None:
    new = chart("gpu-operator", driver={"upgradePolicy": policy})
    assert judged(only("Release", chart("gpu-operator"), new)).danger == danger


def test_a_driver_of_somebody_elses_is_not_reloaded() -> None:
    off = {"enabled": False}
    change = only(
        "Release", chart("gpu-operator", driver=off), chart("gpu-operator", driver=off, gds={"enabled": True})
    )
    assert judged(change).danger == Danger.ROLLS_PODS


def test_tolerations_are_part_of_the_network_drivers_pods_where_there_is_one() -> None:
    old, new = ({"tolerations": [{"key": key}]} for key in "ab")
    assert judged(only("NicClusterPolicy", {"spec": old}, {"spec": new})).danger == Danger.ROLLS_PODS
    old, new = ({**spec, "ofedDriver": {"version": "1"}} for spec in (old, new))
    assert judged(only("NicClusterPolicy", {"spec": old}, {"spec": new})).danger == Danger.RELOADS


def test_kueue_holds_back_what_runs_when_it_comes() -> None:
    assert (
        judged(single("Release", None, chart("oci://registry.k8s.io/kueue/charts/kueue"))).danger == Danger.EVICTS_JOBS
    )
    assert judged(single("Release", None, chart("/mirror/kueue-0.19.2.tgz"))).danger == Danger.EVICTS_JOBS
    assert judged(single("Release", None, chart("jobset"))).danger == Danger.NOTHING


def test_what_only_measures_takes_no_job_with_it() -> None:
    assert judged(single("Release", chart("kube-prometheus-stack"), None)).danger == Danger.ROLLS_PODS
    assert judged(single("Release", chart("jobset"), None)).danger == Danger.EVICTS_JOBS


@pytest.mark.parametrize("kind", ["Job", "JobSet", "MPIJob"])
def test_a_proof_that_runs_takes_gpus_like_any_job(kind: str) -> None:
    assert judged(single(kind, None, {"spec": GPUS})).danger == Danger.EVICTS_JOBS
    assert judged(single(kind, None, {"spec": {"template": {}}})).danger == Danger.ROLLS_PODS
    assert judged(single(kind, {"spec": GPUS}, None)).danger == Danger.ROLLS_PODS


def test_a_dashboard_is_nobodys_settings() -> None:
    metadata = {"name": "x", "labels": {"grafana_dashboard": "1"}}
    assert judged(single("ConfigMap", {"metadata": metadata}, None)).danger == Danger.NOTHING
    assert judged(single("ConfigMap", {"metadata": {"name": "x"}}, None)).danger == Danger.ROLLS_PODS


def test_a_disruption_budget_changes_in_place() -> None:
    old, new = ({"spec": {"maxUnavailable": number}} for number in (1, 2))
    assert only("PodDisruptionBudget", old, new).what == "update"


def test_what_the_engine_is_told_to_leave_is_no_change() -> None:
    old, new = (
        [Resource("u::p::kubernetes:core/v1:PersistentVolume::x", "kubernetes:core/v1:PersistentVolume", "x", inputs)]
        for inputs in ({"spec": {"csi": {"volumeHandle": handle}}} for handle in "ab")
    )
    assert changes(old, new) == []
