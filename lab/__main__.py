"""`python -m lab up|down|status|kubeconfig`: the simulated cluster from the command line."""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console

from lab.binaries import LabError, provide
from lab.cluster import COMPONENTS, Cluster

OUT = Console(highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error is one line and exit status 1."""
    parsed = _parser().parse_args(arguments)
    try:
        parsed.run(parsed)
    except LabError as error:
        sys.stderr.write(f"lab: {error}\n")
        return 1
    return 0


def _up(arguments: argparse.Namespace) -> None:
    cluster = Cluster(arguments.name, {} if arguments.download else provide())
    cluster.start()
    OUT.print(f"The lab is ready: {len(cluster.processes())} processes on loopback.")
    OUT.print(f"Look at it:  kubectl --kubeconfig {cluster.kubeconfig} get nodes")
    OUT.print("Take it away:  make lab-down")


def _down(arguments: argparse.Namespace) -> None:
    Cluster(arguments.name, {} if arguments.download else provide()).stop()
    OUT.print("Nothing of the lab is left but the cache of its binaries.")


def _status(arguments: argparse.Namespace) -> None:
    alive = Cluster(arguments.name).processes()
    for component in COMPONENTS:
        OUT.print(f"{component:<24} {f'process {alive[component]}' if component in alive else 'not running'}")


def _kubeconfig(arguments: argparse.Namespace) -> None:
    cluster = Cluster(arguments.name)
    if not cluster.kubeconfig.exists():
        raise LabError(f"there is no lab called {arguments.name}: start it with `make lab`")
    OUT.print(str(cluster.kubeconfig))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lab", description="A GPU datacenter on one machine.")
    parser.add_argument("--name", default="lab", help="which lab; several can run side by side")
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, run, text in (
        ("up", _up, "start it; a second start changes nothing"),
        ("down", _down, "stop it and delete what it wrote"),
        ("status", _status, "say which processes run"),
        ("kubeconfig", _kubeconfig, "print the path of its kubeconfig"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run, download=False)
        if run in (_up, _down):
            command.add_argument("--download", action="store_true", help="let kwokctl download what it needs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
