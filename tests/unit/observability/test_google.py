"""Google's managed Prometheus gets our monitors, alerts and scalers in its own kinds, or the profile is refused."""

from functools import cache
from typing import Any

import pytest
import yaml

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.groups import groups
from bedplate.components.observability.google import cluster_rules, monitors
from bedplate.components.observability.own_series import DROPPED
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.closure import closure
from tests.promql import metrics
from tests.stack_files import document as stack_document
from tests.stack_files import graph_of
from tests.tools.golden_objects import PROFILES

PROTECTED = {"project_id", "location", "cluster", "namespace", "job", "instance"}
"""Labels that neither a monitor nor a rule may set (prometheus-engine v0.17.2, pod_config.go and rules_config.go)."""
OPERATOR_GROUP = "monitoring.coreos.com"


def document(**changes: Any) -> dict[str, Any]:
    return yaml.safe_load((PROFILES / "gke-google-prometheus.yaml").read_text()) | changes


@cache
def here() -> Facts:
    return facts(load(document()))


@cache
def planned() -> Graph:
    return graph_of(document())


def refused(**changes: Any) -> str:
    with pytest.raises(ProfileError) as error:
        load(document(**changes))
    return str(error.value)


def test_it_comes_after_what_it_scrapes_and_before_what_scales_by_it() -> None:
    graph = planned()
    before = {one.name: {graph.by_urn[urn].name for urn in closure(graph, one.urn)} for one in graph.resources}
    assert {"gpu-operator", "volcano", "keda"} <= before["google-monitors"]
    assert "google-monitors" in before["serving"]


def test_nothing_is_made_or_asked_of_a_chart_that_a_prometheus_operator_would_have_to_read() -> None:
    assert not [node.name for node in planned().resources if OPERATOR_GROUP in str(node.inputs.get("apiVersion"))]
    releases = {node.name: node.inputs["values"] for node in planned().resources if node.type.endswith(":Release")}
    assert releases["gpu-operator"]["dcgmExporter"]["serviceMonitor"] == {"enabled": False}
    assert "prometheus" not in releases["keda"]
    assert not releases.keys() & {"monitoring", "prometheus-crds"}


def test_gpu_metrics_keep_the_namespace_and_pod_of_whoever_uses_the_gpu() -> None:
    (gpus,) = (one for one in monitors(here()) if one["kind"] == "ClusterPodMonitoring")
    assert gpus["spec"]["targetLabels"] == {"metadata": ["node"]}
    assert gpus["spec"]["selector"]["matchLabels"] == {"app": "nvidia-dcgm-exporter"}


def test_kueue_is_scraped_with_a_token_that_may_read_its_metrics_and_nothing_else() -> None:
    queued = graph_of(document(scheduling={"kind": "kueue"}, training={"jobset": {}}))
    (monitor,) = (node.inputs for node in queued.resources if node.name == "kueue-podmonitoring")
    (endpoint,) = monitor["spec"]["endpoints"]
    assert (endpoint["port"], endpoint["scheme"]) == ("metrics", "https")
    key = endpoint["authorization"]["credentials"]["secret"]
    made = {node.kind: node.inputs for node in queued.resources if node.name.startswith("kueue-metrics-google")}
    assert key == {"name": made["Secret"]["metadata"]["name"], "key": "token"}
    owner = made["Secret"]["metadata"]["annotations"]["kubernetes.io/service-account.name"]
    assert owner == made["ServiceAccount"]["metadata"]["name"]
    assert made["ClusterRoleBinding"]["roleRef"]["name"] == "kueue-metrics-reader"
    assert made["Role"]["rules"][0]["resourceNames"] == [key["name"]]
    (collector,) = made["RoleBinding"]["subjects"]
    assert (collector["namespace"], collector["name"]) == ("gmp-system", "collector")
    assert "kueue" in {group.name for group in groups(facts(load(document(scheduling={"kind": "kueue"}))))}


