"""Completion of commands and their verbs, of options, and of stacks, teams and jobs by name, for three shells.

The script asks nobody but the command itself: `bedplate completion --words ...` answers with the words that fit.
"""

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from bedplate.commands import COMMANDS, Words
from bedplate.jobs.cli import VERBS
from bedplate.plan.errors import PlanError
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles

SCRIPTS = {
    "bash": '_bedplate() { mapfile -t COMPREPLY < <(bedplate completion --words "${COMP_WORDS[@]:1:COMP_CWORD}"); }\n'
    "complete -o default -F _bedplate bedplate\n",
    "zsh": "#compdef bedplate\n"
    '_bedplate() { compadd -- ${(f)"$(bedplate completion --words "${(@)words[2,CURRENT]}")"}; _files }\n'
    "compdef _bedplate bedplate\n",
    "fish": "complete -c bedplate -a '(bedplate completion --words (commandline -opc)[2..] (commandline -ct))'\n",
}
USAGE = f"bedplate completion {'|'.join(SCRIPTS)}"
BY_STACK = ("plan", "preflight", "preview", "up", "down", "verify", "images", "evidence", "adopt", "migrate", "doctor")
SIZES = ("train", "serve", "cluster")
WITH_VERBS = ("job", "size", "lab", "rules")
AT_ONCE = 3
"""Seconds that somebody waits for a completion."""
WRONG = 2


def main(words: Words) -> int:
    """Print a shell's script, or what fits."""
    match words:
        case ["--words", *given]:
            sys.stdout.writelines(f"{word}\n" for word in fitting(given))
        case [shell] if shell in SCRIPTS:
            sys.stdout.write(SCRIPTS[shell])
        case ["--help" | "-h"]:
            sys.stdout.write(
                f'usage: bedplate completion {"|".join(SCRIPTS)}\n\nbash: eval "$(bedplate completion bash)"\n'
            )
        case _:
            sys.stderr.write(f"name a shell: {USAGE}\n")
            return WRONG
    return 0


def fitting(given: Words) -> list[str]:
    """What the last of the words, which may be begun only, can become."""
    *before, begun = given or [""]
    possible = _options(before) if begun.startswith("-") and before else _possible(before)
    return list(dict.fromkeys(word for word in possible if word.startswith(begun)))


def _possible(before: Words) -> Iterator[str]:
    """Nothing is said about a cluster or a file that cannot be read: the shell has a line half typed."""
    with contextlib.suppress(StackFileError, PlanError):
        match before:
            case []:
                yield from (command.name for command in COMMANDS)
            case [*_, "--stack" | "--profile"]:
                yield from StackFiles.here().known()
            case ["job", *_, "-n" | "--namespace"] | [*_, "--team"]:
                yield from _teams()
            case ["job"]:
                yield from (*VERBS, "render")
            case ["job", "why" | "logs" | "cancel", *options]:
                yield from _jobs(options)
            case ["size"]:
                yield from SIZES
            case [command] if command in BY_STACK:
                yield from StackFiles.here().known()
            case _:
                return


def _teams() -> list[str]:
    """Of every profile here, each once."""
    files = StackFiles.here()
    tenancies = (files.profile(stack).get("tenancy") for stack in files.known())
    return list(dict.fromkeys(team for tenancy in tenancies for team in _names(tenancy)))


def _names(tenancy: Any) -> list[str]:  # noqa: ANN401 - as somebody wrote it
    """Of its teams, as far as it has the form of one."""
    try:
        return [str(team["name"]) for team in tenancy["teams"]]
    except (KeyError, TypeError):
        return []


def _jobs(options: Words) -> list[str]:
    """Of the namespace that the words name, if the cluster answers at once."""
    from bedplate.jobs import sight  # noqa: PLC0415 - only who completes a job's name asks a cluster
    from bedplate.jobs.kubectl import Kubectl  # noqa: PLC0415
    from bedplate.jobs.objects import name  # noqa: PLC0415

    given = dict(pairwise(options))
    namespace = given.get("-n") or given.get("--namespace")
    kubectl = Kubectl(given.get("--context"), namespace, longest=AT_ONCE)
    return [name(one) for one in sight.jobs(kubectl, kubectl.kinds())]


def _options(before: Words) -> list[str]:
    """As the command's own help has them."""
    from bedplate.cli import main as run  # noqa: PLC0415 - it imports this

    verb = before[1:2] if before[0] in WITH_VERBS and before[1:2] and not before[1].startswith("-") else []
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        run([before[0], *verb, "--help"])
    return re.findall(r"(?<![\w-])--[a-z][a-z-]*", said.getvalue())
