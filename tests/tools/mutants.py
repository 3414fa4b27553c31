"""Random mutants of a room against the room's unit tests: which of them no test notices.

`python -m tests.tools.mutants ROOM --count 8 --seed 1`: the same seed picks the same mutants of the same code. One
function is changed in one place: a comparison, a boolean, a condition that is dropped, a number, a key. A mutant runs
in place of its function (`tests/mutation.py`), in a process forked for it, against those tests alone that run the
function, the fastest first. A survivor is either equivalent or a missing assertion.

Exit status 0: no test was missing; 1: there are survivors; 2: the room's tests fail without any mutant.
"""

import argparse
import ast
import contextlib
import inspect
import os
import pickle
import random
import signal
import sys
import textwrap
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FunctionType, ModuleType

import pytest

from tests.mutation import changes, modules, replaced
from tests.rooms import ROOT

ROOMS = {
    "live": ["tests/unit/live", "tests/graph/test_from_cluster.py"],
    "jobs": ["tests/unit/jobs"],
    "evidence": ["tests/unit/evidence"],
    "upgrades": ["tests/unit/upgrades"],
    "cluster": ["tests/unit/cluster"],
    "lab": [f"tests/unit/{path.name}" for path in sorted((ROOT / "tests" / "unit").glob("test_lab_*.py"))],
}
"""The unit tests of each room."""
READS = ("get", "part", "entries", "setdefault", "pop")
"""Calls whose texts are keys."""
LONGEST = 600
"""Seconds after which a mutant that does not end is dead."""
OK = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


Mutant = tuple[FunctionType, int, str]
"""A function, the number of one of its changes, and what that changes."""


@dataclass
class Record:
    """Which tests run which functions, and how long each takes, from one run without mutants."""

    codes: dict[int, FunctionType]
    touched: set[int] = field(default_factory=set[int])
    tests: dict[int, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what one test touches. The first test that uses a fixture is charged with it."""
        self.touched.clear()
        began = time.perf_counter()
        result = yield
        for number in self.touched:
            self.tests[number].append((time.perf_counter() - began, item.nodeid))
        return result


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """A module's own functions, methods and properties; of what is wrapped, what is within."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) == module.__name__:
            parts = vars(value).values() if isinstance(value, type) else [value]
            made = filter(None, map(_function, parts))
            yield from (
                function for function in made if function.__module__ == module.__name__
            )  # a Protocol's: typing's


def _function(value: object) -> FunctionType | None:
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, cached_property):
        value = value.func
    value = inspect.unwrap(value) if isinstance(value, FunctionType) else value
    return value if isinstance(value, FunctionType) and not value.__code__.co_freevars else None


def mutants(function: FunctionType) -> list[Mutant]:
    """Every mutant of a function, in order; none of one whose source is not to be had, such as a dataclass's."""
    with contextlib.suppress(OSError, SyntaxError):
        if (tree := _tree(function)) is not None:
            texts = (f"{ast.unparse(old)} → {ast.unparse(new)}" for old, new in _changes(tree))
            return [(function, number, text) for number, text in enumerate(texts)]
    return []


def picked(room: Sequence[ModuleType], count: int, seed: int) -> list[Mutant]:
    """Random mutants of a room, each of another function as far as there are so many."""
    by_function = [made for module in room for function in functions(module) if (made := mutants(function))]
    chance = random.Random(seed)  # noqa: S311 - it picks mutants, and no secret
    chosen = chance.sample(by_function, min(count, len(by_function)))
    return [chance.choice(made) for made in chosen]


