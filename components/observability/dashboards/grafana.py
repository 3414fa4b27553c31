"""Grafana's JSON from panels: places on the grid of 24 columns, ids, and one data source to choose."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bedplate.components.observability.dashboards.panel import Dashboard, Panel, Row, Variable

SCHEMA_VERSION = 41
"""Of Grafana 12; newer ones migrate it."""
COLUMNS = 24
HEIGHT = {"stat": 4, "timeseries": 8, "table": 9}
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def grafana_json(dashboard: Dashboard, present: frozenset[str]) -> dict[str, Any] | None:
    """What Grafana imports; None where nothing that it shows is there."""
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
        "panels": list(place(rows)),
    }


def place(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
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
            yield {"id": number, "gridPos": _at(x, y, panel.width, height), **_panel(panel)}
            x, tallest = x + panel.width, max(tallest, height)
        y += tallest


def _at(x: int, y: int, width: int, height: int) -> dict[str, int]:
    return {"x": x, "y": y, "w": width, "h": height}


def _panel(panel: Panel) -> dict[str, Any]:
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
                **({"instant": True, "range": False} if panel.kind != "timeseries" else {}),
                **({"format": "table"} if panel.kind == "table" else {}),
            }
            for index, query in enumerate(panel.queries)
        ],
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _options(panel),
    }


def _defaults(panel: Panel) -> dict[str, Any]:
    steps: list[Mapping[str, Any]] = [{"value": None, "color": "green" if panel.from_1 else "text"}]
    steps += [{"value": 1, "color": panel.from_1}] if panel.from_1 else []
    return {"unit": panel.unit, "min": 0, "thresholds": {"mode": "absolute", "steps": steps}}


def _options(panel: Panel) -> dict[str, Any]:
    if panel.kind == "stat":
        return {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}}
    if panel.kind == "table":
        return {"showHeader": True}
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
