"""Dashboards are what Grafana takes, laid out as a person would, and show only what is there."""

import json
import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from bedplate.components.facts import Monitoring
from bedplate.components.observability.dashboards.grafana import COLUMNS, grafana_json
from bedplate.components.observability.dashboards.pages import every, pages
from bedplate.components.observability.dashboards.panel import Dashboard
from bedplate.components.observability.grafana_dashboards import config_map
from bedplate.components.observability.texts import document
from tests.metric_names import exporter
from tests.stack_files import known

NEEDS = frozenset(need for dashboard in every() for row in dashboard.rows for need in row.needs)


def page(dashboard: Dashboard) -> dict[str, Any]:
    found = grafana_json(dashboard, NEEDS)
    assert found is not None
    return found


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    across = one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"]
    down = one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"]
    return across and down


@pytest.mark.parametrize("dashboard", every(), ids=lambda dashboard: dashboard.uid)
def test_panels_stand_on_the_grid_and_never_on_each_other(dashboard: Dashboard) -> None:
    places = [panel["gridPos"] for panel in page(dashboard)["panels"]]
    assert all(place["x"] >= 0 and place["x"] + place["w"] <= COLUMNS for place in places)
    assert not [pair for pair in combinations(places, 2) if overlap(*pair)]


@pytest.mark.parametrize("dashboard", every(), ids=lambda dashboard: dashboard.uid)
def test_a_row_leaves_no_hole_at_its_right(dashboard: Dashboard) -> None:
    lines: dict[int, int] = {}
    for panel in page(dashboard)["panels"]:
        lines[panel["gridPos"]["y"]] = lines.get(panel["gridPos"]["y"], 0) + panel["gridPos"]["w"]
    assert set(lines.values()) == {COLUMNS}


@pytest.mark.parametrize("dashboard", every(), ids=lambda dashboard: dashboard.uid)
def test_a_page_is_what_grafana_imports(dashboard: Dashboard) -> None:
    found = page(dashboard)
    assert 39 <= found["schemaVersion"] <= 42
    assert len(found["uid"]) <= 40
    ids = [panel["id"] for panel in found["panels"]]
    assert len(ids) == len(set(ids))
    for panel in found["panels"]:
        assert panel["type"] in ("row", "timeseries", "stat", "gauge", "table", "status-history")
        if panel["type"] != "row":
            assert panel["title"]
            assert panel["datasource"]["uid"] == "${datasource}"
            letters = [target["refId"] for target in panel["targets"]]
            assert letters == sorted(set(letters))
    names = [variable["name"] for variable in found["templating"]["list"]]
    assert names[0] == "datasource"


@pytest.mark.parametrize("dashboard", every(), ids=lambda dashboard: dashboard.uid)
def test_every_choice_is_used_and_every_variable_is_a_choice(dashboard: Dashboard) -> None:
    text = json.dumps(page(dashboard)["panels"])
    used = set(re.findall(r"\$(\w+)", text))
    assert used == {variable.name for variable in dashboard.variables}


def test_titles_and_uids_are_unique() -> None:
    assert len({dashboard.uid for dashboard in every()}) == len(every())
    assert len({dashboard.title for dashboard in every()}) == len(every())


def test_a_row_is_shown_exactly_if_what_it_needs_is_there() -> None:
    for dashboard in every():
        for row in dashboard.rows:
            for need in row.needs:
                found = grafana_json(dashboard, NEEDS - {need})
                titles = [panel["title"] for panel in found["panels"] if panel["type"] == "row"] if found else []
                assert row.title not in titles


def test_a_cluster_gets_the_pages_that_have_something_to_show() -> None:
    def uids(stack: str) -> set[str]:
        return {found["uid"].removeprefix("bedplate-") for found in pages(known(stack))}

    assert {"cluster", "node", "job", "fabric"} <= uids("onprem-h100-roce")
    assert {"cluster", "node", "job", "fabric"} <= uids("onprem-h100-ib")
    assert {"cluster", "node", "job"} <= uids("eks-p5")
    assert "fabric" not in uids("eks-p5")
    gib = replace(known("gke-a3-mega"), fabric=replace(known("gke-a3-mega").fabric, kind="gib"))
    assert "bedplate-fabric" in {found["uid"] for found in pages(gib)}, "gIB's NICs are mlx5, as RoCE's are"
    assert list(pages(replace(known("eks-p5"), monitoring=None))) == []


