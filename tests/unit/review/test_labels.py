"""Labels that a cluster has shown to be due, or the source of what does it: each was once too low, or a false alarm."""

from collections.abc import Mapping
from typing import Any

import pytest

from bedplate.review.changes import Change, Resource, changes
from bedplate.review.danger import Danger
from bedplate.review.rules import judged
from tests.unit.review.test_findings import only

GPUS = {"template": {"spec": {"containers": [{"name": "server", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}
CALM = {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}
AUTO = {"upgradePolicy": {"autoUpgrade": True}}


WORLD, HOME = ({"egress": [{"to": [{"ipBlock": {"cidr": cidr}}]}]} for cidr in ("0.0.0.0/0", "10.0.0.0/8"))


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


RACKS, ROWS, HOSTS = ("example.com/rack",), ("example.com/row",), ("kubernetes.io/hostname",)


def beside_kueue(version: str, kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Danger:
    """What a change of Kueue's own objects does where the new plan has this release of it."""
    release = Resource(
        "urn:pulumi:s::p::R::kueue", "k:helm.sh/v3:Release", "kueue", {"chart": "kueue", "version": version}
    )
    ours = (
        Resource(f"urn:pulumi:s::p::{kind}::x", f"kubernetes:v1:{kind}", "x", {"spec": spec}) for spec in (old, new)
    )
    before, after = ([release, one] for one in ours)
    (change,) = changes(before, after)
    return judged(change).danger


def levels(*labels: str) -> dict[str, Any]:
    return {"levels": [{"nodeLabel": label} for label in labels]}


@pytest.mark.parametrize(
    ("kind", "old", "new", "mutable"),
    [
        ("ResourceFlavor", {"nodeLabels": {"a": "1"}}, {"nodeLabels": {"a": "2"}}, True),
        ("ResourceFlavor", {"tolerations": [{"key": "a"}]}, {"tolerations": [{"key": "b"}]}, True),
        ("ResourceFlavor", {"topologyName": "a"}, {"topologyName": "b"}, False),
        ("Topology", levels(*RACKS, *HOSTS), levels(*ROWS, *RACKS, *HOSTS), True),
        ("Topology", levels(*RACKS), levels(*RACKS, *HOSTS), False),
        ("Topology", levels(*RACKS, *HOSTS), levels(*RACKS), False),
    ],
)
def test_what_kueue_lets_change_in_place_is_its_releases_to_say(
    kind: str, old: Mapping[str, Any], new: Mapping[str, Any], *, mutable: bool
) -> None:
    """By the CRDs of v0.19.2 and of main at ff69552e, which is 0.20 (CHANGELOG-0.20.md)."""
    assert beside_kueue("0.19.7", kind, old, new) == Danger.REFUSED
    for version in ("0.20.0", "v0.20.3", "0.21.0", "1.0.0"):
        assert beside_kueue(version, kind, old, new) == (Danger.NOTHING if mutable else Danger.REFUSED)
    assert beside_kueue("", kind, old, new) == Danger.REFUSED, "nobody knows its release"


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
        (WORLD, None, Danger.RELOADS),
        ({"policyTypes": ["Ingress"]}, None, Danger.NOTHING),
        (None, WORLD, Danger.NOTHING),
        (None, {"policyTypes": ["Ingress"]}, Danger.RELOADS),
        (WORLD, HOME, Danger.RELOADS),
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


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": fields}


def labelled(**labels: str) -> dict[str, Any]:
    return {"metadata": {"labels": labels}}


ENFORCE = "pod-security.kubernetes.io/enforce"
TAKES_BACK = {"preemption": {"reclaimWithinCohort": "Any"}}


@pytest.mark.parametrize(
    ("kind", "old", "new", "danger"),
    [
        ("ClusterQueue", spec(cohortName="all"), spec(), Danger.LOSES_QUOTA),
        ("ClusterQueue", spec(cohortName="all"), spec(cohortName="few"), Danger.LOSES_QUOTA),
        ("ClusterQueue", spec(), spec(cohortName="all"), Danger.LOSES_QUOTA),
        ("ClusterQueue", spec(**TAKES_BACK), spec(cohortName="all", **TAKES_BACK), Danger.NOTHING),
        ("ClusterQueue", spec(), spec(namespaceSelector={"matchLabels": {"team": "a"}}), Danger.LOSES_QUOTA),
        (
            "ClusterQueue",
            spec(namespaceSelector={"matchLabels": {"a": "b"}}),
            spec(namespaceSelector={}),
            Danger.NOTHING,
        ),
        ("ClusterQueue", spec(), spec(stopPolicy="Hold"), Danger.LOSES_QUOTA),
        ("ClusterQueue", spec(stopPolicy="Hold"), spec(stopPolicy="HoldAndDrain"), Danger.LOSES_QUOTA),
        ("ClusterQueue", spec(stopPolicy="Hold"), spec(stopPolicy="None"), Danger.NOTHING),
        ("LocalQueue", spec(), spec(stopPolicy="Hold"), Danger.LOSES_QUOTA),
        ("ClusterQueue", spec(flavorFungibility={"whenCanBorrow": "Borrow"}), spec(), Danger.EVICTS_JOBS),
        ("ClusterQueue", spec(fairSharing={"weight": 1}), spec(fairSharing={"weight": 2}), Danger.EVICTS_JOBS),
        (
            "ClusterQueue",
            spec(),
            spec(admissionChecksStrategy={"admissionChecks": [{"name": "a"}]}),
            Danger.EVICTS_JOBS,
        ),
        ("ClusterQueue", spec(admissionChecksStrategy={"admissionChecks": [{"name": "a"}]}), spec(), Danger.NOTHING),
        ("Queue", spec(capability={"cpu": "8"}), spec(capability={"cpu": "4"}), Danger.LOSES_QUOTA),
        ("Queue", spec(), spec(capability={"cpu": "4"}), Danger.LOSES_QUOTA),
        ("Queue", spec(capability={"cpu": "4"}), spec(), Danger.NOTHING),
        ("Queue", spec(deserved={"cpu": "8"}), spec(deserved={"cpu": "9"}), Danger.NOTHING),
        ("Queue", spec(deserved={"cpu": "8"}), spec(), Danger.LOSES_QUOTA),
        ("Queue", spec(deserved={"cpu": "8"}), spec(deserved={"cpu": "many"}), Danger.UNKNOWN),
        ("Queue", spec(), spec(guarantee={"resource": {"cpu": "8"}}), Danger.LOSES_QUOTA),
        ("Queue", spec(parent="root"), spec(parent="a"), Danger.LOSES_QUOTA),
        ("Queue", spec(reclaimable=True), spec(reclaimable=False), Danger.EVICTS_JOBS),
        ("Queue", spec(weight=1), spec(weight=2), Danger.EVICTS_JOBS),
        ("ResourceQuota", spec(hard={"pods": "8"}), spec(hard={"pods": "4"}), Danger.LOSES_QUOTA),
        ("ResourceQuota", spec(hard={"pods": "8"}), spec(hard={}), Danger.NOTHING),
        ("ResourceQuota", spec(), spec(hard={"pods": "8"}), Danger.LOSES_QUOTA),
        ("ResourceQuota", None, spec(hard={"pods": "8"}), Danger.LOSES_QUOTA),
        ("ResourceQuota", spec(hard={"pods": "8"}), None, Danger.NOTHING),
        ("LimitRange", spec(), spec(limits=[{"max": {"cpu": "8"}}]), Danger.EVICTS_JOBS),
        ("LimitRange", spec(limits=[{"max": {"cpu": "8"}}]), spec(limits=[{"max": {"cpu": "9"}}]), Danger.NOTHING),
        ("LimitRange", spec(limits=[{"min": {"cpu": "1"}}]), spec(limits=[{"min": {"cpu": "2"}}]), Danger.EVICTS_JOBS),
        ("LimitRange", spec(limits=[{"min": {"cpu": "2"}}]), spec(limits=[{"min": {"cpu": "1"}}]), Danger.NOTHING),
        ("LimitRange", None, spec(limits=[{"default": {"cpu": "1"}}]), Danger.NOTHING),
        ("LimitRange", None, spec(limits=[{"max": {"cpu": "1"}}]), Danger.EVICTS_JOBS),
        ("PriorityClass", {"value": 1}, {"value": 2}, Danger.NOTHING),
        ("PriorityClass", {"value": 1}, None, Danger.EVICTS_JOBS),
        ("PersistentVolumeClaim", spec(), size("1Ti"), Danger.UNKNOWN),
        ("PersistentVolumeClaim", size("1Ti"), spec(), Danger.REFUSED),
    ],
)
def test_a_share_is_lost_by_whatever_takes_it_away(
    kind: str, old: dict[str, Any] | None, new: dict[str, Any] | None, danger: Danger
) -> None:
    assert judged(single(kind, old, new)).danger == danger


@pytest.mark.parametrize(
    ("old", "new", "danger"),
    [
        ("Retain", "Delete", Danger.LOSES_DATA),
        ("Delete", "Retain", Danger.NOTHING),
        ("Retain", None, Danger.LOSES_DATA),
    ],
)
def test_a_volume_that_is_no_longer_retained_loses_its_data(old: str, new: str | None, danger: Danger) -> None:
    before, after = (spec(persistentVolumeReclaimPolicy=one) if one else spec(capacity={}) for one in (old, new))
    assert judged(only("PersistentVolume", before, after)).danger == danger


@pytest.mark.parametrize(
    ("old", "new", "danger"),
    [
        ({ENFORCE: "privileged"}, {ENFORCE: "restricted"}, Danger.EVICTS_JOBS),
        ({ENFORCE: "restricted"}, {ENFORCE: "baseline"}, Danger.NOTHING),
        ({}, {ENFORCE: "baseline"}, Danger.EVICTS_JOBS),
        ({ENFORCE: "baseline"}, {}, Danger.NOTHING),
        ({}, {"kueue-managed": "true"}, Danger.EVICTS_JOBS),
        ({"kueue-managed": "true"}, {}, Danger.NOTHING),
        ({}, {"team": "a"}, Danger.UNKNOWN),
    ],
)
def test_labels_of_a_namespace_decide_what_may_run_in_it(
    old: dict[str, str], new: dict[str, str], danger: Danger
) -> None:
    assert judged(only("Namespace", labelled(**old), labelled(**new))).danger == danger


def rights(*verbs: str, subjects: list[dict[str, str]] | None = None) -> dict[str, Any]:
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": list(verbs)}]
    return {"rules": rules} if subjects is None else {"subjects": subjects}


A_ROLE = "eks.amazonaws.com/role-arn"


def annotated(key: str, value: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {key: value}}}


TEAM, CONTROLLER = ({"kind": kind, "name": "a"} for kind in ("Group", "ServiceAccount"))


@pytest.mark.parametrize(
    ("kind", "old", "new", "danger"),
    [
        ("Role", rights("get", "list"), rights("get"), Danger.EVICTS_JOBS),
        ("Role", rights("get", "list"), rights("list", "get"), Danger.NOTHING),
        ("Role", rights("get"), rights("*"), Danger.NOTHING),
        ("Role", rights("get"), None, Danger.EVICTS_JOBS),
        ("RoleBinding", rights(subjects=[TEAM, CONTROLLER]), rights(subjects=[CONTROLLER]), Danger.NOTHING),
        ("RoleBinding", rights(subjects=[TEAM, CONTROLLER]), rights(subjects=[TEAM]), Danger.EVICTS_JOBS),
        ("RoleBinding", rights(subjects=[CONTROLLER]), None, Danger.EVICTS_JOBS),
        ("ServiceAccount", {}, None, Danger.EVICTS_JOBS),
        (
            "ServiceAccount",
            {"automountServiceAccountToken": True},
            {"automountServiceAccountToken": False},
            Danger.EVICTS_JOBS,
        ),
        (
            "ServiceAccount",
            {"automountServiceAccountToken": False},
            {"automountServiceAccountToken": True},
            Danger.NOTHING,
        ),
        ("ServiceAccount", annotated(A_ROLE, "a"), annotated(A_ROLE, "b"), Danger.EVICTS_JOBS),
        ("SecurityContextConstraints", {"allowHostIPC": True}, {"allowHostIPC": False}, Danger.EVICTS_JOBS),
        ("SecurityContextConstraints", {"allowHostIPC": False}, {"allowHostIPC": True}, Danger.NOTHING),
    ],
)
def test_a_right_that_is_lost_stops_what_used_it(
    kind: str, old: dict[str, Any], new: dict[str, Any] | None, danger: Danger
) -> None:
    assert judged(single(kind, old, new)).danger == danger


def policy(*expressions: str, **more: Any) -> dict[str, Any]:
    return spec(validations=[{"expression": one, "message": f"not {one}"} for one in expressions], **more)


NARROW, WIDE = ([{"resources": names}] for names in (["jobs"], ["jobs", "pods"]))
DENY, WARN = ({"validationActions": [action]} for action in ("Deny", "Warn"))


@pytest.mark.parametrize(
    ("kind", "old", "new", "danger"),
    [
        ("Policy", policy("a"), policy("a", "b"), Danger.EVICTS_JOBS),
        ("Policy", policy("a", "b"), policy("b"), Danger.NOTHING),
        ("Policy", policy("a", failurePolicy="Ignore"), policy("a", failurePolicy="Fail"), Danger.EVICTS_JOBS),
        (
            "Policy",
            spec(matchConstraints={"resourceRules": NARROW}),
            spec(matchConstraints={"resourceRules": WIDE}),
            Danger.EVICTS_JOBS,
        ),
        (
            "Policy",
            spec(matchConstraints={"resourceRules": WIDE}),
            spec(matchConstraints={"resourceRules": NARROW}),
            Danger.NOTHING,
        ),
        ("Policy", spec(matchConditions=[{"name": "a", "expression": "a"}]), spec(), Danger.EVICTS_JOBS),
        ("Policy", spec(), spec(matchConditions=[{"name": "a", "expression": "a"}]), Danger.NOTHING),
        ("PolicyBinding", spec(**WARN), spec(**DENY), Danger.EVICTS_JOBS),
        ("PolicyBinding", spec(**DENY), spec(**WARN), Danger.NOTHING),
        ("PolicyBinding", None, spec(**DENY), Danger.EVICTS_JOBS),
        ("PolicyBinding", spec(**DENY), None, Danger.NOTHING),
    ],
)
def test_a_policy_of_admission_is_judged_by_what_it_newly_refuses(
    kind: str, old: dict[str, Any] | None, new: dict[str, Any] | None, danger: Danger
) -> None:
    assert judged(single(f"ValidatingAdmission{kind}", old, new)).danger == danger


def test_a_policy_that_only_allows_more_cuts_nothing_and_a_new_namespace_has_nobody_to_cut() -> None:
    more = {"egress": [*WORLD["egress"], *HOME["egress"]]}
    assert judged(single("NetworkPolicy", spec(**HOME), spec(**more))).danger == Danger.NOTHING
    closed = {"metadata": {"name": "closed", "namespace": "new"}, **spec(policyTypes=["Ingress"])}
    resources = [
        Resource(f"u::p::kubernetes:{kind}::x", f"kubernetes:v1:{kind}", "x", inputs)
        for kind, inputs in (("NetworkPolicy", closed), ("Namespace", {"metadata": {"name": "new"}}))
    ]
    assert [judged(one).danger for one in changes([], resources)] == [Danger.NOTHING, Danger.NOTHING]
    assert judged(changes([resources[1]], resources)[0]).danger == Danger.RELOADS


def test_of_several_fields_the_worst_decides_and_what_nobody_knows_is_named_beside_it() -> None:
    old = spec(queueingStrategy="StrictFIFO", stopPolicy="None")
    new = spec(queueingStrategy="BestEffortFIFO", stopPolicy="Hold", fresh=1)
    judgement = judged(only("ClusterQueue", old, new))
    assert judgement.danger == Danger.LOSES_QUOTA
    assert judgement.reason.endswith("nothing here knows what spec.fresh does: look at it yourself")
    mild = judged(only("ClusterQueue", spec(queueingStrategy="a"), spec(queueingStrategy="b", fresh=1)))
    assert mild.danger == Danger.UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "danger"),
    [
        ("waitForPodsReady: {timeout: 30m}", "waitForPodsReady: {timeout: 5m}", Danger.EVICTS_JOBS),
        ("integrations: {frameworks: [pod]}", "integrations: {frameworks: [pod, batch/job]}", Danger.EVICTS_JOBS),
        ("clientConnection: {qps: 1}", "clientConnection: {qps: 2}", Danger.ROLLS_PODS),
        ("clientConnection: {qps: 1}", "# a word\nclientConnection: {qps: 1}", Danger.ROLLS_PODS),
        ("clientConnection: {qps: 1}", "clientConnection: [", Danger.UNKNOWN),
        ("clientConnection: {qps: 1}", "clientConnection: {qps: 1}\nnew: true", Danger.UNKNOWN),
    ],
)
def test_kueues_configuration_is_read_as_the_object_that_it_is(old: str, new: str, danger: Danger) -> None:
    before, after = (chart("kueue", managerConfig={"controllerManagerConfigYaml": text}) for text in (old, new))
    assert judged(only("Release", before, after)).danger == danger


@pytest.mark.parametrize(
    ("name", "old", "new", "danger"),
    [
        ("kubeflow-trainer", {"jobset": {"install": True}}, {"jobset": {"install": False}}, Danger.EVICTS_JOBS),
        ("kubeflow-trainer", {"jobset": {"install": False}}, {"jobset": {"install": True}}, Danger.ROLLS_PODS),
        (
            "node-feature-discovery",
            {"master": {"extraLabelNs": ["a", "b"]}},
            {"master": {"extraLabelNs": ["b"]}},
            Danger.EVICTS_JOBS,
        ),
        (
            "node-feature-discovery",
            {"master": {"extraLabelNs": ["b"]}},
            {"master": {"extraLabelNs": ["a", "b"]}},
            Danger.ROLLS_PODS,
        ),
        ("gpu-operator", {"devicePlugin": {"enabled": True}}, {"devicePlugin": {"enabled": False}}, Danger.EVICTS_JOBS),
        (
            "volcano",
            {"custom": {"scheduler_config_override": "a"}},
            {"custom": {"scheduler_config_override": "b"}},
            Danger.EVICTS_JOBS,
        ),
        ("lws", {"enableCertManager": False}, {"enableCertManager": True}, Danger.ROLLS_PODS),
        ("lws", {}, {"strange": 1}, Danger.UNKNOWN),
        ("nobodys-chart", {}, {"strange": 1}, Danger.UNKNOWN),
    ],
)
def test_values_of_a_chart_are_judged_by_what_the_chart_makes_of_them(
    name: str, old: dict[str, Any], new: dict[str, Any], danger: Danger
) -> None:
    assert judged(only("Release", chart(name, **old), chart(name, **new))).danger == danger
