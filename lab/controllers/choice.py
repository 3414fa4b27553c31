"""Which of a stack's controllers are real in a lab, and why the others are played."""

from collections.abc import Mapping
from dataclasses import dataclass

from lab.binaries import is_built, provide
from lab.controllers.known import CONTROLLERS, HELM, PLAYED
from lab.controllers.rendered import deployed, version
from lab.problem import LabError
from plan.graph import Graph, Node


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
    deploys = {node.name for node in graph.resources if node.kind in {"Release", "Directory"}}
    played = {name: why for name, why in PLAYED.items() if name in deploys}
    for name, one in CONTROLLERS.items():
        if (node := deployed(graph, one)) is None:
            continue
        if version(node) != one.project.version:
            played[name] = f"the stack asks for {version(node)}, and the lab builds {one.project.version}"
        elif not build and not all(map(is_built, (one.project, HELM))):
            played[name] = "not built yet: make lab CONTROLLERS=real"
        else:
            real[name] = node
    return Choice(real, played)


def built(choice: Choice) -> Choice:
    """The choice after a try at building each; what cannot be had stays played, and says why."""
    real, played = dict(choice.real), dict(choice.played)
    for name in choice.real:
        try:
            provide(HELM, CONTROLLERS[name].project)
        except LabError as error:
            played[name] = str(error).splitlines()[0]
            del real[name]
    return Choice(real, played)
