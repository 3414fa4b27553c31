"""What a team gets: a namespace with the right labels, limits that admit what was lent, roles, and closed borders."""

from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.facts.queues import added
from bedplate.components.tenancy.access import WRITE, rules
from bedplate.components.tenancy.isolation import policies
from bedplate.components.tenancy.limits import most
from bedplate.components.tenancy.teams import namespace_labels, pod_security
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import document, graph_of


def cluster(**changes: Any) -> Profile:
    changed = document("lab") | changes
    return load({key: value for key, value in changed.items() if value is not None})


def objects(graph: Graph, kind: str) -> dict[str, dict[str, Any]]:
    return {node.name: dict(node.inputs) for node in graph.resources if node.type.endswith(f":{kind}")}


CACHE = {"cache": {"kind": "host-path", "hostPath": "/raid"}}


@pytest.mark.parametrize(
    ("rdma", "storage", "level"),
    [(True, None, "privileged"), (False, None, "baseline"), (False, CACHE, "privileged")],
    ids=["locks memory", "neither", "mounts the nodes' folder"],
)
def test_a_team_has_the_strictest_level_that_admits_its_pods(*, rdma: bool, storage: Any, level: str) -> None:
    profile = cluster(storage=storage)
    assert profile.tenancy
    team = profile.tenancy.teams[0].model_copy(update={"rdma": rdma})
    assert pod_security(team, facts(profile)) == level


@pytest.mark.parametrize(("kind", "labels"), [("kueue", {"kueue-managed": "true"}), ("volcano", {})])
def test_only_kueue_marks_the_namespaces_that_it_manages(kind: str, labels: dict[str, str]) -> None:
    profile = cluster(scheduling={"kind": kind})
    assert profile.tenancy
    assert namespace_labels(Args(profile.tenancy, facts(profile))) == labels


def test_a_quota_counts_requests_and_does_not_refuse_what_the_scheduler_lends() -> None:
    known = facts(cluster())
    everything = added(known.capacity.values())
    borrower, other = known.teams
    assert most(borrower, everything, known)["requests.nvidia.com/gpu"] == "16"
    assert most(other, everything, known)["requests.nvidia.com/gpu"] == "8"
    assert all(key.startswith("requests.") for key in most(borrower, everything, known))


def test_without_a_scheduler_the_quota_is_the_teams_part() -> None:
    known = facts(cluster(scheduling=None))
    team = known.teams[0]
    assert most(team, added(known.capacity.values()), known)["requests.nvidia.com/gpu"] == "8"


def test_members_may_submit_what_has_a_controller_and_nothing_cluster_wide() -> None:
    given = rules(facts(cluster(training={"jobset": {}, "mpiOperator": {}})))
    groups = {(group, kind) for rule in given for group in rule["api_groups"] for kind in rule["resources"]}
    assert ("jobset.x-k8s.io", "jobsets") in groups
    assert ("kubeflow.org", "mpijobs") in groups
    assert "ray.io" not in {group for group, _ in groups}
    assert [rule["verbs"] for rule in given if "k8s.cni.cncf.io" in rule["api_groups"]] == [["get", "list", "watch"]]
    assert "*" not in {verb for rule in given for verb in rule["verbs"]}
    assert not {"clusterqueues", "queues", "nodes", "namespaces"} & {kind for _, kind in groups}
    secrets = [rule["verbs"] for rule in given if "secrets" in rule["resources"]]
    assert [verbs[:3] for verbs in secrets] == [["get", "list", "watch"]]  # as the role `edit` of Kubernetes has it


@pytest.mark.parametrize("training", [{"trainer": {}}, {"trainer": {}, "jobset": {}}])
def test_members_may_submit_the_jobsets_that_the_trainer_brings(training: dict[str, Any]) -> None:
    given = rules(facts(cluster(training=training)))
    assert [rule["verbs"] for rule in given if "jobsets" in rule["resources"]] == [list(WRITE)]


def test_roles_are_bound_to_the_teams_group_in_its_own_namespace() -> None:
    one = document("lab")
    one["tenancy"]["teams"][0]["group"] = "oidc:research"
    graph = graph_of(one)
    binding = objects(graph, "RoleBinding")["research-members"]
    assert binding["metadata"]["namespace"] == "research"
    assert [subject["name"] for subject in binding["subjects"]] == ["oidc:research"]
    assert objects(graph, "ClusterRoleBinding") == {}


