"""The ledger's two sides as real exporters say them: kube-state-metrics of pods, Kueue and Volcano of their queues."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.observability.alerts.ledger import COUNTED, HELD, ledger
from tests.cluster.attacks import HOME
from tests.cluster.exporters import Samples, of_pods, of_queues, scraped
from tests.cluster.guarding import unguarded
from tests.cluster.real import AS_OPERATOR, Lab
from tests.cluster.test_alert_series import BEYOND, IDLE, as_rules, firing, promtool, run
from tests.cluster.test_real_ledger import runs
from tests.promql import metrics

assert promtool
GPU = "nvidia_com_gpu"
UNEVEN = f"{HELD} - on (namespace, resource) {COUNTED} != 0"
"""Beyond any slack: real amounts are the same number on both sides."""


@pytest.fixture(params=["kueue", "volcano"])
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    there = request.getfixturevalue(request.param)
    yield there
    there.clear()


def said(lab: Lab, gpus: int, counted: int) -> Mapping[str, str]:
    """What both exporters say once pods hold so many GPUs, and the queue counts so many."""
    (group,) = ledger(lab.facts)
    asked = {name for record in group.records for name in metrics(record.expr)}
    teams = [team.name for team in lab.facts.teams]
    with of_pods(lab.cluster, *teams) as pods:
        both = scraped(pods, "", lambda seen: running(seen) == gpus)
    queue, token = of_queues(lab.cluster)
    both |= scraped(queue, token, lambda seen: queued(seen) == counted)
    return {name: f"{value:f}x400" for name, value in both.items() if name.partition("{")[0] in asked}


def running(seen: Samples) -> float:
    """GPUs of pods that run, as kube-state-metrics spells them."""
    up = {_label(name, "pod") for name, value in seen.items() if 'phase="Running"' in name and value}
    asks = {name: value for name, value in seen.items() if name.startswith("kube_pod_container_resource_requests")}
    return sum(value for name, value in asks.items() if GPU in name and _label(name, "pod") in up)


def queued(seen: Samples) -> float:
    """GPUs that the team's queue counts."""
    mine = {name: value for name, value in seen.items() if f'"{HOME}"' in name and "nvidia.com/gpu" in name}
    usage = sum(value for name, value in mine.items() if name.startswith("kueue_cluster_queue_resource_usage"))
    return usage + sum(v for name, v in mine.items() if name.startswith("volcano_queue_allocated_scalar")) / 1000


def _label(series: str, name: str) -> str:
    return series.partition(f'{name}="')[2].partition('"')[0]


def value(query: str, expected: float | None) -> dict[str, Any]:
    samples = [] if expected is None else [{"labels": "{}", "value": expected}]
    return {"expr": query, "eval_time": "20m", "exp_samples": samples}


def played(lab: Lab, promtool: Path, folder: Path, tests: list[dict[str, Any]]) -> str:
    rules = folder / "rules.yaml"
    rules.write_text(yaml.safe_dump({"groups": [as_rules(group) for group in ledger(lab.facts)]}))
    return run(promtool, rules, tests)


@pytest.mark.parametrize("kind", ["JobSet", "MPIJob"])
def test_what_the_pods_of_a_job_hold_is_what_its_queue_counts(
    kind: Any, lab: Lab, promtool: Path, tmp_path: Path
) -> None:
    runs(lab, kind)
    series = dict(said(lab, 16, 16))
    even = firing(IDLE, series, "390m", 0)
    gpus = f'sum({HELD}{{namespace="{HOME}",resource="{GPU}"}})'
    processors = f'sum({COUNTED}{{namespace="{HOME}",resource="cpu"}}) > bool 0'
    even["promql_expr_test"] += [value(UNEVEN, None), value(gpus, 16), value(processors, 1)]
    assert played(lab, promtool, tmp_path, [even, firing(BEYOND, series, "20m", 0)]) == ""


def test_pods_that_no_queue_counts_any_more_are_told_of(lab: Lab, promtool: Path, tmp_path: Path) -> None:
    runs(lab, "Job")
    said(lab, 16, 16)
    left = {"kueue": ("job", "runs", "--cascade=orphan"), "volcano": ("podgroups.scheduling.volcano.sh", "--all")}
    with unguarded(lab.cluster):
        lab.cluster.kubectl("delete", *left[lab.facts.scheduler.kind], "--namespace", HOME, *AS_OPERATOR)
    series = dict(said(lab, 16, 0))
    alert = f'sum(ALERTS{{alertname="{BEYOND}",alertstate="firing",namespace="{HOME}",resource="{GPU}"}})'
    told = firing(BEYOND, series, "10m", 0)
    told["promql_expr_test"].append(value(alert, 1))
    assert played(lab, promtool, tmp_path, [told]) == ""
