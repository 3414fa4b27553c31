"""A chart's free map takes any key, in values and in a profile's `overrides`; a closed one takes its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.charts import DATA
from bedplate.components.chart_keys import chart_name, dead_paths, honours
from bedplate.lab.binaries import is_built
from bedplate.lab.controllers.known import HELM
from bedplate.stacks.load import load
from tests.stack_files import document
from tests.tools.probe_charts import Chart, carried, probed

TAKEN: Mapping[str, tuple[str, ...]] = {
    "gpu-operator-v26.3.3": (
        "operator.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "operator.resources.limits.ephemeral-storage",
        "operator.resources.requests.ephemeral-storage",
    ),
    "gpu-operator-v26.7.0": (
        "operator.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "operator.resources.limits.ephemeral-storage",
        "operator.resources.requests.ephemeral-storage",
    ),
    "jobset-0.12.0": (
        "controller.podSecurityContext.seccompProfile.localhostProfile",
        "controller.resources.limits.ephemeral-storage",
        "controller.resources.requests.ephemeral-storage",
        "controller.securityContext.capabilities.add",
    ),
    "keda-2.20.2": (
        "resources.metricServer.limits.ephemeral-storage",
        "resources.metricServer.requests.ephemeral-storage",
        "resources.operator.limits.ephemeral-storage",
        "resources.operator.requests.ephemeral-storage",
        "resources.webhooks.limits.ephemeral-storage",
        "resources.webhooks.requests.ephemeral-storage",
        "securityContext.metricServer.capabilities.add",
        "securityContext.metricServer.seccompProfile.localhostProfile",
        "securityContext.operator.capabilities.add",
        "securityContext.operator.seccompProfile.localhostProfile",
        "securityContext.webhooks.capabilities.add",
        "securityContext.webhooks.seccompProfile.localhostProfile",
    ),
    "kubeflow-trainer-2.3.0": (
        "manager.securityContext.capabilities.add",
        "manager.securityContext.seccompProfile.localhostProfile",
    ),
    "kuberay-operator-1.7.0": (
        "resources.limits.ephemeral-storage",
        "securityContext.capabilities.add",
        "securityContext.seccompProfile.localhostProfile",
    ),
    "kueue-0.19.2": (
        "controllerManager.manager.containerSecurityContext.capabilities.add",
        "controllerManager.manager.podSecurityContext.seccompProfile.localhostProfile",
        "controllerManager.manager.resources.limits.ephemeral-storage",
        "controllerManager.manager.resources.requests.ephemeral-storage",
        "kueueViz.backend.containerSecurityContext.capabilities.add",
        "kueueViz.backend.podSecurityContext.seccompProfile.localhostProfile",
        "kueueViz.backend.resources.limits.ephemeral-storage",
        "kueueViz.backend.resources.requests.ephemeral-storage",
        "kueueViz.frontend.containerSecurityContext.capabilities.add",
        "kueueViz.frontend.podSecurityContext.seccompProfile.localhostProfile",
        "kueueViz.frontend.resources.limits.ephemeral-storage",
        "kueueViz.frontend.resources.requests.ephemeral-storage",
    ),
    "lws-0.10.0": (
        "resources.requests.ephemeral-storage",
        "securityContext.capabilities.add",
    ),
    "network-operator-24.7.0": (
        "operator.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "operator.resources.limits.ephemeral-storage",
        "operator.resources.requests.ephemeral-storage",
    ),
    "network-operator-26.4.1": (
        "operator.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "operator.resources.limits.ephemeral-storage",
        "operator.resources.requests.ephemeral-storage",
    ),
    "node-feature-discovery-0.19.0": (
        "gc.resources.limits.ephemeral-storage",
        "gc.resources.requests.ephemeral-storage",
        "master.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
        "master.resources.limits.ephemeral-storage",
        "master.resources.requests.ephemeral-storage",
        "master.securityContext.capabilities.add",
        "topologyUpdater.resources.limits.ephemeral-storage",
        "topologyUpdater.resources.requests.ephemeral-storage",
        "topologyUpdater.securityContext.capabilities.add",
        "worker.resources.limits.ephemeral-storage",
        "worker.resources.requests.ephemeral-storage",
        "worker.securityContext.capabilities.add",
        "worker.updateStrategy.rollingUpdate.maxSurge",
    ),
    "prometheus-adapter-5.3.0": (
        "securityContext.capabilities.add",
        "securityContext.seccompProfile.localhostProfile",
    ),
    "vllm-stack-0.1.12": (
        "loraController.containerSecurityContext.capabilities.add",
        "loraController.podSecurityContext.seccompProfile.localhostProfile",
        "routerSpec.resources.limits.ephemeral-storage",
        "routerSpec.resources.requests.ephemeral-storage",
    ),
    "volcano-1.15.1": ("custom.default_sc.seccompProfile.localhostProfile",),
    "whereabouts-chart-0.9.4": (
        "reconciler.resources.limits.ephemeral-storage",
        "reconciler.resources.requests.ephemeral-storage",
        "resources.limits.ephemeral-storage",
        "resources.requests.ephemeral-storage",
    ),
}
"""Keys that the templates render, each beside defaults that do not name it."""
VENDORS = {
    "vllm-stack-0.1.12": ("routerSpec.resources.limits.cpu", "routerSpec.route.http"),
    "network-operator-24.7.0": ("operator.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",),
}
"""Keys of the vendors' own values: production-stack tutorials, doca-platform guides."""
IGNORED = {
    "gpu-operator-v26.7.0": (
        "operator.resurces.limits",
        "dcgmExporter.serviceMonitr",
    ),
    "kueue-0.19.2": ("controllerManager.manager.image.tags", "kueueViz.backend.replicas"),
    "vllm-stack-0.1.12": ("cacheserverSpec.repository",),
    "node-feature-discovery-0.19.0": ("master.resorces.limits",),
}
"""Keys of closed maps."""


