"""Autoscalers' questions on series, by Prometheus' own promtool: each counts its own server, and none that begins alike."""

from pathlib import Path
from typing import Any

import pytest

from bedplate.components.observability.prometheus_adapter import rule
from bedplate.components.observability.scaling import METRICS, ScalingMetric, Source, total
from bedplate.components.serving.autoscale import deployment_of, group_of
from bedplate.components.serving.server import Server
from tests.alert_series import CASES, hpa, vllm
from tests.cluster.test_alert_series import firing, promtool, rules, run

__all__ = ["promtool", "rules"]
pytestmark = pytest.mark.cluster

PODS = {"llama": "llama-6d4cf56db6-x2x4z", "llama-8b": "llama-8b-7d9f8c6b5d-qqhzk"}
EXPORTER = {
    "vllm": 'container="server",endpoint="http",engine="0",model_name="m"',
    "triton": 'container="server",endpoint="metrics",model="m",version="1"',
    "dcgm": 'service="nvidia-dcgm-exporter",endpoint="gpu-metrics",container="server",gpu="0",node="n1",UUID="GPU-1"',
}


def series(metric: ScalingMetric, server: str, pod: str, value: int) -> dict[str, str]:
    """What the exporter's target gives, with the labels that Prometheus adds to it."""
    own = EXPORTER[metric.exporter]
    service = f',service="{server}",job="{server}"' if metric.by_service else ',job="nvidia-dcgm-exporter"'
    labels = f'namespace="serving",pod="{pod}",{own}{service}'
    return {f"{one}{{{labels}}}": f"{value}x30" for one in metric.series}


def asked(query: str, there: dict[str, str], expected: dict[str, float]) -> dict[str, Any]:
    samples = [{"labels": labels, "value": value} for labels, value in expected.items()]
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in there.items()],
        "promql_expr_test": [{"expr": query, "eval_time": "10m", "exp_samples": samples}],
    }


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_kedas_question_counts_its_own_server_and_not_the_one_that_begins_alike(
    promtool: Path, rules: Path, metric: ScalingMetric
) -> None:
    there = series(metric, "llama", PODS["llama"], 3) | series(metric, "llama-8b", PODS["llama-8b"], 70)
    cases = []
    for name, value in (("llama", 3), ("llama-8b", 70)):
        server = Server(name=name, namespace="serving", pool="h100")
        query = total(metric, Source("serving", name, deployment_of(server).pods))
        cases.append(asked(query, there, {"{}": value * len(metric.series)}))
    assert run(promtool, rules, cases) == ""


def test_the_pods_of_a_group_are_told_apart_by_their_numbers(promtool: Path, rules: Path) -> None:
    metric = METRICS["gpu-utilisation"]
    there = {
        **series(metric, "llama", "llama-0", 10),
        **series(metric, "llama", "llama-0-1", 20),
        **series(metric, "llama-8b", "llama-8b-0", 500),
        **series(metric, "llama-8b", "llama-8b-0-1", 500),
    }
    group = group_of(Server(name="llama", namespace="serving", pool="h100")).pods
    assert run(promtool, rules, [asked(total(metric, Source("serving", "llama", group)), there, {"{}": 30})]) == ""


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_the_adapters_question_gives_each_pod_its_own_number(
    promtool: Path, rules: Path, metric: ScalingMetric
) -> None:
    there = series(metric, "llama", PODS["llama"], 3) | series(metric, "llama-8b", PODS["llama-8b"], 70)
    query = rule(metric)["metricsQuery"].replace("<<.Series>>", metric.series[0]).replace("<<.GroupBy>>", "pod")
    query = query.replace("<<.LabelMatchers>>", f'namespace="serving",pod=~"{PODS["llama"]}"')
    expected = {f'{{pod="{PODS["llama"]}"}}': 3.0 * len(metric.series)}
    assert run(promtool, rules, [asked(query, there, expected)]) == ""


@pytest.mark.parametrize("name", ["llama", "keda-hpa-llama", "keda-hpa-llama-llama-scaledobject"])
def test_a_server_at_its_maximum_is_found_under_every_name_of_its_autoscaler(
    promtool: Path, rules: Path, name: str
) -> None:
    service = "llama-llama-engine-service" if "scaledobject" in name else "llama"
    there = hpa(6, name) | vllm("num_requests_waiting", "5x60", service)
    assert run(promtool, rules, [firing("ServersAtMaximum", there, CASES["ServersAtMaximum"].at, 1)]) == ""
