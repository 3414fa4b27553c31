"""Panels, rows and variables of a dashboard, without a place: `grafana.py` gives them one."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["timeseries", "stat", "gauge", "table"]


@dataclass(frozen=True)
class Query:
    """One PromQL expression and what its series are called in the legend."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """One thing to see."""

    title: str
    queries: tuple[Query, ...]
    unit: str = "short"
    """Grafana's name of the unit: percentunit, celsius, watt, Bps, s, reqps …"""
    kind: Kind = "timeseries"
    width: int = 8
    """Of 24 columns."""
    description: str = ""
    limits: tuple[tuple[float, str], ...] = ()
    """From which value on which colour."""
    maximum: float | None = None


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


def chart(title: str, expr: str, legend: str = "", unit: str = "short", width: int = 8) -> Panel:
    """Lines over time."""
    return Panel(title, (Query(expr, legend),), unit, "timeseries", width)


def number(
    title: str, expr: str, unit: str = "short", width: int = 4, limits: tuple[tuple[float, str], ...] = ()
) -> Panel:
    """One number."""
    return Panel(title, (Query(expr),), unit, "stat", width, limits=limits)