def listed(table: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(stem, path) for stem, paths in table.items() for path in paths]


@pytest.mark.parametrize(("stem", "path"), [*listed(TAKEN), *listed(VENDORS)])
def test_a_key_of_a_free_map_is_taken(stem: str, path: str) -> None:
    chart = chart_name(stem)
    assert honours(chart, stem.removeprefix(f"{chart}-"), tuple(path.split(".")))


def test_there_are_as_many_of_them_as_were_refused() -> None:
    assert len(listed(TAKEN)) >= 46


@pytest.mark.parametrize(("stem", "path"), listed(IGNORED))
def test_a_key_of_a_closed_map_is_refused(stem: str, path: str) -> None:
    chart = chart_name(stem)
    assert honours(chart, stem.removeprefix(f"{chart}-"), tuple(path.split("."))) is False


def test_a_profile_may_override_what_the_chart_renders() -> None:
    doc = document("onprem-h100-roce")
    doc["gpuOperator"]["overrides"] = {"operator": {"resources": {"limits": {"ephemeral-storage": "1Gi"}}}}
    assert load(doc)


def test_each_file_says_whether_its_maps_were_probed() -> None:
    for path in DATA.glob("*/*/keys.json"):
        said = "with a probe in each map" in path.read_text().splitlines()[-2]
        assert said is path.with_name("probed.json").exists(), path


def packed(folder: Path, **files: Any) -> Path:
    """A small chart: one section handed on, one read key by key, one that a schema ends, one behind a switch."""
    values = {
        "free": {"a": 1},
        "closed": {"a": 1},
        "policy": {"a": 1},
        "ranged": {"x": {"enabled": True}},
        "late": {"enabled": False, "labels": {"a": 1}},
    }
    policy = {"properties": {"spec": {"properties": {"policy": {"properties": {"a": {}, "b": {}}}}}}}
    names = {"kind": "Policy", "plural": "policies"}
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": policy}}]
    crd = {"kind": "CustomResourceDefinition", "spec": {"group": "x.example", "names": names, "versions": versions}}
    template = """apiVersion: x.example/v1
kind: Policy
spec: {policy: {{ toJson .Values.policy }}}
---
kind: ConfigMap
data: {free: {{ toJson .Values.free }}, closed: {{ .Values.closed.a }}}
{{- range $name, $each := .Values.ranged }}
{{ if $each.enabled }}{{ $name }}: 1{{ end }}
{{- end }}
{{ if .Values.late.enabled }}labels: {{ toJson .Values.late.labels }}{{ end }}
more: {{ if .Values.late.enabled }}{{ .Values.late.more }}{{ end }}
domain: {{ (.Values.names | default dict).domain }}
"""
    texts = {
        "Chart.yaml": yaml.safe_dump({"apiVersion": "v2", "name": "probe", "version": "1.2.3"}),
        "values.yaml": yaml.safe_dump({**values, **files}),
        "crds/crd.yaml": yaml.safe_dump(crd),
        "templates/all.yaml": template,
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.skipif(not is_built(HELM), reason="`bedplate lab up` builds helm")
def test_a_probe_tells_a_free_map_from_a_closed_one(tmp_path: Path) -> None:
    assert probed(Chart(packed(tmp_path))) == ["free.*", "late.labels.*", "policy.b", "ranged.*"]


@pytest.mark.skipif(not is_built(HELM), reason="`bedplate lab up` builds helm")
def test_a_key_without_a_default_is_carried_into_a_newer_release_while_it_changes_what_is_rendered(
    tmp_path: Path,
) -> None:
    before = {
        "free": {"a": 1},
        "closed": {"a": 1, "gone": 1},
        "names": {"domain": "*"},
        "late": {"more": "*"},
        "dead": 0,
    }
    assert carried(Chart(packed(tmp_path)), before) == ["late.more", "names.domain"]


def test_a_misspelt_key_in_values_is_named() -> None:
    values = {"operator": {"resources": {"limits": {"ephemeral-storage": "1Gi"}}, "resurces": {}}}
    assert list(dead_paths("gpu-operator", "v26.7.0", values)) == [("operator", "resurces")]
