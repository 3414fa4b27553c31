"""The rooms of the house: who is above whom, and that nothing of a component was forgotten."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pulumi
import pytest
from pydantic.alias_generators import to_camel

from bedplate.components.chart import Chart
from bedplate.components.extension import SitePart
from bedplate.components.storage.drivers import DRIVERS
from bedplate.stacks.facts import derive
from bedplate.stacks.platform import ground, hardware, scheduling, services, workloads
from bedplate.stacks.platform.deploy import PLATFORM
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from tests.rooms import ROOT, floors, folder, modules
from tests.unit.test_structure import classes

STACKS_HOLDS = 10
FLOORS, FILES = 8, 14
"""Of `policies/`: how many of its parts, and of its files, stand upon each other at most."""


def test_stacks_is_seen_at_a_glance() -> None:
    entries = {path.name for path in folder("stacks").iterdir() if path.name != "__pycache__"}
    assert len({name for name in entries if not name.startswith("Pulumi.")}) <= STACKS_HOLDS


def test_facts_are_derived_in_one_pass() -> None:
    """Nobody is handed a half of them: what `stacks/facts` calls in `components/` takes no facts."""
    called = [
        each for path in modules("stacks") if path.parent.name == "facts" for each in functions_of_components(path)
    ]
    assert [
        each.__qualname__ for each in called if {"facts", "known", "args"} & inspect.signature(each).parameters.keys()
    ] == []
    assert "replace(" not in inspect.getsource(derive.facts), "facts that are put right afterwards"


@pytest.mark.parametrize("layer", [ground, hardware, scheduling, services, workloads])
def test_no_step_of_a_layer_is_forgotten(layer: ModuleType) -> None:
    own = [each for each in vars(layer).values() if isinstance(each, Step) and each not in below(layer)]
    assert sorted(step.name for step in own) == sorted(step.name for step in vars(layer)["STEPS"])


def below(layer: ModuleType) -> list[Step[Any]]:
    """Steps of other layers."""
    return [step for step in PLATFORM if step not in vars(layer)["STEPS"]]


def functions_of_components(path: Path) -> Iterator[FunctionType]:
    """Every function of `components/` that a module can name: imported, or a member of a module that is."""
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for value in vars(module).values():
        for each in vars(value).values() if inspect.ismodule(value) else (value,):
            if inspect.isfunction(each) and each.__module__.startswith("bedplate.components."):
                yield each


def test_policies_are_no_tower() -> None:
    assert floors("policies") <= FLOORS
    assert floors("policies", depth=9) <= FILES


@pytest.mark.parametrize("component", classes(), ids=lambda one: one.__name__)
def test_a_component_is_built_by_a_step_or_by_another_component(component: type[pulumi.ComponentResource]) -> None:
    built = {SitePart} | {step.build for step in PLATFORM} | {driver.install for driver in DRIVERS.values()}
    assert component in built or component.__name__ in called(), f"{component.__name__} is in no step"


@cache
def called() -> set[str]:
    """Every plain name that is called in `components/` and `stacks/`."""
    trees = (ast.parse(path.read_text()) for room in ("components", "stacks") for path in modules(room))
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


@pytest.mark.parametrize("component", classes(), ids=lambda one: one.__name__)
def test_a_component_has_tests(component: type[pulumi.ComponentResource]) -> None:
    file = component.__module__.rpartition(".")[2]
    keys = {step.name for step in PLATFORM if step.build is component}
    names = {file, component.__name__, to_camel(file), file.replace("_", "-"), *keys}
    assert any(name in all_tests() for name in names), f"no test says any of {sorted(names)}"


@cache
def all_tests() -> str:
    """All tests but this one."""
    return "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))


@pytest.mark.parametrize("one", sorted(installable(Profile).items(), key=str), ids=lambda one: one[1].name)
def test_what_is_installed_has_a_page_that_names_it(one: tuple[type, Chart]) -> None:
    section, brought = one
    pages = "".join(path.read_text() for path in (ROOT / "docs").glob("*.md") if path.name != "profile.md")
    source = Path(inspect.getfile(section)).relative_to(folder("bedplate"))
    names = {brought.name, str(source)}
    assert any(name in pages for name in names), f"no page in docs/ names any of {sorted(names)}"
