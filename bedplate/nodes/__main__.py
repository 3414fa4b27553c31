"""`bedplate node why|drain|return ENV`: a node's story, and its way out of the cluster and back in.

Exit status 0: done, and of `why`: nothing keeps jobs off; 1: something does, or a pod still stands on the node; 2: the
command or the profile is wrong, or the cluster does not answer; 3, of `return`: its test is not over. Only the
kubeconfig context that the profile names is touched.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.wrong import refusing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bedplate.nodes.desk import Desk

AN_HOUR = 3600


@refusing
def main(words: list[str]) -> int:
    """Do what the first word says."""
    options = _parser().parse_args(words)
    from bedplate.nodes.desk import desk  # noqa: PLC0415 - the SDK comes with it

    at, status = desk(options.stack)
    if at is None:
        return status
    return {"why": _why, "drain": _drain, "return": _return}[options.verb](at, options)


def _parser() -> argparse.ArgumentParser:
    ends = (
        "0: done, nothing keeps jobs off; 1: something does; 2: wrong command or no cluster; 3: its test is not over."
    )
    whole = usage.parser("node", "One node: why no job gets it, its way out and back in.", ends)
    verbs = whole.add_subparsers(dest="verb", required=True, metavar="VERB", title="verbs")
    why = _verb(verbs, "why", "What happened to a node, in order, and what keeps jobs off it; without NODE: of all.")
    why.add_argument("nodes", metavar="NODE", nargs="*", help="by name")
    usage.for_machines(why)
    drain = _verb(verbs, "drain", "Take nodes out of the queues, cordon them, and evict what runs there.")
    drain.add_argument("nodes", metavar="NODE", nargs="+", help="by name")
    drain.add_argument("--reason", metavar="TEXT", required=True, help="for whoever asks why; it stands on the node")
    drain.add_argument("--timeout", metavar="S", type=int, default=AN_HOUR, help="for all pods to go (%(default)s)")
    drain.add_argument("--dry-run", action="store_true", help="say what would end, and change nothing")
    back = _verb(verbs, "return", "Bring nodes back; with `verification.qualify` only those that pass their test.")
    back.add_argument("nodes", metavar="NODE", nargs="+", help="by name")
    return whole


def _verb(
    verbs: "argparse._SubParsersAction[usage.Parser]",  # pyright: ignore[reportPrivateUsage]
    verb: str,
    purpose: str,
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(verb, description=purpose, help=purpose, prog=f"bedplate node {verb}")
    usage.about_stack(parser)
    return parser


def _why(at: "Desk", options: argparse.Namespace) -> int:
    from bedplate.nodes import show  # noqa: PLC0415

    told = at.told(options.nodes)
    (show.as_json if options.json else show.show)(at.stack, told, whole=bool(options.nodes))
    return int(any(one.obstacles for one in told))


def _drain(at: "Desk", options: argparse.Namespace) -> int:
    from bedplate.cluster.objects import name  # noqa: PLC0415
    from bedplate.nodes.pods import blocked, held, standing  # noqa: PLC0415
    from bedplate.plan.progress import progress  # noqa: PLC0415

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