def test_the_page_is_found_by_the_sites_sidecar() -> None:
    monitoring = Monitoring("observability", "http://prometheus:9090", dashboard_labels={"dashboards": "yes"})
    made = config_map(page(every()[0]), monitoring)
    assert made["metadata"]["labels"] == {"dashboards": "yes"}
    assert made["metadata"]["namespace"] == "observability"
    (text,) = made["data"].values()
    assert json.loads(text) == page(every()[0])
    assert len(text) < 2**20, "a ConfigMap holds 1 MiB"


def test_a_count_of_what_should_not_be_is_coloured_from_the_first_one() -> None:
    colours = [panel.from_1 for one in every() for row in one.rows for panel in row.panels if panel.from_1]
    assert colours
    assert set(colours) == {"orange", "red"}


PANELS = [(each.uid, panel) for each in every() for row in each.rows for panel in row.panels]
STEPS = {
    0.05: "DCGM_FI_DEV_THERMAL_VIOLATION",
    0.5: "DCGM_FI_DEV_POWER_VIOLATION",
    0.8: "kubelet_volume_stats",
    0.95: "vllm:kv_cache_usage_perc",
}


def test_every_panel_says_what_it_shows_and_no_description_is_of_a_panel_that_is_gone() -> None:
    assert [f"{uid}: {panel.title}" for uid, panel in PANELS if len(panel.description) < 20] == []
    shown = {(uid.removeprefix("bedplate-"), panel.title) for uid, panel in PANELS}
    said = {(page, title) for page, rows in document("dashboards/descriptions").items() for title in rows}
    assert said - shown == set()


def test_a_share_ends_at_the_whole_unless_it_may_pass_it() -> None:
    for dashboard in every():
        for panel in page(dashboard)["panels"]:
            defaults = panel.get("fieldConfig", {}).get("defaults", {})
            if defaults.get("unit") == "percentunit":
                assert defaults.get("max") == 1 or defaults["custom"]["axisSoftMax"] == 1, panel["title"]


def test_a_line_is_drawn_where_the_alert_begins() -> None:
    alerts = [document(f"alerts/{name}") for name in ("gpu", "serving", "storage")]
    texts = json.dumps(alerts)
    drawn = [(value, panel) for _, panel in PANELS for value, _ in panel.steps]
    assert len(drawn) >= 6
    for value, panel in drawn:
        assert any(STEPS[value] in query.expr for query in panel.queries), panel.title
        assert re.search(rf"{STEPS[value]}[^!]*?> {value}\b", texts), panel.title


def test_a_series_leads_to_the_pages_of_its_node_and_its_pod_that_the_cluster_has() -> None:
    found = {each["uid"]: each for each in pages(known("onprem-h100-roce"))}
    targets = set[str]()
    for uid, each in found.items():
        for panel in each["panels"]:
            urls = [link["url"] for link in panel.get("fieldConfig", {}).get("defaults", {}).get("links", ())]
            to = {url.removeprefix("/d/").partition("?")[0] for url in urls}
            assert to <= found.keys() - {uid}, panel["title"]
            targets |= {f"{uid} -> {one}" for one in to}
            choices = {variable["name"] for one in to for variable in found[one]["templating"]["list"]}
            assert {name for url in urls for name in re.findall(r"var-(\w+)=", url)} <= choices
    assert {"bedplate-cluster -> bedplate-node", "bedplate-cluster -> bedplate-job"} <= targets
    assert {"bedplate-job", "bedplate-node"} == {one.rpartition(" ")[2] for one in targets}


def test_alerts_and_rollouts_are_marked_on_every_graph() -> None:
    for dashboard in every():
        marks = {one["name"]: one["target"]["expr"] for one in page(dashboard)["annotations"]["list"]}
        assert marks == {
            "Alerts": 'ALERTS{alertstate="firing"}',
            "Rollouts": "changes(kube_deployment_metadata_generation[2m]) > 0",
        }
    assert "kube_deployment_metadata_generation" in exporter("kube-state-metrics").series
