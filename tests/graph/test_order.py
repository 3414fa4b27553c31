"""The order holds for every stack, and for every subset of the optional sections."""

from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.platform.deploy import PLATFORM
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.closure import closure
from tests.examples import examples
from tests.stack_files import STACKS, document, graph, graph_of

BRING_UP = (
    ("nfd-kinds", "nfd", "nics", "gpu-operator", "gpus", "networks"),
    ("nfd-kinds", "network-operator", "nics"),
)
"""NFD beside the Network Operator, NicClusterPolicy ready, GPU Operator, ClusterPolicy ready, NADs."""


def component(graph: Graph, step: str) -> str | None:
    """URN of a step's component, if the stack has it."""
    found = [n.urn for n in graph.resources if n.name == step and n.type.startswith("bedplate:")]
    return found[0] if found else None


def assert_each_waits_for_the_one_before(graph: Graph) -> None:
    chains = [[(step, urn) for step in line if (urn := component(graph, step))] for line in BRING_UP]
    for (before, first), (after, second) in chain.from_iterable(map(pairwise, chains)):
        earlier = {node.urn for node in graph.children(first)}
        for child in graph.children(second):
            assert earlier <= closure(graph, child.urn), f"{after} does not wait for all of {before}"


@pytest.mark.parametrize("stack", STACKS)
def test_the_operator_core_comes_up_in_order(stack: str) -> None:
    assert_each_waits_for_the_one_before(graph(stack))


@pytest.mark.parametrize("stack", STACKS)
def test_a_plan_lists_all_in_the_programs_order_so_that_two_runs_are_alike(stack: str) -> None:
    found, place = graph(stack), {step.name: number for number, step in enumerate(PLATFORM)}
    tops = [place[node.name] for node in found.children(found.nodes[0].urn) if node.name in place]
    assert tops == sorted(tops)
    number = {node.urn: node.seq for node in found.nodes}
    assert all(number[urn] < node.seq for node in found.nodes for urn in node.waits_for())


OPTIONAL = sorted(
    field.alias or name for name, field in Profile.model_fields.items() if field.default is None and name != "charts"
)


def without(stack: str, gone: set[str]) -> dict[str, Any]:
    return {key: value for key, value in document(stack).items() if key not in gone}


@examples(60)
@given(st.sampled_from(STACKS), st.sets(st.sampled_from(OPTIONAL)))
def test_every_step_waits_for_all_its_ancestors_whatever_is_left_out(stack: str, gone: set[str]) -> None:
    profile = without(stack, gone)
    try:
        load(profile)
    except ProfileError:
        return  # a subset that the profile refuses cannot be deployed either
    declared = graph_of(profile)
    assert_each_waits_for_the_one_before(declared)
    for step in PLATFORM:
        urn = component(declared, step.name)
        for ancestor in step.ancestors():
            before = component(declared, ancestor.name)
            if urn and before:
                assert before in closure(declared, urn) | {
                    node.parent for node in declared.resources if node.urn in closure(declared, urn)
                }, f"{step.name} does not wait for {ancestor.name}"


@examples(60)
@given(st.sampled_from(STACKS), st.sets(st.sampled_from(OPTIONAL)))
def test_a_component_is_there_exactly_if_its_section_is(stack: str, gone: set[str]) -> None:
    try:
        profile = load(without(stack, gone))
    except ProfileError:
        return
    declared = graph_of(without(stack, gone))
    for step in PLATFORM:
        asked = step.section(profile, facts(profile)) is not None
        assert asked is (component(declared, step.name) is not None), step.name


def test_depends_on_stands_once_in_the_code() -> None:
    from bedplate.folders import PROJECT

    folders = ("components", "stacks")
    code = [path for folder in folders for path in (PROJECT / folder).rglob("*.py")]
    using = [path.name for path in code if "depends_on=" in path.read_text()]
    own = ["cluster.py", "extension.py"]  # what a site says of its own parts and resources
    assert sorted(using) == sorted([*own, "deploy.py"])
