"""PromQL for tests: every expression parses, and every name in it is one that somebody emits."""

import re
from collections.abc import Iterator

import promql_parser

GRAFANA = {"$__rate_interval": "5m", "$__all": ".*"}


def metrics(expression: str) -> set[str]:
    """Names of the series that an expression reads; raises where it is no PromQL."""
    found: set[str] = set()

    def visit(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.add(name(node))
        elif isinstance(node, promql_parser.MatrixSelector):
            found.add(name(node.vector_selector))
        return True

    promql_parser.walk(promql_parser.parse(plain(expression)), visit)
    return found


def name(selector: promql_parser.VectorSelector) -> str:
    """By its name or by the label that holds it."""
    if selector.name:
        return selector.name
    return next(m.value for m in selector.matchers.matchers if m.name == "__name__")


def plain(expression: str) -> str:
    """A dashboard's variables, filled in."""
    for variable, value in GRAFANA.items():
        expression = expression.replace(variable, value)
    return re.sub(r"\$\w+", ".*", expression)


def selectors(expression: str) -> Iterator[promql_parser.VectorSelector]:
    """Every vector that it reads."""
    found: list[promql_parser.VectorSelector] = []

    def visit(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.append(node)
        elif isinstance(node, promql_parser.MatrixSelector):
            found.append(node.vector_selector)
        return True

    promql_parser.walk(promql_parser.parse(plain(expression)), visit)
    yield from found
