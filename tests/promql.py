"""PromQL for tests: every expression parses, and every name in it is known."""

import re
from functools import cache

import promql_parser

from tests.metric_names import exporter, exporters

VARIABLE = re.compile(r"\$\w+")


def metrics(expression: str) -> set[str]:
    """Names of the series that an expression reads; raises where it is no PromQL."""
    return {name(selector) for selector in selectors(expression)}


def selectors(expression: str) -> list[promql_parser.VectorSelector]:
    """Every vector that it reads; a dashboard's variables stand for anything."""
    found: list[promql_parser.VectorSelector] = []

    def visit(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.MatrixSelector):
            found.append(node.vector_selector)
        elif isinstance(node, promql_parser.VectorSelector):
            found.append(node)
        return True

    promql_parser.walk(promql_parser.parse(VARIABLE.sub(".*", expression)), visit)
    return found


def name(selector: promql_parser.VectorSelector) -> str:
    """Of the series, before the braces or in them."""
    return selector.name or next(m.value for m in selector.matchers.matchers if m.name == "__name__")


@cache
def emitters() -> dict[str, str]:
    """Series to the exporter that emits it."""
    return {series: name for name in exporters() for series in exporter(name).series}
