"""Whoever scales asks for a metric by the name under which exactly one component gives it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.facts import Args, Facts, Monitoring
from bedplate.components.observability.keda import KedaSection
from bedplate.components.observability.keda import helm_values as keda_values
from bedplate.components.observability.prometheus_adapter import PrometheusAdapterSection, helm_values, rule
from bedplate.components.observability.scaling import (
    METRICS,
    ScalingMetric,
    Source,
    keda_trigger,
    total,
)
from tests.crds import faults
from tests.promql import emitters, metrics, selectors
from tests.stack_files import STACKS, graph, known

HPA_NAME = re.compile(r"^[a-z0-9_]+$")


def facts(autoscaler: str | None, *exporters: str) -> Facts:
    monitoring = Monitoring("monitoring", "http://prometheus-operated.monitoring.svc:9090", frozenset(exporters))
    return replace(known("inference-l40s"), monitoring=monitoring, autoscaler=autoscaler)


def exposed(values: dict[str, Any]) -> list[str]:
    """Names that an HPA may ask for as Pods metrics."""
    return [rule["name"]["as"] for rule in values["rules"]["custom"]]


def adapter_values(*exporters: str) -> dict[str, Any]:
    section = PrometheusAdapterSection(kind="prometheus-adapter")
    return helm_values(Args(section, facts("prometheus-adapter", *exporters)))


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_the_adapter_finds_the_series_renames_it_and_asks_pod_by_pod(metric: ScalingMetric) -> None:
    made, first = rule(metric), metric.series[0]
    assert metrics(made["seriesQuery"]) == {first}
    assert re.fullmatch(made["name"]["matches"], first)
    assert HPA_NAME.match(made["name"]["as"])
    overrides = made["resources"]["overrides"]
    (series,) = selectors(made["seriesQuery"])
    assert {m.name for m in series.matchers.matchers} >= set(overrides)
    assert {override["resource"] for override in overrides.values()} == {"namespace", "pod"}
    query = made["metricsQuery"].replace("<<.Series>>", first)
    query = query.replace("<<.LabelMatchers>>", 'namespace="a",pod=~"b|c"').replace("<<.GroupBy>>", "pod")
    assert metrics(query) == set(metric.series)


def test_each_name_is_exposed_once() -> None:
    names = exposed(adapter_values("vllm", "dcgm", "triton"))
    assert sorted(names) == sorted({metric.name for metric in METRICS.values()})


def test_the_adapter_leaves_the_other_metric_apis_to_their_owners() -> None:
    rules = adapter_values("vllm")["rules"]
    assert rules["default"] is False
    assert "external" not in rules
    assert "resource" not in rules


def test_only_what_something_emits_is_exposed() -> None:
    assert exposed(adapter_values("dcgm")) == ["dcgm_fi_dev_gpu_util"]


def test_a_colon_does_not_reach_the_api() -> None:
    assert METRICS["requests-waiting"].name == "vllm_num_requests_waiting"


def test_the_adapter_is_told_host_and_port_apart() -> None:
    expected = {"url": "http://prometheus-operated.monitoring.svc", "port": 9090}
    assert adapter_values("vllm")["prometheus"] == expected


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_a_scaled_object_with_our_trigger_is_valid_and_reads_that_server_only(metric: ScalingMetric) -> None:
    monitoring = facts("keda").monitoring
    assert monitoring is not None
    query = total(metric, Source("serving", "llama", "llama-[a-z0-9]+-[a-z0-9]{5}"))
    trigger = keda_trigger(monitoring, query, "5")
    spec = {"scaleTargetRef": {"name": "llama"}, "minReplicaCount": 2, "maxReplicaCount": 6, "triggers": [trigger]}
    assert faults({"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "spec": spec}) == []
    whose = ("service", "llama") if metric.by_service else ("pod", "llama-[a-z0-9]+-[a-z0-9]{5}")
    for selector in selectors(query):
        assert {(m.name, m.value) for m in selector.matchers.matchers} == {("namespace", "serving"), whose}
    assert metrics(query) == set(metric.series)


def test_keda_is_scraped_with_the_sites_labels_or_not_at_all() -> None:
    known_ = facts("keda")
    site = Monitoring("observability", "http://p:9090", labels={"release": "site"})
    section = KedaSection(kind="keda")
    assert "prometheus" not in keda_values(Args(section, replace(known_, monitoring=None)))
    values = keda_values(Args(section, replace(known_, monitoring=site)))
    assert values["prometheus"]["operator"]["serviceMonitor"]["additionalLabels"] == {"release": "site"}


def autoscalers(stack: str) -> list[dict[str, Any]]:
    return [
        dict(node.inputs)
        for node in graph(stack).resources
        if node.inputs.get("kind") in ("HorizontalPodAutoscaler", "ScaledObject")
    ]


@pytest.mark.parametrize("stack", STACKS)
def test_each_metric_api_has_one_owner_and_each_autoscaler_asks_that_one(stack: str) -> None:
    owners = {node.name for node in graph(stack).resources if "Release" in node.type} & {"keda", "prometheus-adapter"}
    assert owners == ({known(stack).autoscaler} - {None})
    for one in autoscalers(stack):
        assert one["kind"] == ("ScaledObject" if owners == {"keda"} else "HorizontalPodAutoscaler")


@pytest.mark.parametrize("stack", STACKS)
def test_every_metric_that_an_autoscaler_asks_for_has_exactly_one_producer(stack: str) -> None:
    monitoring = known(stack).monitoring
    for one in autoscalers(stack):
        assert monitoring is not None
        for metric in one["spec"].get("metrics", []):
            if metric["type"] == "Pods":
                (adapter,) = (
                    node for node in graph(stack).resources if node.inputs.get("chart") == "prometheus-adapter"
                )
                assert metric["pods"]["metric"]["name"] in exposed(adapter.inputs["values"])
        for trigger in one["spec"].get("triggers", []):
            assert trigger["metadata"]["serverAddress"] == monitoring.url
            assert {emitters()[name] for name in metrics(trigger["metadata"]["query"])} <= monitoring.exporters
