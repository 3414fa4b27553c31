"""Run a stack's own `__main__.py` in process and hand back the graph that it declares."""

import contextlib
import json
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bedplate.folders import PROJECT
from bedplate.stacks.profile.stack_file import PROFILE_KEY

from .environment import hermetic
from .errors import PlanError
from .graph import Graph
from .stackfile import Configuration, Project, configure, load_configuration, load_project

DEFAULTS = "pulumi:disable-default-providers"


def capture(stack: str, root: Path = PROJECT, *, preview: bool = False) -> Graph:
    """The graph of a stack that has a file."""
    return captured(load_project(root), stack, preview=preview)


def captured(project: Project, stack: str, *, preview: bool = False) -> Graph:
    """The graph of a stack of a project that is read already; its program finds the profile where the plan has it."""
    with project.stacks.chosen():
        return _capture(project, stack, load_configuration(project, stack), preview=preview)


def capture_config(
    stack: str,
    config: Mapping[str, Any],
    *,
    secret_keys: frozenset[str] = frozenset(),
    root: Path = PROJECT,
    preview: bool = False,
) -> Graph:
    """The graph for configuration given as plain values (`{"bedplate:profile": {...}}`), with no stack file."""
    project = load_project(root)
    return _capture(project, stack, configure(project, config, secret_keys), preview=preview)


def _capture(project: Project, stack: str, configuration: Configuration, *, preview: bool) -> Graph:
    def program() -> None:
        runpy.run_path(str(project.main / "__main__.py"), run_name="__main__")

    if str(project.main) not in sys.path:  # as Pulumi's own launcher does
        sys.path.insert(0, str(project.main))
    return record(program, project.name, stack, configuration, preview=preview)


def record(
    program: Callable[[], Any], project: str, stack: str, configuration: Configuration, *, preview: bool = False
) -> Graph:
    """Run a program; what it refuses, and what it logs as an error, is a PlanError."""
    import pulumi  # noqa: PLC0415 - half a second, and a wrong stack name must not cost it

    from .answers import LOOKUPS  # noqa: PLC0415
    from .monitor import Monitor  # noqa: PLC0415
    from .run import placeholders, run  # noqa: PLC0415

    monitor = Monitor(project, stack, preview=preview, invokes=LOOKUPS)
    try:
        # What the program prints goes to standard error: the plan's own output is for machines as well.
        with hermetic(), placeholders() as absent_secrets, contextlib.redirect_stdout(sys.stderr):
            run(program, monitor, configuration.values, configuration.secret_keys)
    except pulumi.RunError as error:
        raise PlanError(" ".join(line.split()) for line in str(error).splitlines()) from error
    graph = monitor.graph()
    if errors := [text for severity, text in graph.logs if severity == "ERROR"]:
        raise PlanError(errors)
    if nameless := [*_without_provider(graph, configuration)]:
        raise PlanError(nameless)
    missing = tuple(sorted(configuration.missing | absent_secrets))
    return replace(graph, profile=configuration.structured(PROFILE_KEY), missing_secrets=missing)


def _without_provider(graph: Graph, configuration: Configuration) -> Iterator[str]:
    """What the engine would refuse: resources without a provider, where the stack forbids the default one."""
    forbidden = json.loads(configuration.values.get(DEFAULTS, "[]"))
    for node in graph.resources:
        if node.has_default_provider and {node.package, "*"} & {*forbidden}:
            fix = "on this cluster write `opts=cluster.after()`, with `cluster = deploy()` (docs/own-parts.md)"
            yield f"{node.kind} {node.name}: no provider, and {DEFAULTS} forbids that of {node.package}; {fix}"