def test_a_namespace_is_closed_but_for_its_own_pods_names_and_who_must_call() -> None:
    one = document("lab")
    one["clusterNetwork"] = {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12", "nodeCidrs": ["10.0.0.0/24"]}
    one["training"] = {"kuberay": {}}
    one["tenancy"]["teams"][0] |= {"egress": ["0.0.0.0/0"], "ingressFrom": ["gateway"]}
    profile = load(one)
    assert profile.tenancy
    made = dict(policies(profile.tenancy.teams[0], facts(profile)))
    assert made["deny-by-default"] == {"policy_types": ["Ingress", "Egress"]}
    assert made["within-team"]["ingress"] == [{"from_": [{"pod_selector": {}}]}]
    assert {port["port"] for port in made["names"]["egress"][0]["ports"]} == {53}
    callers = [peer["namespace_selector"]["match_labels"] for peer in made["callers"]["ingress"][0]["from_"]]
    assert [labels["kubernetes.io/metadata.name"] for labels in callers] == ["kuberay-operator", "gateway"]
    outside = made["outside"]["egress"][0]["to"][0]["ip_block"]
    own = ["10.244.0.0/16", "10.96.0.0/12", "10.0.0.0/24"]
    assert outside == {"cidr": "0.0.0.0/0", "except_": [*own, "169.254.0.0/16", "168.63.129.16/32"]}


def test_registry_credentials_are_a_secret_of_the_site_and_reach_every_pod() -> None:
    one = document("lab")
    one["tenancy"]["teams"][0]["imagePullSecret"] = True
    graph = graph_of(one)
    assert "bedplate:registryCredentials" in graph.missing_secrets
    [secret] = objects(graph, "Secret").values()
    assert "stringData" in secret
    assert "[secret]" in str(secret["stringData"])
    account = objects(graph, "ServiceAccountPatch")["research-pull-secret"]
    assert account["imagePullSecrets"] == [{"name": "registry"}]


def test_priorities_are_apart_and_only_serving_is_never_preempted_by_kai() -> None:
    classes = objects(graph_of(document("lab")), "PriorityClass")
    assert {name: one["value"] for name, one in classes.items()} == {
        "inference": 125,
        "training": 50,
        "best-effort": 25,
    }
    assert {one["preemptionPolicy"] for one in classes.values()} == {"Never"}, "Kueue alone preempts"
    assert not any(one.get("globalDefault") for one in classes.values())


def test_a_class_that_changes_is_made_anew_because_the_api_server_refuses_another_preemption_or_value() -> None:
    graph = graph_of(document("lab"))
    options = {node.name: node.options for node in graph.resources if node.type.endswith(":PriorityClass")}
    assert set(options) == {"inference", "training", "best-effort"}
    for name, stated in options.items():
        assert set(stated.replace_on_changes) == {"preemptionPolicy", "value"}, name
        assert stated.delete_before_replace, f"{name}: two of a name cannot be"


def test_a_container_that_states_no_limit_may_ask_for_more_than_the_default() -> None:
    """A default limit of 1 CPU would refuse a pod that asks for 4 and states none."""
    alone = {key: value for key, value in document("lab").items() if key != "scheduling"}
    (spec,) = objects(graph_of(alone), "LimitRange")["research-defaults"]["spec"]["limits"]
    assert spec["defaultRequest"] == {"cpu": "1", "memory": "2Gi"}
    assert "default" not in spec
    assert "max" not in spec


def test_beside_kueue_nothing_is_counted_that_nobody_stated() -> None:
    """Kueue would take the default of a LimitRange before the limits that a container states."""
    assert objects(graph_of(document("lab")), "LimitRange") == {}


def test_without_kueue_the_clusters_own_scheduler_makes_room_for_the_urgent() -> None:
    alone = {key: value for key, value in document("lab").items() if key != "scheduling"}
    classes = objects(graph_of(alone), "PriorityClass")
    assert [classes[name]["preemptionPolicy"] for name in ("inference", "best-effort")] == [
        "PreemptLowerPriority",
        "Never",
    ]


@pytest.mark.parametrize(
    ("nodes", "shares", "parts"),
    [
        (4, {"atlas": 1, "cms": 1}, [16, 16]),
        (4, {"atlas": 1, "cms": 3}, [8, 24]),
        (2, {"atlas": 2, "cms": 1}, [8, 8]),
        (2, {"atlas": 1, "cms": 2}, [5, 11]),
        (3, {"atlas": 1, "cms": 9}, [2, 22]),
    ],
    ids=["half", "whole nodes", "a node each", "less than a node is no nothing", "a tenth"],
)
def test_a_share_is_a_part_of_every_pool_in_whole_nodes_where_each_has_one(
    nodes: int, shares: dict[str, int], parts: list[int]
) -> None:
    machine = {"name": "gpus", "shape": {"gpu": "L40S", "gpus": 8, "cpus": 64, "memoryGib": 512}, "nodes": nodes}
    system = {"name": "system", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 2}
    teams = [{"name": name, "share": share} for name, share in shares.items()]
    profile = cluster(pools=[system, machine], tenancy={"teams": teams}, fabric={"kind": "none"}, training=None)
    assert [team.nominal["gpus"]["nvidia.com/gpu"] for team in facts(profile).teams] == parts
