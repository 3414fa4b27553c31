"""`bedplate lab up|build|down|deploy|destroy|status|nodes|kubeconfig`: the simulated cluster from the command line."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import yaml

from bedplate import usage
from bedplate.console import Console
from bedplate.folders import PROJECT
from bedplate.lab import deploy, report
from bedplate.lab.binaries import LabError, provide
from bedplate.lab.cluster import COMPONENTS, DEFAULT, Cluster
from bedplate.progress import progress
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.stack_file import StackFiles
from bedplate.wrong import WRONG, WrongError

EXAMPLES = StackFiles()
OUT = Console(soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error is one line and exit status 1."""
    parser = usage.stated(__file__, "lab", name=_name)
    parser.set_defaults(name=DEFAULT)
    parsed = parser.parse_args(arguments)
    try:
        VERBS[parsed.verb](parsed)
    except WrongError as error:
        sys.stderr.write(f"lab: {error}\n")
        return error.status if isinstance(error, LabError) else WRONG
    except PermissionError as error:
        fix = "set XDG_CACHE_HOME to a folder that you may write"
        sys.stderr.write(f"lab: {error.filename}: cannot be written: {error.strerror}; {fix}\n")
        return 1
    return 0


def _up(arguments: argparse.Namespace) -> None:
    if arguments.deploy:
        _deploy(arguments)
        return
    objects = site_of(arguments.stack)  # first: a wrong name must not cost a build of the binaries
    cluster = _cluster(arguments)
    if arguments.controllers == "played" or arguments.download:
        _start(cluster, objects)
    else:
        _up_with_controllers(cluster, objects, arguments)
    simulated = [node for node in objects if node["kind"] == "Node"]
    processes = len(cluster.processes())
    OUT.paragraph(f"The lab is ready: {processes} processes on loopback, {len(simulated)} simulated nodes.")
    for line in report.lines(cluster):
        OUT.paragraph(line, rest=" " * report.COLUMN)
    OUT.print(f"Look at it:  kubectl --kubeconfig {cluster.kubeconfig} get nodes")
    OUT.print(f"Take it away:  {cluster.command('down')}")


def _up_with_controllers(cluster: Cluster, objects: Sequence[Mapping[str, Any]], arguments: argparse.Namespace) -> None:
    """The stack's real controllers beside the control plane; those of a lab that is there already start again."""
    from bedplate.lab.controllers import choice, install, run  # noqa: PLC0415 - the Pulumi SDK comes with it
    from bedplate.plan.capture import captured  # noqa: PLC0415
    from bedplate.plan.target import load_project  # noqa: PLC0415

    if cluster.kubeconfig.exists():
        _start(cluster, objects)
        run.start(cluster)
        return
    files, stack = _files_of(arguments.stack)
    with progress(f"Planning {stack}"):
        graph = captured(replace(load_project(PROJECT), stacks=files), stack)
    chosen = choice.built(choice.choose(graph, build=arguments.controllers == "real"))
    cluster = replace(cluster, real=tuple(chosen.real))
    _start(cluster, objects)
    with progress("Installing the real controllers"):
        install.install(cluster, graph, chosen)


def _start(cluster: Cluster, objects: Sequence[Mapping[str, Any]]) -> None:
    with progress(f"Starting the control plane of lab {cluster.name}"):
        cluster.start()
    with progress("Bringing up simulated nodes"):
        cluster.apply(objects)
        cluster.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s")


def _cluster(arguments: argparse.Namespace) -> Cluster:
    return Cluster(arguments.name, {} if arguments.download else provide())


def _deploy(arguments: argparse.Namespace) -> None:
    files, stack = _files_of(arguments.stack)
    objects = site_of(arguments.stack)
    cluster = _cluster(arguments)
    if cluster.unplayed:
        fix = f"{cluster.command('down')}, then {cluster.command('deploy')} {arguments.stack}, to install the charts"
        raise LabError(f"lab {cluster.name} runs real controllers, which a chart of the same would not suffer: {fix}")
    deploy.up(cluster, lambda: _start(cluster, objects), files, stack)


def _destroy(arguments: argparse.Namespace) -> None:
    deploy.down(_cluster(arguments))


def _recover(arguments: argparse.Namespace) -> None:
    deploy.mend(_cluster(arguments))


def _build(_: argparse.Namespace) -> None:
    """What cannot be had is said and left out: the tests that need it skip, and name the reason."""
    from bedplate.lab.controllers.known import CONTROLLERS, HELM  # noqa: PLC0415 - the Pulumi SDK comes with it

    provide()
    for project in (HELM, *(controller.project for controller in CONTROLLERS.values())):
        try:
            provide(project)
        except LabError as error:
            OUT.paragraph(f"left out: {error}")


def _cli(_: argparse.Namespace) -> None:
    OUT.print(deploy.provide_cli())


def _nodes(arguments: argparse.Namespace) -> None:
    simulated = (node for node in site_of(arguments.stack) if node["kind"] == "Node")
    yaml.dump_all(simulated, sys.stdout, Dumper=yaml.CSafeDumper, sort_keys=False)


def site_of(environment: str) -> list[dict[str, Any]]:
    """The nodes of a profile, and what it says is there beside them."""
    from bedplate.lab.site import site  # noqa: PLC0415 - the Pulumi SDK comes with it, and `down` has no use for that
    from bedplate.stacks.load import load_stack  # noqa: PLC0415

    files, stack = _files_of(environment)
    return list(site(load_stack(stack, files)))


def _files_of(environment: str) -> tuple[StackFiles, str]:
    """Of a file or a stack of the user's own project, or of an example that comes with Bedplate."""
    files, stack = named(environment)
    return (EXAMPLES if stack not in files.known() and stack in EXAMPLES.known() else files), stack


def _down(arguments: argparse.Namespace) -> None:
    cluster = _cluster(arguments)
    with progress(f"Stopping lab {cluster.name}"):
        cluster.stop()
        deploy.forget(cluster)
    OUT.paragraph("Nothing of the lab is left but the cache of its binaries.")


def _status(arguments: argparse.Namespace) -> None:
    cluster = Cluster(arguments.name)
    alive = cluster.processes()
    for component in COMPONENTS:
        OUT.print(f"{component:<24} {f'process {alive[component]}' if component in alive else 'not running'}")
    for line in report.lines(cluster):
        OUT.paragraph(line, rest=" " * report.COLUMN)


def _kubeconfig(arguments: argparse.Namespace) -> None:
    cluster = Cluster(arguments.name)
    if not cluster.kubeconfig.exists():
        raise LabError(f"there is no lab called {arguments.name}: start it with `{cluster.command('up')}`")
    OUT.print(str(cluster.kubeconfig))


def _name(text: str) -> str:
    """It becomes a folder, a context and part of commands that the lab prints."""
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", text):
        raise argparse.ArgumentTypeError(f"{text}: a name has small letters, digits and dashes, 63 at most")
    return text


VERBS: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "up": _up,
    "build": _build,
    "deploy": _deploy,
    "destroy": _destroy,
    "recover": _recover,
    "cli": _cli,
    "nodes": _nodes,
    "down": _down,
    "status": _status,
    "kubeconfig": _kubeconfig,
}

if __name__ == "__main__":
    sys.exit(main())
