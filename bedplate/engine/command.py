"""The one way to a stack's cluster, for people and for CI: Pulumi's CLI behind a guard, with the policies.

The kubeconfig's context must be the profile's. A preview and an `up` are judged by the policy pack with the profile's
facts. In CI the kubeconfig is the text in KUBECONFIG_TEXT, and nothing is asked.
"""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bedplate import usage
from bedplate.engine import tool
from bedplate.engine.children import ERR, Children, Stopped
from bedplate.engine.prerequisites import PROGRAMS, lacking
from bedplate.engine.run import Run, adopt
from bedplate.engine.site import absent
from bedplate.engine.state import another_cluster, deployed, refused, rest
from bedplate.progress import progress
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles
from bedplate.wrong import WRONG, refusing

if TYPE_CHECKING:
    from bedplate.preflight.beside import Beside

EMPTYING = ("destroy", "refresh")
SAME = {"down": "destroy", "dn": "destroy", "update": "up", "pre": "preview"}
"""Other names that Pulumi has for a command that is guarded here (pulumi v3.272, pkg/cmd/pulumi/operations)."""
ELSEWHERE = re.compile(r"(--stack|--cwd)(=|$)|-[a-z]*[sC]")
"""Options by which Pulumi would act on another stack than the one that was judged."""


@refusing
def main(words: list[str]) -> int:
    """Guard, prepare, run; the exit status is the CLI's own."""
    called, *rest = words
    options, more = _parser(called).parse_known_args(rest[1:] if rest[:1] == ["--stack"] else rest)
    try:
        files, stack = _own(options.stack)
        command = SAME.get(str(options.command), str(options.command))
        with Children() as children, tempfile.TemporaryDirectory() as scratch:
            return _run(Run(command, stack, _alone(files, stack, more), more, Path(scratch), children))
    except Stopped as stop:
        return stop.status


def _own(name: str) -> tuple[StackFiles, str]:
    """A stack of the project that the user stands in: the engine keeps the state of no other."""
    stated, stack = named(name)
    files = StackFiles.here()
    if files.place(stack).resolve() != stated.place(stack).resolve():
        raise StackFileError(f"{name}: no stack of the project here; `bedplate init` makes a project")
    return files, stack


def _alone(files: StackFiles, stack: str, more: Sequence[str]) -> StackFiles:
    """The files, unless the rest of the command line leads to another stack."""
    if leads := next((word for word in more if ELSEWHERE.match(word)), ""):
        raise StackFileError(f"{leads}: the stack is {stack} already; name the one that is meant in its place")
    return files


def _parser(called: str) -> usage.Parser:
    parser = usage.parser("down" if called == "destroy" else called, str(__doc__))
    parser.hands_on = True
    parser.epilog = "What else is given goes to Pulumi: --diff, --yes, --refresh …"
    if called == "pulumi":
        parser.add_argument("command", help="refresh, cancel or any other command of Pulumi")
    parser.set_defaults(command=called)
    parser.add_argument("stack", metavar="ENV", help="a stack of this project, or its file")
    return parser


def _run(run: Run) -> int:
    from bedplate.stacks.providers import guard  # noqa: PLC0415 - Pulumi's SDK comes with it

    os.environ.update(tool.environment(run.scratch))
    if status := guard(run.stack, run.files):
        return status
    with progress(f"Looking at what {run.stack} needs"):
        faults = [*lacking(run.command, run.stack, run.files, asks=not tool.quietly())]
        if not faults and run.command in PROGRAMS:
            faults = [*absent(run.stack, run.files)]
    if faults:
        sys.stderr.writelines(f"{line}\n" for line in faults)
        return WRONG
    cli = tool.cli()  # only now: a wrong name or profile must not cost its download
    if run.command in (*tool.JUDGED, "adopt", "config") and (status := _selected(cli, run)):
        return status
    if run.command == "adopt":
        return adopt(cli, run)
    kept = _kept(cli, run) if run.command in EMPTYING else []
    judging: tuple[str, ...] = ()
    if run.command in tool.JUDGED:
        judging = (*tool.plain(run.more, run.scratch), *tool.policies(run.stack, run.scratch))
    words = [cli, run.command, "--stack", run.stack, *run.more, *kept, *judging, *run.logged(), *tool.quietly()]
    beside = _beside(run.stack, run.files) if run.command == "preview" else None
    status = run.pulumi(words, terminal=not tool.quietly())
    if beside and not run.children.asked:
        beside.tell()
    return status


def _kept(cli: str, run: Run) -> list[str]:
    """The option with which what is protected stays; raises where the state is another cluster's, or nobody decided."""
    state = deployed(cli, run.stack, run.files.root)
    if fault := another_cluster(run.stack, state):
        raise StackFileError(fault.rstrip())
    if run.command != "destroy":
        return []
    if fault := refused(run.stack, state, run.more, asks=not tool.quietly()):
        raise StackFileError(fault.rstrip())
    return rest(state, run.more)


def _selected(cli: str, run: Run) -> int:
    """A cluster that is new has no stack yet; CI cannot be asked to make it."""
    return run.pulumi([cli, "stack", "select", "--create", run.stack, "--non-interactive"], ERR)


def _beside(stack: str, files: StackFiles) -> "Beside | None":
    """Ask the cloud while Pulumi works, where the profile names one (docs/preflight.md)."""
    from bedplate.stacks.load import load_stack  # noqa: PLC0415 - the other commands

    profile = load_stack(stack, files)
    if profile.own_cloud is None:
        return None
    from bedplate.preflight.beside import Beside  # noqa: PLC0415 - only clouds pay for it

    return Beside(profile)
