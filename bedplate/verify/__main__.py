"""`bedplate verify ENV`: is the running cluster what its profile says? Checks run as jobs of a team, in its queue.

Only the kubeconfig context that the profile names is touched.
"""

import argparse
import secrets
import sys
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.wrong import refusing

if TYPE_CHECKING:
    from bedplate.stacks.profile.profile import Profile
    from bedplate.verify.cluster import Cluster
    from bedplate.verify.outcome import Outcome
    from bedplate.verify.run import Task


@refusing
def main(arguments: list[str] | None = None) -> int:
    """Check, show, and say by the exit status how it went."""
    return _run(usage.stated(__file__, "verify").parse_args(arguments))


def _run(options: argparse.Namespace) -> int:
    from bedplate.stacks.load import load_stack  # noqa: PLC0415
    from bedplate.stacks.profile.named import named  # noqa: PLC0415
    from bedplate.stacks.providers import guard  # noqa: PLC0415
    from bedplate.verify import show  # noqa: PLC0415

    files, stack = named(options.stack)
    profile = load_stack(stack, files)
    task = _task(options, profile)
    if status := guard(stack, files):
        return status
    outcome = _outcome(options, stack, task)
    for path, write in ((options.junit, show.junit), (options.page, show.page)):
        if path:
            path.write_text(write(outcome), encoding="utf-8")
    if options.json:
        sys.stdout.write(show.as_json(outcome))
    else:
        show.show(outcome)
    return outcome.exit_status


def _task(options: argparse.Namespace, profile: "Profile") -> "Task":
    from bedplate.stacks.platform.deploy import founded  # noqa: PLC0415
    from bedplate.verify.jobs import Desk  # noqa: PLC0415
    from bedplate.verify.run import Task  # noqa: PLC0415
    from bedplate.verify.section import driver, gate_of, pools, section  # noqa: PLC0415

    derived = founded(profile)
    jobs = options.qualify or options.level != "nodes"
    settings = section(profile, options.team, options.image, jobs=jobs)
    if options.qualify:
        gate_of(settings)
    nodes_asked_for: str = options.nodes
    names = frozenset(name for name in nodes_asked_for.split(",") if name)
    servers = profile.servers
    desk = Desk(derived, settings, secrets.token_hex(3))
    teams = profile.tenancy.teams if profile.tenancy else ()
    egress = next((team.egress for team in teams if team.name == settings.team), ())
    return Task(desk, pools(derived, options.pool, jobs=jobs), options.level, names, servers, driver(profile), egress)


def _outcome(options: argparse.Namespace, stack: str, task: "Task") -> "Outcome":
    from bedplate.verify.cluster import Cluster, patience  # noqa: PLC0415
    from bedplate.verify.outcome import Outcome  # noqa: PLC0415
    from bedplate.verify.run import verify  # noqa: PLC0415
    from bedplate.verify.section import known_nodes  # noqa: PLC0415

    seconds = options.timeout or task.desk.section.timeout
    cluster = Cluster(task.desk.facts.context, patience(seconds), _say)
    nodes = cluster.nodes()
    known_nodes(task, nodes)
    if options.qualify:
        return _qualified(task, cluster, stack)
    sheet = verify(task, cluster, nodes)
    return Outcome(stack, task.level, tuple(sheet.cases), tuple(sheet.not_checked))


def _qualified(task: "Task", cluster: "Cluster", stack: str) -> "Outcome":
    """Each node by itself, and then where the level says so all that are in."""
    from bedplate.verify.outcome import Outcome  # noqa: PLC0415
    from bedplate.verify.qualify import Gate  # noqa: PLC0415
    from bedplate.verify.run import states, verify  # noqa: PLC0415

    gate = Gate(task, cluster)
    cases = gate.run()
    if task.level == "quick":
        return Outcome(stack, "qualify", (*cases, *states(task, cluster.nodes())))
    sheet = verify(task, cluster, cluster.nodes())
    gate.refuse(sheet.cases)
    return Outcome(stack, task.level, (*cases, *sheet.cases), tuple(sheet.not_checked))


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
