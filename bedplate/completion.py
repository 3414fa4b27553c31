"""Completion of commands and their verbs, of options, and of their values, for three shells.

The script asks nobody but the command itself: `bedplate completion --words ...` answers with the words that fit. They
come from the command's own parser: choices as they are, and other values by what its help calls them.
"""

import argparse
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import pairwise
from typing import Any

from bedplate.cluster.kubectl import started
from bedplate.commands import COMMANDS, Words, called
from bedplate.jobs.cli import VERBS
from bedplate.stacks.profile.stack_file import StackFiles
from bedplate.usage import Begun, begun
from bedplate.wrong import WRONG, WrongError

SCRIPTS = {
    "bash": '_bedplate() { mapfile -t COMPREPLY < <(bedplate completion --words "${COMP_WORDS[@]:1:COMP_CWORD}"); }\n'
    "complete -o default -F _bedplate bedplate\n",
    "zsh": "#compdef bedplate\n"
    '_bedplate() { compadd -- ${(f)"$(bedplate completion --words "${(@)words[2,CURRENT]}")"}; _files }\n'
    "compdef _bedplate bedplate\n",
    "fish": "complete -c bedplate -a '(bedplate completion --words (commandline -opc)[2..] (commandline -ct))'\n",
}
USAGE = f"bedplate completion {'|'.join(SCRIPTS)}"
AT_ONCE = 3
"""Seconds that somebody waits for a completion."""


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
    *before, last = given or [""]
    return list(dict.fromkeys(word for word in _possible(before, last) if word.startswith(last)))


def _possible(before: Words, last: str) -> Iterable[str]:
    match before:
        case []:
            return (command.name for command in COMMANDS)
        case ["job"]:
            return (*VERBS, "render")
        case _ if reached := _reached(*before):
            parser, place = reached.parser.at(reached.words)
            return parser.options() if last.startswith("-") else _values(place, reached.words) if place else ()
        case _:
            return ()


def _reached(name: str, *rest: str) -> Begun | None:
    """The parser that a command reads its words with; some end before they have one."""
    command = called(name)
    with begun(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            if command:
                command.run(list(rest))
        except Begun as end:
            return end
    return None


def _values(place: argparse.Action, words: Sequence[str]) -> Iterator[str]:
    """Nothing is said of a cluster or a file that cannot be read: the shell has a line half typed."""
    if place.choices is not None:
        yield from map(str, place.choices)
    elif place.dest != NEW and (source := SOURCES.get(str(place.metavar))):
        with suppress(WrongError):
            yield from source(words)


def _stacks(_: Sequence[str]) -> Iterable[str]:
    return StackFiles.here().known()


def _sets(_: Sequence[str]) -> Iterable[str]:
    from bedplate.charts.sets import known  # noqa: PLC0415 - only who completes one reads them

    return known()


def _pages(_: Sequence[str]) -> Iterable[str]:
    from bedplate.pages import known  # noqa: PLC0415

    return known()


def _models(_: Sequence[str]) -> Iterable[str]:
    from bedplate.catalog.models import MODELS  # noqa: PLC0415

    return MODELS


def _shapes(_: Sequence[str]) -> Iterable[str]:
    from bedplate.stacks.hardware.shapes import SHAPES  # noqa: PLC0415

    return SHAPES


def _contexts(_: Sequence[str]) -> Iterable[str]:
    return started(("kubectl", "config", "get-contexts", "-o", "name"), limit=AT_ONCE)[1].split()


def _rules(_: Sequence[str]) -> Iterable[str]:
    said = io.StringIO()
    with redirect_stdout(said):
        next(one for one in COMMANDS if one.name == "rules").run(["--list"])
    return (line.split()[0] for line in said.getvalue().splitlines())


def _teams(_: Sequence[str]) -> Iterable[str]:
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


def _jobs(words: Sequence[str]) -> Iterable[str]:
    """Of the namespace that the words name, if the cluster answers at once."""
    from bedplate.cluster.objects import name  # noqa: PLC0415
    from bedplate.jobs import sight  # noqa: PLC0415 - only who completes a job's name asks a cluster
    from bedplate.jobs.kubectl import Kubectl  # noqa: PLC0415

    given = dict(pairwise(words))
    namespace = given.get("-n") or given.get("--namespace")
    kubectl = Kubectl(given.get("--context"), namespace, longest=AT_ONCE)
    return [name(one) for one in sight.jobs(kubectl, kubectl.kinds())]


NEW = "environment"
"""A name that nobody has yet."""
SOURCES: Mapping[str, Callable[[Sequence[str]], Iterable[str]]] = {
    "ENV": _stacks,
    "EXAMPLE": lambda _: StackFiles().known(),
    "TEAM": _teams,
    "NAME": _jobs,
    "CONTEXT": _contexts,
    "RULE": _rules,
    "SET": _sets,
    "VERSION": _sets,
    "PAGE": _pages,
    "MODEL": _models,
    "SHAPE": _shapes,
}
"""By what help calls a value."""
