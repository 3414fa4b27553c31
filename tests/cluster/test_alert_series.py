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
from bedplate.components.observability.alerts.alert import Group
from bedplate.components.observability.alerts.ledger import ledger
from bedplate.lab.binaries import Project, provide
from tests import ledger_series
from tests.alert_series import CASES, Series
from tests.alert_series import rules as every_rule
from tests.stack_files import known

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
    groups = [as_rules(group) for group in every_rule()]
    path = tmp_path_factory.mktemp("rules") / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": groups}))
    return path


def as_rules(group: Group) -> dict[str, Any]:
    return prometheus_rule(group, Monitoring("monitoring", "http://prometheus:9090"))["spec"]["groups"][0]


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


BEYOND, IDLE = "TeamHoldsMoreThanCounted", "TeamCountedForMoreThanItHolds"
SHAPES = {
    "orphans": (ledger_series.ORPHANS, 1),
    "the defaults of a LimitRange": (ledger_series.DEFAULTS, 1),
    "an init container": (ledger_series.EARLY, 1),
    "a sidecar": (ledger_series.BESIDE, 1),
    "nobody scrapes the queue": (ledger_series.NOTHING_SCRAPED, 0),
}
BY_VOLCANO = {
    "no PodGroup": (ledger_series.NO_GROUP, 1),
    "another PodGroup": (ledger_series.HALF, 1),
    "processors": (ledger_series.PROCESSORS, 1),
    "sound": (ledger_series.VOLCANO_SOUND, 0),
}


def test_the_ledger_sees_the_shapes_of_attacks_on_kueue(promtool: Path, rules: Path) -> None:
    tests = [firing(BEYOND, series, "20m", number) | {"name": name} for name, (series, number) in SHAPES.items()]
    assert run(promtool, rules, [*tests, firing(BEYOND, ledger_series.FORGED, "14m", 0)]) == ""


def test_the_ledger_sees_the_shapes_of_attacks_on_volcano(promtool: Path, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": [as_rules(group) for group in ledger(known("onprem-h100-ib"))]}))
    tests = [firing(BEYOND, series, "20m", number) | {"name": name} for name, (series, number) in BY_VOLCANO.items()]
    assert run(promtool, path, [*tests, firing(IDLE, ledger_series.VOLCANO_SOUND, "380m", 0)]) == ""


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
