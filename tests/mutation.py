"""Mutants of our own functions: one condition, operator or comparison turned round, and nothing else.

A mutant runs in the place of its function, by its code object, so that everyone who imported the function meets it.
It is noticed by the first case that fails, and that case must hold again without it, so that no case need be run for
every function beforehand; in which order cases are tried decides how long it takes (`tests/mutation_order.py`).
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import CodeType, FunctionType, ModuleType

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
NEXT: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
"""A bound moves by one, this way and the other: turned round whole, any value at all would show it."""
CRASHES = (ArithmeticError, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError)
"""What a mutant may die of, which every test of it would show."""
Case = Callable[[], bool]
"""Whether something holds that should."""


def functions(*modules: ModuleType) -> list[FunctionType]:
    """The modules' own functions that have something to turn round."""
    return [
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, FunctionType) and one.__module__ == module.__name__ and mutants(one)
    ]


def modules(package: ModuleType) -> list[ModuleType]:
    """Everything in a package, however deep."""
    found = walk_packages(package.__path__, f"{package.__name__}.")
    return [import_module(module.name) for module in found]


def name(function: FunctionType) -> str:
    """Of a test about it."""
    return f"{function.__module__}.{function.__name__}"


@cache
def mutants(function: FunctionType) -> list[str]:
    """What each mutant of a function changes, in order."""
    return [f"{ast.unparse(old)} → {ast.unparse(new)}" for old, new in changes(_tree(function))]


def survivors(function: FunctionType, cases: Iterable[Case]) -> list[str]:
    """The mutants that no case notices; the case that noticed the last one is the first to see the next."""
    queue = list(cases)
    return [what for place, what in enumerate(mutants(function)) if not _noticed(function, place, queue)]


def _noticed(function: FunctionType, place: int, queue: list[Case]) -> bool:
    with _running(function, place):
        number = next((number for number, case in enumerate(queue) if not _holds(case)), None)
    if number is None:
        return False
    queue.insert(0, queue.pop(number))
    assert queue[0](), "what should hold does not, with no mutant at all"
    return True


def _holds(case: Case) -> bool:
    try:
        return case()
    except CRASHES:
        return False


@contextmanager
def _running(function: FunctionType, place: int) -> Generator[None]:
    """One mutant runs wherever its function would."""
    sound, function.__code__ = function.__code__, _mutated(function, place)
    try:
        yield
    finally:
        function.__code__ = sound


def _tree(function: FunctionType) -> ast.Module:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    return tree


def _mutated(function: FunctionType, place: int) -> CodeType:
    tree = _tree(function)
    replaced(tree, *list(changes(tree))[place])
    names = dict(function.__globals__)
    exec(compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec"), names)  # noqa: S102 (our own source)
    return names[function.__name__].__code__


def replaced(tree: ast.AST, old: ast.expr, new: ast.expr) -> None:
    """Put one expression of a tree in the place of another."""
    _Replace(old, new).visit(tree)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def changes(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Every expression that can be turned round, and what it becomes."""
    conditions = [condition for node in ast.walk(tree) for condition in _conditions(node)]
    yield from ((condition, ast.UnaryOp(ast.Not(), condition)) for condition in conditions)
    for node in ast.walk(tree):
        match node:
            case ast.BoolOp(op, values):
                yield node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            case ast.UnaryOp(ast.Not(), operand) if node not in conditions:
                yield node, operand
            case ast.Compare():
                yield from ((node, other) for other in _compared(node, whole=node in conditions))
            case _:
                pass


def _conditions(node: ast.AST) -> list[ast.expr]:
    """Conditions of statements, expressions and comprehensions."""
    match node:
        case ast.If(test) | ast.IfExp(test) | ast.While(test):
            return [test]
        case ast.comprehension():
            return node.ifs
        case _:
            return []


def _compared(node: ast.Compare, *, whole: bool) -> Iterator[ast.Compare]:
    """The comparison with each operator turned round, unless `whole` says that it is anyway, and each bound moved."""
    for index, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if other := NEXT.get(type(operator)) or (None if whole else OPPOSITE[type(operator)]):
            yield ast.Compare(node.left, [*node.ops[:index], other(), *node.ops[index + 1 :]], node.comparators)
        if type(operator) in NEXT and isinstance(right, ast.Constant) and isinstance(right.value, int):
            moved = ast.Constant(right.value + (1 if isinstance(operator, ast.Gt | ast.LtE) else -1))
            yield ast.Compare(node.left, node.ops, [*node.comparators[:index], moved, *node.comparators[index + 1 :]])
