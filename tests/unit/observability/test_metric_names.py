"""Names of metrics are data with a source; everything that asks for one is checked against them."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bedplate.components.facts import Monitoring
from bedplate.components.observability.alerts.groups import every_group
from bedplate.components.observability.alerts.ledger import COUNTED, HELD
from bedplate.components.observability.dashboards.pages import every
from bedplate.components.observability.dcgm_counters import counters, csv
from bedplate.components.observability.operator_states import CLUSTER_POLICY, NIC_CLUSTER_POLICY
from bedplate.components.observability.own_series import DROPPED, OTHERS
from bedplate.components.observability.scaling import METRICS
from tests.alert_series import rules
from tests.metric_names import exporter, exporters
from tests.promql import emitters, metrics
from tests.stack_files import STACKS, graph, known

ALL = Monitoring("monitoring", "http://prometheus:9090", nvlink5=True)
SCRAPED = {
    "dcgm-profiling": "dcgm",
    "rdma": "node-exporter",
    "roce": "node-exporter",
    "measured-volumes": "kubelet",
}
"""Conditions of dashboard rows, and the exporter whose metrics they are about."""


def alert_expressions() -> Iterator[tuple[str, str, frozenset[str]]]:
    of = [(stack, group) for stack in STACKS for group in every_group(replace(known(stack), monitoring=ALL))]
    for where, group in (*of, *(("everything", group) for group in rules())):
        for rule in (*group.records, *group.alerts):
            yield f"{where}: {rule.name}", rule.expr, group.exporters


def panel_expressions() -> Iterator[tuple[str, str, frozenset[str]]]:
    for dashboard in every():
        for row in dashboard.rows:
            needs = frozenset(SCRAPED.get(need, need) for need in row.needs)
            for panel in row.panels:
                for query in panel.queries:
                    yield f"{dashboard.title}: {panel.title}", query.expr, needs
        for variable in dashboard.variables:
            selector = f"{variable.metric}{{{variable.matchers}}}"
            yield f"{dashboard.title}: ${variable.name}", selector, frozenset(exporters())


@pytest.mark.parametrize(
    ("where", "expression", "scraped"),
    [pytest.param(*case, id=case[0]) for case in (*alert_expressions(), *panel_expressions())],
)
def test_every_expression_parses_and_reads_only_what_its_exporters_emit(
    where: str, expression: str, scraped: frozenset[str]
) -> None:
    names = metrics(expression)
    assert names, where
    names = names - {HELD, COUNTED}
    assert {emitters().get(name, f"nobody emits {name}") for name in names} <= scraped


def test_every_exporter_says_where_its_names_are_from() -> None:
    for name in exporters():
        assert exporter(name).source, name
        assert exporter(name).version, name
        assert set(exporter(name).metrics.values()) <= {"gauge", "counter", "histogram"}, name


def test_no_series_has_two_exporters() -> None:
    every = [series for name in exporters() for series in exporter(name).series]
    assert len(every) == len(set(every))


SERVERS = ("vllm", "triton")
"""Exporters that teams run."""


@pytest.mark.parametrize("name", exporters())
def test_a_server_says_its_own_series_and_none_of_the_platforms(name: str) -> None:
    """Else who runs it could have the ledger count GPUs that nobody holds, or send people to nodes that are well."""
    dropped = {one for one in exporter(name).series if re.fullmatch(OTHERS, one)}
    assert dropped == (set() if name in SERVERS else exporter(name).series)
    assert all(re.fullmatch(OTHERS, one) for one in (HELD, COUNTED))


def test_all_that_is_scraped_of_teams_drops_what_others_say() -> None:
    seen = [
        one.inputs["spec"]["endpoints"][0].get("metricRelabelings")
        for stack in STACKS
        for one in graph(stack).resources
        if one.inputs.get("kind") == "ServiceMonitor"
        and one.inputs["metadata"]["namespace"] in {team.name for team in known(stack).teams}
    ]
    assert len(seen) >= 3
    assert all(rules == [DROPPED] for rules in seen)


def test_a_histogram_is_read_by_its_three_series() -> None:
    series = exporter("vllm").series
    assert "vllm:time_to_first_token_seconds_bucket" in series
    assert "vllm:time_to_first_token_seconds" not in series


def test_every_cluster_names_only_exporters_that_we_know() -> None:
    for stack in STACKS:
        monitoring = known(stack).monitoring
        assert monitoring is None or monitoring.exporters <= set(exporters()), stack


def test_every_counter_of_the_list_has_the_type_that_dcgm_gives_it() -> None:
    types = exporter("dcgm").metrics
    listed = {one.name: one.kind for one in counters(ALL) if one.kind != "label"}
    assert listed == {name: types[name] for name in listed}


def test_what_alerts_and_panels_read_of_dcgm_is_in_the_list_that_the_exporter_gets() -> None:
    asked = {name for _, expr, _ in (*alert_expressions(), *panel_expressions()) for name in metrics(expr)}
    listed = {counter.name for counter in counters(ALL)}
    assert {name for name in asked if name.startswith("DCGM_")} <= listed


def test_every_counter_in_the_list_is_one_that_dcgm_knows() -> None:
    readable = {counter.name for counter in counters(ALL) if counter.kind != "label"}
    assert readable <= set(exporter("dcgm").metrics)


def test_the_list_has_three_fields_a_line_and_no_comma_more() -> None:
    for line in csv(ALL).splitlines():
        assert len(line.split(",")) == 3, line


def test_the_counters_of_nvlink_5_are_read_where_there_is_one() -> None:
    """An exporter that is too old to know them does not start."""
    assert "NVLINK_COUNT_RX_ERRORS" in csv(ALL)
    assert "NVLINK_COUNT" not in csv(replace(ALL, nvlink5=False))


def test_profiling_counters_are_left_out_where_the_profiler_is_needed() -> None:
    assert "DCGM_FI_PROF_" in csv(ALL)
    assert "DCGM_FI_PROF_" not in csv(replace(ALL, profiling=False))


def test_the_states_that_kube_state_metrics_is_told_to_emit_are_those_in_the_data() -> None:
    assert {CLUSTER_POLICY.metric, NIC_CLUSTER_POLICY.metric} == set(exporter("operator-states").metrics)


def test_servers_scale_on_series_that_exist() -> None:
    for metric in METRICS.values():
        assert {emitters()[one] for one in metric.series} == {metric.exporter}
