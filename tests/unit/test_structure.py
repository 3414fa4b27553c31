"""The shape of the house: who may import whom, and what every component looks like."""

import ast
import inspect
import re
import textwrap
from graphlib import TopologicalSorter
from importlib import import_module

import pulumi
import pytest

from tests.rooms import GROUND, ROOMS, ROOT, folder, imports, inside, modules, room_imported, rooms

POLICIES_MAY_TAKE = (
    "bedplate.components.bounded_yaml",
    "bedplate.components.chart_keys",
    "bedplate.components.docstrings",
    "bedplate.components.platforms",
    "bedplate.components.quantity",
    "bedplate.components.version",
    "bedplate.components.waiver",
    "bedplate.components.workload.kinds",
    "bedplate.components.workload.controllers",
    "bedplate.components.workload.templates",
)
"""What one fact or one reading serves the profile and the rules alike, and costs little to import: what charts honour,
what a platform has, how quantities and versions are written, what runs jobs, what a field is for."""
ASKS_FOR_PROFILES = folder("policies") / "command" / "cluster.py"
"""The policies' command line takes a stack's name: this one file looks its facts up."""
TOKEN = re.compile(r"bedplate:[a-z]+:[A-Z][A-Za-z]+")
LONGEST_FILE = 250
LONGEST_CONSTRUCTOR = 30


def classes(room: str = "components") -> list[type[pulumi.ComponentResource]]:
    found: dict[str, type[pulumi.ComponentResource]] = {}
    for path in modules(room):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for member in vars(import_module(name)).values():
            if inspect.isclass(member) and issubclass(member, pulumi.ComponentResource) and member.__module__ == name:
                found[f"{name}.{member.__name__}"] = member
    return list(found.values())


def test_every_folder_that_is_a_package_is_a_room_of_the_table() -> None:
    assert rooms() == ROOMS.keys()


def test_no_two_rooms_may_import_each_other() -> None:
    list(TopologicalSorter(ROOMS).static_order())  # a CycleError names the rooms


def test_the_table_for_people_names_the_same_rooms() -> None:
    written = {line.split("`")[1].rstrip("/").rpartition("/")[2] for line in table() if line.startswith("| `")}
    assert written - {"tests"} == ROOMS.keys()


def table() -> list[str]:
    """The lines of CONTRIBUTING.md before its first `##` after the table of rooms."""
    return (ROOT / "CONTRIBUTING.md").read_text().split("## A component")[0].splitlines()


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room: str) -> None:
    allowed = {room} if room in GROUND else {room, *GROUND, *ROOMS[room]}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(room)
        for name in imports(path)
        if (top := room_imported(name)) and top not in allowed and path != ASKS_FOR_PROFILES
    ]
    assert wrong == []


def test_the_import_of_the_package_costs_nothing() -> None:
    statements = ast.parse((folder("bedplate") / "__init__.py").read_text()).body
    assert [ast.unparse(one) for one in statements if isinstance(one, ast.Import | ast.ImportFrom)] == []


def test_policies_know_nothing_of_components_but_what_profile_and_rules_must_agree_on() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("policies")
        for name in imports(path)
        if name.startswith("components") and not name.startswith(tuple(inside(one) for one in POLICIES_MAY_TAKE))
    ]
    assert wrong == []


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
    assert len(inspect.getsource(component.__init__).splitlines()) <= LONGEST_CONSTRUCTOR


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
    """The first argument of the constructor's `super().__init__`, which must be spelt out: it is half of every URN."""
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
