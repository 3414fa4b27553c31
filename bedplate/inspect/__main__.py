"""`bedplate inspect`: what machines are, before pods run on them, and what of it the profile says otherwise."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.answer import answer
from bedplate.wrong import WrongError, refusing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from bedplate.inspect.node import Node
    from bedplate.stacks.profile.pools import Pool
    from bedplate.stacks.profile.profile import Profile

SAME, DIFFERENT = 0, 1
COLLECTOR = Path(__file__).parent / "collect.sh"


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Read, compare, show."""
    options = usage.stated(__file__, "inspect").parse_args(arguments)
    if options.collector:
        sys.stdout.write(COLLECTOR.read_text(encoding="utf-8"))
        return SAME
    if options.nodes:
        options.against = _cluster(options)
    elif bool(options.against) != bool(options.pool):
        raise WrongError("--against and --pool go together: a profile, and the pool of it that the machines are of")
    nodes = _running(options) if options.nodes else _recorded(options.records)
    names = [one.name for one in nodes]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise WrongError(f"{twice}: two records are of this machine; name one of them")
    return _against(nodes, options) if options.pool else _alone(nodes, for_machines=options.json)


def _cluster(options: argparse.Namespace) -> str:
    """The stack whose machines are meant."""
    if len(options.records) != 1 or options.against:
        raise WrongError("--nodes goes with one profile: bedplate inspect ENV --nodes LABEL=VALUE")
    return str(options.records[0])


def _running(options: argparse.Namespace) -> "list[Node]":
    """By pods, on the one context that the profile names."""
    from bedplate.inspect.pods import nodes  # noqa: PLC0415
    from bedplate.stacks.load import load_named  # noqa: PLC0415
    from bedplate.stacks.providers import allowed  # noqa: PLC0415

    profile = load_named(options.against)
    allowed(profile.context)
    image = options.image or (profile.verification and profile.verification.image)
    if not image:
        raise WrongError("--image: missing; name one of your mirror with a shell, or `verification.image`")
    if options.pool:
        _pool(profile, options.pool)
    return nodes(profile.context, options.nodes, image, agreed=options.yes)


def _recorded(paths: "Sequence[Path]") -> "list[Node]":
    from bedplate.inspect.read import node  # noqa: PLC0415 - `--help` must not cost it

    if not paths:
        raise WrongError("no record of a machine: `bedplate inspect --collector > collect.sh`, and run it on each")
    return [node(path) for path in paths]


def _alone(nodes: "Sequence[Node]", *, for_machines: bool) -> int:
    """The profile's lines, a document for each kind of machine; above them what sets the machines apart."""
    from bedplate.inspect.among import unlike  # noqa: PLC0415
    from bedplate.inspect.lines import fragment  # noqa: PLC0415
    from bedplate.inspect.writing import commented, written  # noqa: PLC0415
    from bedplate.printable import printable  # noqa: PLC0415

    pools: dict[str, list[Node]] = {}
    for node in nodes:
        pools.setdefault(str(fragment([node], "")), []).append(node)
    between = list(unlike(nodes))
    if for_machines:
        stated = [{"machines": [one.name for one in alike], **fragment(alike, "")} for alike in pools.values()]
        return _printed("Machines", {"kinds": stated, "differences": between})
    documents = [written(alike, f"pool-{number}") for number, alike in enumerate(pools.values(), 1)]
    above = commented(f"between the machines: {line}" for line in between)
    sys.stdout.write(printable(above + "---\n".join(documents)))
    return DIFFERENT if between else SAME


def _against(nodes: "Sequence[Node]", options: argparse.Namespace) -> int:
    from bedplate.inspect.among import unlike  # noqa: PLC0415
    from bedplate.inspect.comparison import show  # noqa: PLC0415
    from bedplate.inspect.differ import differences  # noqa: PLC0415
    from bedplate.stacks.load import load_named  # noqa: PLC0415

    profile = load_named(options.against)
    pool = _pool(profile, options.pool)
    every = [difference for node in nodes for difference in differences(profile, pool, node)]
    every += [f"between the machines: {line}" for line in unlike(nodes)]
    if options.json:
        return _printed(
            "MachinesCompared", {"pool": pool.name, "machines": [node.name for node in nodes], "differences": every}
        )
    machines = f"{len(nodes)} machine{'s' if len(nodes) > 1 else ''} of pool {pool.name}"
    show(every, f"{machines}: {f'{len(every)} differ' if every else 'as the profile says'}")
    return DIFFERENT if every else SAME


def _printed(kind: str, found: "Mapping[str, Any]") -> int:
    """For programs; of kinds of machines each has the profile's keys, with an empty name for the pool."""
    answer(kind, found)
    return DIFFERENT if found["differences"] else SAME


def _pool(profile: "Profile", name: str) -> "Pool":
    from bedplate.nearest import meant  # noqa: PLC0415

    names = [pool.name for pool in profile.pools]
    if name not in names:
        raise WrongError(f"--pool = {name}: no such pool; {meant(name, names) or 'use ' + ', '.join(names)}")
    return profile.pools[names.index(name)]


if __name__ == "__main__":
    sys.exit(main())
