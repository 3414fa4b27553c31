"""Panels, rows and variables of a dashboard, without a place: `grafana.py` gives them one.

`<uid>.yaml` has each dashboard: the fields below, `texts` of which its expressions are made (`texts.py`), and instead
of `queries` the `expr` and `legend` of a single one, or `quantiles`, the name of a histogram.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bedplate.components.observability.texts import document, filled

Kind = Literal["timeseries", "stat", "table", "status-history"]
SHARES = ((0.5, "50 %"), (0.95, "95 %"))
"""How many requests are faster than a quantile says."""


@dataclass(frozen=True)
class Query:
    """A PromQL expression, and the name of its series in the legend."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """A graph, a number, a table, or a coloured line for each of many series."""

    title: str
    queries: tuple[Query, ...]
    unit: str = "short"
    """Grafana's name of the unit: percentunit, celsius, watt, Bps, s, reqps …"""
    kind: Kind = "timeseries"
    width: int = 8
    """Of 24 columns; a number has 4 unless stated."""
    description: str = ""
    from_1: str = ""
    """The colour of a number from 1 on."""
    beyond: bool = False
    """A share that may pass the whole: a queue that borrows."""
    steps: tuple[tuple[float, str], ...] = ()
    """From which value on it is of which colour."""


@dataclass(frozen=True)
class Row:
    """Panels under one heading that need the same exporters."""

    title: str
    needs: frozenset[str]
    """Exporters, and what else must be there: `dcgm-profiling`, `rdma`, `roce` or `measured-volumes`."""
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Variable:
    """A choice at the top of the dashboard: the values of a label."""

    name: str
    metric: str
    label: str
    matchers: str = ""
    """Narrows the values by the choices before it, such as `namespace="$namespace"`."""


@dataclass(frozen=True)
class Dashboard:
    """A page; rows that lack what they need are left out, and so is a page without rows."""

    uid: str
    title: str
    description: str
    rows: tuple[Row, ...]
    variables: tuple[Variable, ...] = ()


def dashboard(name: str) -> Dashboard:
    """The dashboard of a file in this folder."""
    said = document(f"dashboards/{name}")
    texts: Mapping[str, str] = said["texts"]
    words: Mapping[str, str] = document("dashboards/descriptions")[name]
    rows = (_row(filled(row, texts), texts, words) for row in said["rows"])
    variables = tuple(Variable(**variable) for variable in said.get("variables", ()))
    return Dashboard(said["uid"], said["title"], said["description"], tuple(rows), variables)


def _row(said: dict[str, Any], texts: Mapping[str, str], words: Mapping[str, str]) -> Row:
    panels = (_panel({"description": words.get(panel["title"], ""), **panel}, texts) for panel in said["panels"])
    return Row(said["title"], frozenset(said["needs"]), tuple(panels))


def _panel(said: dict[str, Any], texts: Mapping[str, str]) -> Panel:
    if "quantiles" in said:
        histogram = f"{said.pop('quantiles')}_bucket{{{texts['here']}}}"
        rate = f"sum by (model_name, le) (rate({histogram}[5m]))"
        queries = [Query(f"histogram_quantile({q}, {rate})", f"{{{{model_name}}}} {share}") for q, share in SHARES]
    elif "expr" in said:
        queries = [Query(said.pop("expr"), said.pop("legend", ""))]
    else:
        queries = [Query(**query) for query in said.pop("queries")]
    fields: dict[str, Any] = {"width": 4, **said} if said.get("kind") == "stat" else said
    steps = tuple((value, colour) for value, colour in fields.pop("steps", ()))
    return Panel(**fields, queries=tuple(queries), steps=steps)
