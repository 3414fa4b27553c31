"""The plans of all clusters of a fleet, one after the other in one process: the SDK is loaded once."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bedplate.fleet.member import Formation, Member
from bedplate.folders import PACKAGE, PROJECT
from bedplate.plan import output
from bedplate.plan.capture import captured
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Graph
from bedplate.plan.stackfile import Project, load_project
from bedplate.plan.summary import summary
from bedplate.stacks.profile.named import ProfileFile

MANDATORY = "mandatory"


@dataclass(frozen=True)
class Planned:
    """One cluster's plan, in brief: the graph itself is let go, so that memory does not grow with the fleet."""

    name: str
    wave: str
    gpus: int
    version_set: str
    """Empty: the newest of this Bedplate."""
    resources: int
    violated: tuple[str, ...]
    """Mandatory rules."""
    fault: str = ""
    """Why there is no plan."""

    def as_json(self) -> dict[str, Any]:
        """What a machine reads."""
        own = {"cluster": self.name, "wave": self.wave, "gpus": self.gpus, "set": self.version_set or None}
        return {**own, "resources": self.resources, "violated": list(self.violated), "fault": self.fault or None}


def plans(formed: Formation, out: Path | None = None) -> Iterator[Planned]:
    """Of each cluster, in the order of the waves; with `out` each is written as `bedplate plan --out` does."""
    for member in formed.members:
        wave, version_set = formed.wave_of(member.name), member.profile.version_set or ""
        try:
            graph = graph_of(member)
        except PlanError as error:
            yield Planned(member.name, wave, member.gpus, version_set, 0, (), " ".join(str(error).split()))
            continue
        brief = summary(graph)
        if out:
            output.write(out / member.name, graph, brief)
        rules = dict.fromkeys(str(each["rule"]) for each in brief["verdicts"] if each["severity"] == MANDATORY)
        yield Planned(member.name, wave, member.gpus, version_set, len(graph.resources), tuple(rules))


def graph_of(member: Member) -> Graph:
    """What its project's own program declares; ours, where its profile lies in no project."""
    project = _project(member)
    _forget(project.main)
    return captured(project, member.stack)


def _project(member: Member) -> Project:
    if isinstance(member.files, ProfileFile):
        return replace(load_project(PROJECT), stacks=member.files)
    return load_project(member.files.root)


def _forget(main: Path) -> None:
    """Modules of other projects: a program of one may import what another's has by the same name."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not file or name == "__main__":
            continue
        root = next((each for each in sys.path if each in _MAINS and Path(file).is_relative_to(each)), None)
        if root and root != str(main) and not Path(file).is_relative_to(PACKAGE):
            del sys.modules[name]
    sys.path[:] = [each for each in sys.path if each not in _MAINS or each == str(main)]
    if main != PROJECT:
        _MAINS.add(str(main))


_MAINS = set[str]()
"""Folders of programs that were planned; `captured` puts each on the path."""
