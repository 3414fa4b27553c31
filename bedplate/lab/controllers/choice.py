"""Which of a stack's controllers are real in a lab, and why the others are played."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from bedplate.charts import stated
from bedplate.components.chart_keys import chart_name
from bedplate.lab import LabError
from bedplate.lab.binaries import is_built, provide
from bedplate.lab.controllers.known import CONTROLLERS, HELM, Real
from bedplate.lab.controllers.rendered import deployed, gangs_by, version
from bedplate.plan.graph import Graph, Node


@dataclass(frozen=True)
class Choice:
    """By the controller's name."""

    real: Mapping[str, Node]
    """Its release or kustomization in the plan."""
    played: Mapping[str, str]
    """The reason."""


def choose(graph: Graph, *, build: bool) -> Choice:
    """Of the controllers that the stack deploys; what is not built yet stays played unless it shall be."""
    real: dict[str, Node] = {}
    releases = [node for node in graph.resources if node.kind == "Release"]
    played = {node.name: why for node in releases if (why := stated(_chart(node), "release.toml").get("played"))}
    for name, controller in CONTROLLERS.items():
        if (node := deployed(graph, controller)) is None:
            continue
        if why := _hindrance(controller, node, real, build=build):
            played[name] = why
        else:
            real[name] = node
    return Choice(real, played)


def _chart(node: Node) -> str:
    return chart_name(str(node.inputs["chart"]))


def _hindrance(controller: Real, node: Node, real: Container[str], *, build: bool) -> str:
    """Why it cannot be real beside those that are; empty: it can."""
    if version(node) != controller.project.version:
        return f"the stack asks for {version(node)}, and the lab builds {controller.project.version}"
    if not build and not all(map(is_built, (controller.project, HELM))):
        return "not built yet: bedplate lab up --controllers real"
    return _lonely(controller, node, real)


def _lonely(controller: Real, node: Node, real: Container[str]) -> str:
    """Which controller it lacks; empty: none."""
    missing = [name for name in (*controller.needs, *gangs_by(node)) if name not in real]
    return f"it does nothing without {missing[0]}, which is not real here" if missing else ""


def built(choice: Choice) -> Choice:
    """The choice after a try at building each; what cannot be had stays played, and says why."""
    real: dict[str, Node] = {}
    played = dict(choice.played)
    for name, node in choice.real.items():
        if why := _unbuilt(name) or _lonely(CONTROLLERS[name], node, real):
            played[name] = why
        else:
            real[name] = node
    return Choice(real, played)


def _unbuilt(name: str) -> str:
    """The error of a build; empty: there is none."""
    try:
        provide(HELM, CONTROLLERS[name].project)
    except LabError as error:
        return str(error).splitlines()[0]
    return ""
