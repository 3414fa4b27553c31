"""Alerts on series, by Prometheus' own promtool: each fires when it must, and not otherwise."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.facts import Monitoring
from bedplate.components.observability.alert_rules import prometheus_rule
from bedplate.lab.binaries import Project, provide
from tests.alert_series import CASES, Series
from tests.alert_series import rules as every_rule

pytestmark = pytest.mark.cluster

PROMTOOL = Project(
    "prometheus",
    "github.com/prometheus/prometheus",
    "v0.314.0",  # 3.14.0, as kube-prometheus-stack 88.5.3 runs it
    {"promtool": "github.com/prometheus/prometheus/cmd/promtool"},
    tags="remove_all_sd",  # without the clients of a dozen clouds, which take most of the build
)


@pytest.fixture(scope="module")
def promtool() -> Path:
    return provide(PROMTOOL)["promtool"]


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All alerts, as the operator hands them to Prometheus."""
    monitoring = Monitoring("monitoring", "http://prometheus:9090")
    groups = [prometheus_rule(group, monitoring)["spec"]["groups"][0] for group in every_rule()]
    path = tmp_path_factory.mktemp("rules") / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": groups}))
    return path


def test_prometheus_takes_all_rules(promtool: Path, rules: Path) -> None:
    done = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", rules], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def firing(alert: str, series: Series, at: str, expected: int) -> dict[str, Any]:
    """One test of promtool: how many of that alert fire."""
    samples = [{"labels": "{}", "value": expected}] if expected else []
    query = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'
    return {
        "name": f"{alert} {'fires' if expected else 'is silent'}",
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": query, "eval_time": at, "exp_samples": samples}],
    }


def every_case() -> Iterator[dict[str, Any]]:
    for alert, case in CASES.items():
        yield firing(alert, case.fires, case.at, 1)
        yield firing(alert, case.silent, case.at, 0)


def run(promtool: Path, rules: Path, tests: list[dict[str, Any]]) -> str:
    path = rules.with_name("tests.yaml")
    path.write_text(yaml.safe_dump({"rule_files": [rules.name], "evaluation_interval": "1m", "tests": tests}))
    done = subprocess.run([promtool, "test", "rules", path], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_each_alert_fires_on_its_series_and_is_silent_on_the_others(promtool: Path, rules: Path) -> None:
    assert run(promtool, rules, list(every_case())) == ""


def test_a_case_that_is_wrong_would_be_found(promtool: Path, rules: Path) -> None:
    case = replace(CASES["RdmaPortDown"])
    assert "RdmaPortDown" in run(promtool, rules, [firing("RdmaPortDown", case.silent, case.at, 1)])


def test_annotations_are_filled_in(promtool: Path, rules: Path) -> None:
    case = CASES["GpuThermalThrottling"]
    (series,) = case.fires
    expected = {
        "exp_labels": {"severity": "warning", "action": "monitor", "node": "n1", "gpu": "3"},
        "exp_annotations": {
            "summary": "GPU 3 of n1 is slowed by heat 10% of the time",
            "description": "One slow GPU slows its whole job. Look at fans, inlet temperature and the coolant.",
        },
    }
    one = {
        "interval": "1m",
        "input_series": [{"series": series, "values": case.fires[series]}],
        "alert_rule_test": [{"alertname": "GpuThermalThrottling", "eval_time": case.at, "exp_alerts": [expected]}],
    }
    assert run(promtool, rules, [one]) == ""
