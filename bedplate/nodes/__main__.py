"""`bedplate node why|drain|return ENV`: a node's story, and its way out of the cluster and back in.

Only the kubeconfig context that the profile names is touched.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.progress import progress
from bedplate.wrong import refusing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bedplate.nodes.desk import Desk


@refusing
def main(words: list[str]) -> int:
    """Do what the first word says."""
    options = usage.stated(__file__, "node").parse_args(words)
    from bedplate.nodes.desk import desk  # noqa: PLC0415 - the SDK comes with it

    at, status = desk(options.stack)
    if at is None:
        return status
    return {"why": _why, "drain": _drain, "return": _return}[options.verb](at, options)


def _why(at: "Desk", options: argparse.Namespace) -> int:
    from bedplate.nodes import show  # noqa: PLC0415

    with progress(f"Looking at {at.stack}"):
        statuses = at.statuses(options.nodes)
    (show.as_json if options.json else show.show)(at.stack, statuses, whole=bool(options.nodes))
    return int(any(one.obstacles for one in statuses))


def _drain(at: "Desk", options: argparse.Namespace) -> int:
    from bedplate.cluster.objects import name  # noqa: PLC0415
    from bedplate.nodes.pods import blocked, held, standing  # noqa: PLC0415

    nodes = at.named(options.nodes)
    for pool, node in nodes:
        _say(f"{name(node)} (pool {pool.name}) ends:", map(held, standing(at.site.pods(name(node)))))
    _say("", at.short(nodes))
    if options.dry_run:
        return 0
    for _, node in nodes:
        at.site.take_out(node, options.reason)
    with progress(f"Draining {', '.join(options.nodes)}"):
        complaint = at.site.drain(options.nodes, options.timeout)
    if not complaint:
        _say("", [f"drained; afterwards: bedplate node return {at.stack} {' '.join(options.nodes)}"])
        return 0
    budgets = at.site.budgets()
    for given in options.nodes:
        left = blocked(at.site.pods(given), budgets).items()
        _say(f"{given}: out of the queues; still there:", (f"{pod}{_by(why)}" for pod, why in left))
    sys.stderr.write(f"{complaint}\nrun it again to go on\n")
    return 1


def _by(budgets: "Iterable[str]") -> str:
    names = ", ".join(budgets)
    return f", held by the PodDisruptionBudget {names}" if names else ""


def _return(at: "Desk", options: argparse.Namespace) -> int:
    from bedplate.cluster.objects import name  # noqa: PLC0415

    nodes = at.named(options.nodes)
    if wrong := list(at.unfit(nodes)):
        _say("stays out:", wrong)
        return 1
    for _, node in nodes:
        at.site.put_back(node)
    gated = [name(node) for pool, node in nodes if pool.gate]
    if not gated:
        _say("", ["back; nothing tests it before jobs get it: verification.qualify is not in the profile"])
        return 0
    from bedplate.verify.__main__ import main as verify  # noqa: PLC0415

    return verify([at.stack, "--qualify", "--nodes", ",".join(gated)])


def _say(title: str, lines: "Iterable[str]") -> None:
    shown = list(lines)
    if title and shown:
        sys.stdout.write(f"{title}\n")
    sys.stdout.writelines(f"{'  ' if title else ''}{line}\n" for line in shown)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