def test_a_server_is_scraped_at_its_pods_and_its_series_carry_what_scalers_and_alerts_ask_for() -> None:
    (server,) = (node.inputs for node in planned().resources if node.name == "serving/llama-70b-podmonitoring")
    assert server["spec"]["targetLabels"]["metadata"] == ["pod"]
    (mapped,) = server["spec"]["targetLabels"]["fromPod"]
    (deployment,) = (node.inputs for node in planned().resources if node.kind == "Deployment")
    template = deployment["spec"]["template"]
    assert template["metadata"]["labels"][mapped["from"]] == "llama-70b"
    assert mapped["to"] == "service"
    ports = [port["name"] for port in template["spec"]["containers"][0]["ports"]]
    assert server["spec"]["endpoints"][0]["port"] in ports
    assert server["spec"]["endpoints"][0]["metricRelabeling"] == [DROPPED]


def test_scalers_ask_the_projects_api_for_this_cluster_alone_and_sign_in() -> None:
    (scaled,) = (node.inputs for node in planned().resources if node.kind == "ScaledObject")
    (trigger,) = scaled["spec"]["triggers"]
    assert trigger["metadata"]["serverAddress"] == (
        "https://monitoring.googleapis.com/v1/projects/example-project/location/global/prometheus"
    )
    assert trigger["metadata"]["query"].count('cluster="inference",namespace="serving",service="llama-70b"') == 2
    (identity,) = (node.inputs for node in planned().resources if node.kind == "ClusterTriggerAuthentication")
    named = {"name": identity["metadata"]["name"], "kind": "ClusterTriggerAuthentication"}
    assert trigger["authenticationRef"] == named
    assert identity["spec"] == {"podIdentity": {"provider": "gcp"}}


def test_alerts_are_cluster_rules_of_fields_that_there_are_and_events_are_kept_by_the_question() -> None:
    found = {group.name: cluster_rules(group)["spec"]["groups"][0] for group in groups(here())}
    assert {"gpu", "nodes", "exporters", "volcano", "vllm", "scaling"} <= found.keys()
    for group in found.values():
        for rule in group["rules"]:
            assert not rule.get("labels", {}).keys() & PROTECTED
            assert metrics(rule["expr"])
            assert "keep_firing_for" not in rule
    isolate = next(rule for rule in found["gpu"]["rules"] if rule["alert"] == "GpuXidIsolate")
    assert isolate["expr"] == 'last_over_time((DCGM_EXP_XID_ERRORS_COUNT{xid=~"54"} > 0)[1h:1m])'


def test_collectors_may_reach_the_teams_pods() -> None:
    (policy,) = (node.inputs for node in planned().resources if node.name == "serving-callers")
    assert '"kubernetes.io/metadata.name": "gmp-system"' in str(policy).replace("'", '"')


def test_what_is_not_on_the_cluster_is_named_before_anything_is_made() -> None:
    looked_up = {node.id for node in planned().resources if node.read}
    kinds = ("podmonitorings", "clusterpodmonitorings", "clusterrules")
    assert {"gmp-system", *(f"{kind}.monitoring.googleapis.com" for kind in kinds)} <= looked_up


def test_what_google_cannot_serve_is_refused_with_its_reason() -> None:
    assert (
        "autoscaling.kind = prometheus-adapter: it cannot sign in to Google's API, as KEDA does; use keda"
        in refused(autoscaling={"kind": "prometheus-adapter"})
    )
    stack = document()["serving"]["servers"][0] | {"kind": "vllm-stack"}
    assert "its chart has itself scraped by ServiceMonitors alone" in refused(serving={"servers": [stack]})
    pools = [{key: value for key, value in pool.items() if key != "capacity"} for pool in document()["pools"]]
    elsewhere = {key: value for key, value in document(pools=pools).items() if key != "cloud"}
    with pytest.raises(ProfileError, match=r"monitoring\.project = absent: whose metrics scalers read is not said"):
        load(elsewhere)
    assert load(elsewhere | {"monitoring": {"kind": "google", "project": "metrics"}}).monitoring
    with pytest.raises(ProfileError, match="GKE brings the kinds of Google's managed Prometheus, and eks does not"):
        load(stack_document("eks-p5") | {"monitoring": {"kind": "google", "project": "metrics"}})


@pytest.mark.parametrize("kind", ["azure", "amazon"])
def test_a_managed_prometheus_that_has_no_rules_in_the_cluster_is_refused_with_what_to_take_instead(kind: str) -> None:
    said = refused(monitoring={"kind": kind})
    assert f"monitoring.kind = {kind}: its rules are resources of the cloud" in said
    assert f"use stack, with remoteWrite: [{{kind: {kind}, ...}}]" in said