def _tree(function: FunctionType) -> ast.Module | None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or definition.name != function.__name__:
        return None
    definition.decorator_list = []
    return tree


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What `tests/mutation.py` turns round, and conditions dropped, numbers moved and keys replaced.

    Only in the body: a function's defaults are no part of its code.
    """
    body = ast.Module(vars(vars(tree)["body"][0])["body"], [])
    yield from changes(body)
    for node in ast.walk(body):
        match node:
            case ast.BoolOp(_, values):
                yield from ((node, value) for value in values)
            case ast.comprehension():
                yield from ((condition, ast.Constant(value=True)) for condition in node.ifs)
            case ast.Constant(int() as number) if not isinstance(number, bool):
                yield node, ast.Constant(number + 1)
            case ast.Subscript(_, ast.Constant(str() as key) as constant):
                yield constant, ast.Constant(f"{key}_")
            case ast.Call(func, arguments) if getattr(func, "attr", getattr(func, "id", "")) in READS:
                keys = [one for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                yield from ((key, ast.Constant(f"{key.value}_")) for key in keys)
            case _:
                pass


def compiled(function: FunctionType, change: Callable[[ast.Module], object]) -> CodeType:
    """The code of a function whose tree was changed."""
    tree = _tree(function)
    assert tree
    change(tree)
    names = dict(function.__globals__)
    exec(compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec"), names)  # noqa: S102 (our own source)
    return names[function.__name__].__code__


def mutate(mutant: Mutant) -> None:
    """Put a mutant in the place of its function, in this process for good."""
    function, number, _ = mutant

    def change(tree: ast.Module) -> None:
        replaced(tree, *list(_changes(tree))[number])

    function.__code__ = compiled(function, change)


def recorded(paths: Sequence[str], chosen: Sequence[FunctionType]) -> Record:
    """Run a room's tests with functions that say when they run; ends this process where a test fails."""
    record = Record(dict(enumerate(chosen)))
    sys.modules["_touched"] = ModuleType("_touched")
    vars(sys.modules["_touched"])["add"] = record.touched.add
    for number, function in record.codes.items():
        note = ast.parse(f"__import__('_touched').add({number})").body[0]
        function.__code__ = compiled(function, lambda tree, note=note: vars(tree.body[0])["body"].insert(0, note))
    if pytest.main([*QUIET, *paths], plugins=[record]) not in OK:
        sys.exit("tests fail without any mutant")
    return record


QUIET = ("-q", "-x", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--disable-warnings")


def forked(work: Callable[[], object], folder: Path) -> object:
    """What work gives, done by a fork, so that caches here stay cold; its output is dropped."""
    answer = folder / "answer"
    if not (child := os.fork()):
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            signal.alarm(LONGEST)
            answer.write_bytes(pickle.dumps(work()))
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return pickle.loads(answer.read_bytes()) if status == 0 else None  # noqa: S301 - our own


def judge(room: str, count: int, seed: int, folder: Path) -> int:
    """Pick mutants, run each, print what becomes of them; the number of survivors."""
    chosen = picked(modules(import_module(f"bedplate.{room}")), count, seed)
    tests = forked(lambda: dict(recorded(ROOMS[room], [function for function, _, _ in chosen]).tests), folder)
    if not isinstance(tests, dict):
        sys.exit(2)
    survivors = 0
    for number, mutant in enumerate(chosen):
        nodes = [node for _, node in sorted(tests.get(number, ()))]
        survived = not nodes or forked(lambda m=mutant, n=nodes: _survives(m, n), folder) is True
        survivors += survived
        fate = "no test runs it" if not nodes else "SURVIVED" if survived else "died"
        function, _, text = mutant
        say(f"{fate:<16} {function.__module__}.{function.__qualname__}: {text} ({len(nodes)} tests)")
    say(f"{room}: {len(chosen) - survivors} of {len(chosen)} mutants died (seed {seed})")
    return survivors


def say(line: str) -> None:
    """Show a line at once: a room takes minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _survives(mutant: Mutant, nodes: Sequence[str]) -> bool:
    mutate(mutant)
    return pytest.main([*QUIET, *nodes]) == pytest.ExitCode.OK


def main() -> int:
    """Judge one room, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", default=list(ROOMS), help=", ".join(ROOMS))
    parser.add_argument("--count", type=int, default=8, help="mutants of each room (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        left = [judge(room, options.count, options.seed, Path(folder)) for room in options.rooms]
    return int(any(left))


if __name__ == "__main__":
    sys.exit(main())
