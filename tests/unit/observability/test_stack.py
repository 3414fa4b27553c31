"""The Prometheus stack: what the profile says is in the values, and no secret is."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.facts import Args, Monitoring
from bedplate.components.observability.dcgm_counters import config_map_name, csv
from bedplate.components.observability.dcgm_exporter import DcgmExporterSection, service_monitor
from bedplate.components.observability.dcgm_exporter import helm_values as exporter_values
from bedplate.components.observability.prometheus_stack import URL, PrometheusStackSection, helm_values
from bedplate.components.observability.queue_monitors import queue_monitors
from bedplate.components.operators.gpu_operator import GpuOperatorSection
from bedplate.components.operators.gpu_operator import helm_values as gpu_operator_values
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import secret_keys
from bedplate.stacks.profile.problem import ProfileError
from tests.closure import closure
from tests.crds import faults
from tests.helm_keys import key_faults
from tests.stack_files import document, graph, graph_of, known

ROCE, L40S = "onprem-h100-roce", "inference-l40s"
SITE = Monitoring("observability", "http://p:9090", labels={"release": "site"})


def values(**section: Any) -> dict[str, Any]:
    return helm_values(Args(PrometheusStackSection(kind="stack", **section), known(ROCE)))


def refused(stack: str, **sections: Any) -> str:
    with pytest.raises(ProfileError) as error:
        load(document(stack) | sections)
    return str(error.value)


def test_prometheus_sees_every_monitor_and_rule_whatever_its_labels() -> None:
    spec = values()["prometheus"]["prometheusSpec"]
    for kind in ("serviceMonitor", "podMonitor", "rule"):
        assert spec[f"{kind}SelectorNilUsesHelmValues"] is False


def test_retention_and_volume_are_the_profiles_and_the_volume_never_fills_up() -> None:
    spec = values(retention="30d", storage={"size": "500Gi", "storageClass": "fast"})["prometheus"]["prometheusSpec"]
    claim = spec["storageSpec"]["volumeClaimTemplate"]["spec"]
    assert spec["retention"] == "30d"
    assert claim["resources"]["requests"]["storage"] == "500Gi"
    assert claim["storageClassName"] == "fast"
    assert spec["retentionSize"] == "435200MiB"
    assert "storageSpec" not in values()["prometheus"]["prometheusSpec"]


def test_efa_is_read_by_the_sites_build_of_awss_node_exporter() -> None:
    made = values(efa_exporter={"image": "111122223333.dkr.ecr.us-west-2.amazonaws.com/node_exporter_efa:v1.10.2"})
    exporter = made["prometheus-node-exporter"]
    registry = "111122223333.dkr.ecr.us-west-2.amazonaws.com"
    assert exporter["image"] == {"registry": registry, "repository": "node_exporter_efa", "tag": "v1.10.2"}
    assert "image" not in values()["prometheus-node-exporter"]
    pinned = f"registry.example.com:5000/tools/node_exporter_efa:v1@sha256:{'0' * 64}"
    parts = values(efa_exporter={"image": pinned})["prometheus-node-exporter"]["image"]
    assert parts["registry"] == "registry.example.com:5000"
    assert parts["repository"] == "tools/node_exporter_efa"
    assert parts["digest"] == f"sha256:{'0' * 64}"


def test_what_efa_counts_is_known_where_somebody_reads_it() -> None:
    image = {"image": "registry.example.com/node_exporter_efa:v1"}
    on_efa = facts(load(document("eks-p5") | {"monitoring": {"kind": "stack", "efaExporter": image}}))
    assert on_efa.monitoring
    assert "efa" in on_efa.monitoring.exporters
    assert "monitoring.efaExporter" in refused(ROCE, monitoring={"kind": "stack", "efaExporter": image})
    site = {"kind": "existing", "namespace": "observability", "url": "http://p.observability.svc:9090"}
    assert "the fabric is roce" in refused(ROCE, monitoring=site | {"exporters": ["node-exporter", "efa"]})
    assert load(document(ROCE) | {"monitoring": site | {"exporters": ["kubelet"]}})


def test_the_crds_are_a_release_of_their_own() -> None:
    assert values()["crds"] == {"enabled": False}
    names = [node.name for node in graph(ROCE).resources if node.type == "kubernetes:helm.sh/v3:Release"]
    assert "prometheus-crds" in names


def test_whoever_makes_a_service_monitor_waits_for_its_crd() -> None:
    declared = graph(ROCE)
    releases = {node.name: node for node in declared.resources if node.type == "kubernetes:helm.sh/v3:Release"}
    for waiting in ("gpu-operator", "monitoring", "keda"):
        assert releases["prometheus-crds"].urn in closure(declared, releases[waiting].urn), waiting


def test_passwords_are_secrets_and_in_no_value() -> None:
    made = values(grafana={}, alertmanager={})
    assert made["grafana"]["admin"]["existingSecret"] == "grafana-admin"
    assert "adminPassword" not in str(made)
    secrets = {node.name: node for node in graph(ROCE).resources if node.type == "kubernetes:core/v1:Secret"}
    assert {"grafana-admin", "alertmanager-monitoring-alertmanager"} <= set(secrets)
    assert secrets["grafana-admin"].inputs["stringData"]["admin-password"] == "[secret]"


def test_the_secrets_to_set_are_those_of_the_sections_that_are_there() -> None:
    assert {"grafanaPassword", "alertmanagerConfig"} <= set(secret_keys(load(document(ROCE))))
    assert "alertmanagerConfig" not in secret_keys(load(document(L40S)))


def test_grafana_and_alertmanager_are_there_exactly_if_their_sections_are() -> None:
    assert values()["grafana"] == {"enabled": False}
    assert values()["alertmanager"] == {"enabled": False}
    assert known(ROCE).monitoring == replace(known(ROCE).monitoring or SITE, url=URL)


def test_the_control_plane_is_scraped_only_where_it_can_be() -> None:
    assert values()["kubeScheduler"] == {"enabled": False}
    assert values(control_plane=True)["kubeScheduler"] == {"enabled": True}
    said = refused("eks-p5", monitoring={"kind": "stack", "controlPlane": True})
    assert "monitoring.controlPlane = true: eks runs the control plane" in said


def test_dns_is_scraped_where_its_metrics_are() -> None:
    section = PrometheusStackSection(kind="stack")
    assert helm_values(Args(section, known("gke-a3-mega")))["coreDns"] == {"enabled": False}
    assert values()["coreDns"] == {"enabled": True}


def test_openshift_keeps_its_own_prometheus() -> None:
    said = refused(ROCE, platform="openshift", nodeOs="rhcos", monitoring={"kind": "stack"})
    assert "monitoring.kind = stack: OpenShift runs a Prometheus operator" in said


def test_states_of_both_operators_are_read_and_may_be() -> None:
    made = values()["kube-state-metrics"]
    kinds = [r["groupVersionKind"]["kind"] for r in made["customResourceState"]["config"]["spec"]["resources"]]
    assert kinds == ["ClusterPolicy", "NicClusterPolicy"]
    assert [r["resources"] for r in made["rbac"]["extraRules"]] == [["clusterpolicies"], ["nicclusterpolicies"]]


@pytest.mark.parametrize("version", ["v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0"])
def test_the_gpu_operators_exporter_gets_our_counters_and_a_monitor_in_every_version(version: str) -> None:
    facts_ = replace(known(ROCE), monitoring=SITE)
    made = gpu_operator_values(Args(GpuOperatorSection(version=version), facts_))
    assert made["dcgmExporter"]["config"]["name"] == config_map_name(SITE)
    assert made["dcgmExporter"]["serviceMonitor"]["additionalLabels"] == {"release": "site"}
    assert key_faults("gpu-operator", version, made) == []
    assert ("metrics" in made["operator"]) is (version == "v26.7.0")


def test_without_monitoring_no_service_monitor_is_asked_for() -> None:
    made = gpu_operator_values(Args(GpuOperatorSection(), replace(known(ROCE), monitoring=None)))
    assert made["dcgmExporter"] == {"enabled": True, "serviceMonitor": {"enabled": False}}


def test_the_config_map_has_the_key_and_the_name_that_the_operator_is_told() -> None:
    (made,) = [node for node in graph(ROCE).resources if node.name == "dcgm-metrics"]
    release = next(node for node in graph(ROCE).resources if node.name == "gpu-operator" and "Release" in node.type)
    assert made.inputs["metadata"]["name"] == release.inputs["values"]["dcgmExporter"]["config"]["name"]
    assert made.inputs["data"] == {"dcgm-metrics.csv": csv(Monitoring("", ""))}


def test_a_new_list_of_counters_is_a_new_config_map_so_that_the_exporter_reads_it() -> None:
    assert config_map_name(SITE) != config_map_name(replace(SITE, profiling=False))


def test_an_idle_gpu_has_no_pod_and_a_busy_one_has_its_own() -> None:
    monitor = service_monitor(SITE)
    assert monitor["honorLabels"] is True
    assert {"action": "labeldrop", "regex": "namespace|pod|container"} in monitor["relabelings"]
    assert monitor["relabelings"][0]["targetLabel"] == "node"


def test_there_is_one_dcgm_exporter() -> None:
    stack = {"kind": "stack", "dcgmExporter": {}}
    assert "monitoring.dcgmExporter = present: the GPU Operator runs DCGM exporter already" in refused(
        L40S, monitoring=stack
    )
    alone = {key: value for key, value in document(L40S).items() if key != "gpuOperator"}
    alone |= {"monitoring": stack, "existingDevicePlugin": True}
    names = [node.name for node in graph_of(alone).resources if node.type == "kubernetes:helm.sh/v3:Release"]
    assert names.count("dcgm-exporter") == 1
    monitoring = facts(load(alone)).monitoring
    assert monitoring is not None
    assert "dcgm" in monitoring.exporters
    assert "gpu-operator" not in monitoring.exporters


def test_the_exporter_of_its_own_runs_on_gpu_nodes_with_our_counters() -> None:
    made = exporter_values(Args(DcgmExporterSection(), known(L40S)))
    assert key_faults("dcgm-exporter", "4.8.2", made) == []
    terms = made["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert len(terms) == 3
    assert made["customMetrics"] == csv(Monitoring("", ""))


def test_the_sites_prometheus_gets_our_objects_with_its_labels_and_no_second_stack() -> None:
    declared = graph("onprem-h100-ib")
    rules = [node for node in declared.resources if node.type.endswith(":PrometheusRule")]
    assert rules
    assert all(rule.inputs["metadata"]["labels"]["release"] == "site" for rule in rules)
    assert all(rule.inputs["metadata"]["namespace"] == "observability" for rule in rules)
    assert not [node for node in declared.resources if node.name in ("monitoring", "prometheus-crds")]
    found = {rule.name for rule in rules}
    assert "operator-states-alerts" not in found, "its kube-state-metrics does not read our custom resources"


def test_alerts_follow_what_the_site_scrapes() -> None:
    site = document("onprem-h100-ib")
    site["monitoring"]["exporters"] = ["kube-state-metrics"]
    names = {node.name for node in graph_of(site).resources if node.type.endswith(":PrometheusRule")}
    assert "fabric-alerts" not in names
    assert "nodes-alerts" in names


def test_autoscaling_needs_somebody_who_scrapes() -> None:
    alone = {key: value for key, value in document(ROCE).items() if key != "monitoring"}
    with pytest.raises(ProfileError) as error:
        load(alone)
    assert "monitoring = absent: keda reads its metrics from Prometheus" in str(error.value)


@pytest.mark.parametrize("scheduler", ["kueue", "volcano"])
def test_the_scheduler_is_scraped_with_the_sites_labels(scheduler: str) -> None:
    monitoring = replace(SITE, exporters=frozenset({scheduler}))
    (monitor,) = queue_monitors(replace(known(ROCE), monitoring=monitoring))
    assert monitor["metadata"]["labels"] == {"release": "site"}
    manifest = {"apiVersion": monitor["api_version"], "kind": monitor["kind"], "spec": monitor["spec"]}
    assert faults(manifest) == []


AMAZON = {
    "kind": "amazon",
    "workspace": "ws-b226cc2a-a446-46a9-933a-ac50479a5568",
    "region": "us-east-2",
    "roleArn": "arn:aws:iam::111122223333:role/metrics",
}
AZURE = {
    "kind": "azure",
    "url": "https://a-1.westeurope-1.metrics.ingest.monitor.azure.com/dataCollectionRules/dcr-1/streams/"
    "Microsoft-PrometheusMetrics/api/v1/write?api-version=2023-04-24",
    "clientId": "00000000-0000-0000-0000-000000000001",
}


def test_a_managed_workspace_gets_the_samples_signed_and_marked_with_the_cluster() -> None:
    made = values(remoteWrite=[AMAZON, AZURE])["prometheus"]
    amazon, azure = made["prometheusSpec"]["remoteWrite"]
    assert amazon == {
        "url": f"https://aps-workspaces.us-east-2.amazonaws.com/workspaces/{AMAZON['workspace']}/api/v1/remote_write",
        "sigv4": {"region": "us-east-2"},
    }
    assert azure["azureAd"] == {"cloud": "AzurePublic", "managedIdentity": {"clientId": AZURE["clientId"]}}
    assert made["prometheusSpec"]["externalLabels"] == {"cluster": ROCE}
    assert made["serviceAccount"]["annotations"] == {"eks.amazonaws.com/role-arn": AMAZON["roleArn"]}
    whole = values(remoteWrite=[AMAZON, AZURE])
    assert key_faults("kube-prometheus-stack", "88.5.3", whole) == []
    assert "remoteWrite" not in values()["prometheus"]["prometheusSpec"]


def test_two_roles_of_one_prometheus_are_refused() -> None:
    second = {**AMAZON, "roleArn": "arn:aws:iam::111122223333:role/other"}
    said = refused(ROCE, monitoring={"kind": "stack", "remoteWrite": [AMAZON, second]})
    assert "a service account has one role, and these are several; let one role write to each workspace" in said
    assert "remoteWrite" not in refused(ROCE, monitoring={"kind": "stack", "remoteWrite": [AMAZON, AMAZON], "x": 1})


@pytest.mark.parametrize(
    "section", [{"retention": "forever"}, {"storage": {}}, {"kind": "influx"}, {"grafana": {"password": "x"}}]
)
def test_a_wrong_monitoring_section_is_refused(section: dict[str, Any]) -> None:
    assert "monitoring" in refused(ROCE, monitoring={"kind": "stack"} | section)


def test_grafana_loads_and_reads_nothing_of_other_namespaces() -> None:
    """A member's ConfigMap with the label would write over the platform's pages."""
    grafana = values(grafana={})["grafana"]
    assert grafana["sidecar"]["dashboards"]["searchNamespace"] == "monitoring"
    assert "searchNamespace" not in grafana["sidecar"].get("datasources", {})
    assert grafana["rbac"] == {"namespaced": True}
    pages = [one for one in graph(ROCE).resources if "grafana_dashboard" in json.dumps(one.inputs.get("metadata", {}))]
    assert {one.inputs["metadata"]["namespace"] for one in pages} == {"monitoring"}
