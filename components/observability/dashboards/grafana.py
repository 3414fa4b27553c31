"""Grafana's JSON from panels: places on the grid of 24 columns, ids, and one data source to choose."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bedplate.components.observability.dashboards.panel import Dashboard, Panel, Row, Variable

SCHEMA_VERSION = 41
"""Of Grafana 12; newer ones migrate it."""
COLUMNS = 24
HEIGHT = {"stat": 4, "timeseries": 8, "table": 9, "status-history": 12}
SHARE = "percentunit"
PAGES = {
    "node": ("bedplate-node", ("node",)),
    "pod": ("bedplate-job", ("namespace", "pod")),
    "namespace": ("bedplate-job", ("namespace",)),
}
"""By the label of a series: the page that shows more of it, and the choices there that its labels make."""
ALERTS = 'ALERTS{alertstate="firing"}'
ROLLOUTS = "changes(kube_deployment_metadata_generation[2m]) > 0"
"""kube-state-metrics: a Deployment's specification was changed."""
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def grafana_json(
    dashboard: Dashboard, present: frozenset[str], others: frozenset[str] = frozenset()
) -> dict[str, Any] | None:
    """What Grafana imports; None where nothing that it shows is there. Series lead to those of the other pages."""
    rows = [row for row in dashboard.rows if row.needs <= present]
    if not rows:
        return None
    return {
        "uid": dashboard.uid,
        "title": dashboard.title,
        "description": dashboard.description,
        "tags": ["bedplate"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [_datasource(), *(_variable(variable) for variable in dashboard.variables)]},
        "annotations": {"list": list(_annotations(present))},
        "links": [_to_all()],
        "panels": list(place(rows, others - {dashboard.uid})),
    }


def place(rows: Iterable[Row], others: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Rows under each other; in a row, panels side by side, and on a new line where the columns end."""
    number, y = 0, 0
    for row in rows:
        number += 1
        yield {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "panels": [],
            "gridPos": _at(0, y, COLUMNS, 1),
        }
        x, y, tallest = 0, y + 1, 0
        for panel in row.panels:
            if x + panel.width > COLUMNS:
                x, y, tallest = 0, y + tallest, 0
            number += 1
            height = HEIGHT[panel.kind]
            yield {"id": number, "gridPos": _at(x, y, panel.width, height), **_panel(panel, others)}
            x, tallest = x + panel.width, max(tallest, height)
        y += tallest


def _at(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "w": width, "h": height}


def _panel(panel: Panel, others: frozenset[str]) -> dict[str, Any]:
    return {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": DATASOURCE,
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": DATASOURCE,
                "expr": query.expr,
                "legendFormat": query.legend or "__auto",
                **({"instant": True, "range": False} if panel.kind in ("stat", "table") else {}),
                **({"format": "table"} if panel.kind == "table" else {}),
            }
            for index, query in enumerate(panel.queries)
        ],
        "fieldConfig": {"defaults": _defaults(panel, others), "overrides": []},
        "options": _options(panel),
    }


def _defaults(panel: Panel, others: frozenset[str]) -> dict[str, Any]:
    steps = (*panel.steps, *([(1, panel.from_1)] if panel.from_1 else []))
    colours: list[Mapping[str, Any]] = [{"value": None, "color": "green" if steps else "text"}]
    colours += [{"value": value, "color": colour} for value, colour in steps]
    drawn: dict[str, Any] = {"unit": panel.unit, "min": 0, "thresholds": {"mode": "absolute", "steps": colours}}
    if panel.unit == SHARE:
        drawn |= {"custom": {"axisSoftMax": 1}} if panel.beyond else {"max": 1}
    if panel.kind == "timeseries" and panel.steps:
        drawn["custom"] = {**drawn.get("custom", {}), "thresholdsStyle": {"mode": "dashed"}}
    if panel.kind == "status-history":
        drawn["color"] = {"mode": "continuous-BlYlRd"}
    return drawn | {"links": list(_links(panel, others))}


def _links(panel: Panel, others: frozenset[str]) -> Iterator[dict[str, Any]]:
    """What a click on a series or a row offers, by the labels that it has."""
    legends = " ".join(f"{query.legend} {query.expr}" for query in panel.queries) if panel.kind != "stat" else ""
    for label, (uid, choices) in PAGES.items():
        if uid in others and f"{{{{{label}}}}}" in legends:
            labels = "&".join(f"var-{choice}=${{__field.labels.{choice}}}" for choice in choices)
            yield {"title": f"This {label}", "url": f"/d/{uid}?{labels}&${{__url_time_range}}", "targetBlank": False}


def _annotations(present: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Marks on every graph: alerts that fire, and what was rolled out."""
    yield _annotation("Alerts", ALERTS, "red", "{{alertname}}", "{{namespace}} {{node}} {{pod}}")
    if "kube-state-metrics" in present:
        yield _annotation("Rollouts", ROLLOUTS, "blue", "{{namespace}}/{{deployment}}", "its Deployment was changed")


def _annotation(name: str, expr: str, colour: str, title: str, text: str) -> dict[str, Any]:
    target = {"refId": "Anno", "expr": expr, "interval": "60s"}
    words = {"titleFormat": title, "textFormat": text, "useValueForTime": False}
    return {"name": name, "datasource": DATASOURCE, "enable": True, "iconColor": colour, "target": target, **words}


def _to_all() -> dict[str, Any]:
    """A list of our pages that keeps the time."""
    kept = {"asDropdown": True, "keepTime": True, "includeVars": False, "targetBlank": False, "tooltip": "", "url": ""}
    return {"title": "Bedplate", "type": "dashboards", "tags": ["bedplate"], "icon": "external link", **kept}


def _options(panel: Panel) -> dict[str, Any]:
    if panel.kind == "stat":
        return {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}}
    if panel.kind == "table":
        return {"showHeader": True}
    if panel.kind == "status-history":
        return {"showValue": "never", "rowHeight": 0.9, "legend": {"showLegend": False}, "tooltip": {"mode": "single"}}
    legend: dict[str, Any] = {"showLegend": True, "displayMode": "list", "placement": "bottom", "calcs": []}
    return {"legend": legend, "tooltip": {"mode": "multi", "sort": "desc"}}


def _datasource() -> dict[str, Any]:
    return {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _variable(variable: Variable) -> dict[str, Any]:
    query = f"label_values({variable.metric}{{{variable.matchers}}}, {variable.label})"
    return {
        "name": variable.name,
        "type": "query",
        "datasource": DATASOURCE,
        "query": {"query": query, "refId": variable.name},
        "definition": query,
        "refresh": 2,
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }
