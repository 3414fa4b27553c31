"""The shape of the house: who may import whom, and what every component looks like."""

import ast
import inspect
import re
import textwrap
import tomllib
from importlib import import_module

import pulumi
import pytest
from importlinter.cli import lint_imports

from bedplate.components.component import Component
from tests.rooms import ROOMS, ROOT, folder, modules, rooms

TOKEN = re.compile(r"bedplate:[a-z]+:[A-Z][A-Za-z]+")
LONGEST_FILE = 250
LONGEST_CONSTRUCTOR = 30


def classes(room: str = "components") -> list[type[pulumi.ComponentResource]]:
    found: dict[str, type[pulumi.ComponentResource]] = {}
    for path in modules(room):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for member in vars(import_module(name)).values():
            own = inspect.isclass(member) and member.__module__ == name != Component.__module__
            if own and issubclass(member, pulumi.ComponentResource):
                found[f"{name}.{member.__name__}"] = member
    return list(found.values())


def test_imports_keep_their_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    kept = lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None) == 0
    assert kept, capsys.readouterr().out


CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
FLOORS = [re.split(r" [|:] ", floor) for floor in CONTRACTS[0]["layers"]]
OURS_ALONE = {"house", "policies", "catalog", "charts", "cluster"}
"""Rooms of which CONTRIBUTING.md says more than a list of folders."""


def allowed(room: str) -> set[str]:
    """The rooms of the floors below, without those that a contract forbids."""
    below = next((FLOORS[index + 1 :] for index, floor in enumerate(FLOORS) if room in floor), FLOORS)
    names = [room] if (ROOT / room).is_dir() and room not in rooms() else [f"bedplate.{room}", room]
    names += ["bedplate.cli"] if room == "bedplate" else []
    forbidden = {
        module.removeprefix("bedplate.")
        for contract in CONTRACTS
        if contract["type"] == "forbidden" and {*names} & {*contract["source_modules"]}
        for module in contract["forbidden_modules"]
    }
    return {one for floor in below for one in floor} & rooms() - forbidden - {room}


def test_the_table_for_people_says_what_the_contracts_say() -> None:
    rows = {}
    for line in table():
        if line.startswith("| `"):
            _, name, _, may, *_ = line.split("|")
            rows[name.strip(" `/").rpartition("/")[2]] = set(re.findall(r"`(?:bedplate/)?([a-z]+)/`", may))
    assert rows.keys() - {"tests"} == rooms()
    written = {room: rows[room] - {room} for room in rooms() - OURS_ALONE}
    assert written == {room: allowed(room) - {"house", "catalog", "charts", "cluster"} for room in written}


def table() -> list[str]:
    """The lines of CONTRIBUTING.md before its first `##` after the table of rooms."""
    return (ROOT / "CONTRIBUTING.md").read_text().split("## A component")[0].splitlines()


def test_the_import_of_the_package_costs_nothing() -> None:
    statements = ast.parse((folder("bedplate") / "__init__.py").read_text()).body
    assert [ast.unparse(one) for one in statements if isinstance(one, ast.Import | ast.ImportFrom)] == []


def test_no_file_is_too_long_to_read() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for room in ROOMS
        for path in modules(room)
        if (lines := len(path.read_text().splitlines())) > LONGEST_FILE
    }
    assert long == {}


@pytest.mark.parametrize("component", classes(), ids=lambda one: one.__name__)
def test_a_component_has_the_one_signature_and_a_short_constructor(component: type[pulumi.ComponentResource]) -> None:
    assert list(inspect.signature(component).parameters) == ["name", "args", "opts"]
    declares = component._declare if issubclass(component, Component) else component.__init__  # noqa: SLF001
    assert len(inspect.getsource(declares).splitlines()) <= LONGEST_CONSTRUCTOR


@pytest.mark.parametrize("component", classes(), ids=lambda one: one.__name__)
def test_a_constructor_ends_by_registering_its_outputs(component: type[pulumi.ComponentResource]) -> None:
    last = constructor(component).body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)
    assert ast.unparse(last.value.func) == "self.register_outputs"


def test_every_component_has_a_token_of_its_own_that_does_not_follow_its_file() -> None:
    tokens = [token(component) for component in classes()]
    assert len(tokens) == len(set(tokens))
    assert [one for one in tokens if not TOKEN.fullmatch(one)] == []


def token(component: type[pulumi.ComponentResource]) -> str:
    """The head of the class or its constructor's `super().__init__` must spell it out: it is half of every URN."""
    if issubclass(component, Component):
        (head,) = ast.parse(textwrap.dedent(inspect.getsource(component))).body
        assert isinstance(head, ast.ClassDef)
        (said,) = [one.value for one in head.keywords if one.arg == "token"]
        assert isinstance(said, ast.Constant), f"{component.__name__}: spell its token out"
        return str(said.value)
    calls = [node for node in ast.walk(constructor(component)) if isinstance(node, ast.Call)]
    (made,) = [call for call in calls if ast.unparse(call.func) == "super().__init__"]
    assert isinstance(made.args[0], ast.Constant), f"{component.__name__}: spell its token out"
    return str(made.args[0].value)


def constructor(component: type[pulumi.ComponentResource]) -> ast.FunctionDef:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(component.__init__))).body
    assert isinstance(definition, ast.FunctionDef)
    return definition


def test_nothing_sleeps() -> None:
    sleepy = [
        str(path.relative_to(ROOT)) for room in ROOMS for path in modules(room) if "time.sleep" in path.read_text()
    ]
    assert sleepy == []


def test_quantities_are_read_in_one_place() -> None:
    reading = re.compile(r"""(suffix|split|strip)\("[KMGTPE]i"\)|\|[KMGTPE]i\||"[KMGTPE]i": """)
    places = {
        str(path.relative_to(ROOT)) for room in ROOMS for path in modules(room) if reading.search(path.read_text())
    }
    assert places == set()


def test_the_program_is_short() -> None:
    assert len((ROOT / "__main__.py").read_text().splitlines()) < 20
