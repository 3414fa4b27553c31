"""The API server's CEL in process, by Google's implementation in C++, with what Kubernetes adds and our policies use."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from bedplate.components.quantity import amount

Values = Mapping[str, Any]
DYN, BOOL, STRING, MAP = cel.Type.DYN, cel.Type.BOOL, cel.Type.STRING, cel.Type.Map(cel.Type.STRING, cel.Type.DYN)
INT, LIST = cel.Type.INT, cel.Type.List(cel.Type.DYN)
NAMES = ("object", "oldObject", "request", "variables", "authorizer")


def _function(name: str, returned: cel.Type, of: tuple[cel.Type, ...], impl: Callable[..., Any]) -> cel.FunctionDecl:
    member = name != "quantity"
    overload = cel.Overload(f"k8s_{name}", return_type=returned, parameters=of, is_member=member, impl=impl)
    return cel.FunctionDecl(name, [overload])


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _chosen(name: str) -> Callable[[Values, str], Values]:
    return lambda one, value: {**one, name: value}


ENVIRONMENT = cel.NewEnv(
    variables=dict.fromkeys(NAMES, DYN),
    extensions=[ext_strings.ExtStrings()],
    functions=[
        _function("quantity", MAP, (STRING,), lambda text: {"amount": float(amount(text))}),
        _function("isGreaterThan", BOOL, (MAP, MAP), lambda one, other: one["amount"] > other["amount"]),
        _function("compareTo", INT, (MAP, MAP), lambda one, other: _sign(one["amount"] - other["amount"])),
        _function("add", MAP, (MAP, MAP), lambda one, other: {"amount": one["amount"] + other["amount"]}),
        _function("asInteger", INT, (MAP,), lambda one: int(one["amount"])),
        _function("sum", INT, (LIST,), sum),
        *(_function(name, MAP, (MAP, STRING), _chosen(name)) for name in ("group", "resource", "name")),
        # Who asks is a member or a controller, and neither may delete a namespace.
        _function("check", MAP, (MAP, STRING), lambda _, __: {"allowed": False}),
        _function("allowed", BOOL, (MAP,), lambda one: one["allowed"]),
    ],
)


@cache
def _compiled(expression: str) -> cel.Expression:
    return ENVIRONMENT.compile(expression)


class CelError(Exception):
    """An expression that cannot be evaluated, which Kubernetes takes for a failure of the policy."""


def evaluated(expression: str, values: Values) -> Any:
    """What an expression says of these values.

    Raises:
        CelError: it is an error, such as a key that is not there.
    """
    result = _compiled(expression).eval(data=dict(values))
    if result.type() == cel.Type.ERROR:
        raise CelError(str(result.value()))
    return result.plain_value()
