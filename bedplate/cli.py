"""`bedplate COMMAND ...`: one command over all of it."""

import contextlib
import gc
import os
import sys
from collections.abc import Generator

from bedplate import __version__, terminal
from bedplate.commands import COMMANDS, Command, Words, called
from bedplate.nearest import meant

CLEAN, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
SYNONYMS = {
    "delete": "`bedplate down ENV` takes it all away",
    "rollback": "deploy the profile as it was, or `bedplate fleet rollback`",
    "status": "`bedplate doctor ENV` looks at the cluster, `bedplate job list` at jobs",
    "get": "`bedplate doctor ENV` looks at the cluster, `bedplate job list` at jobs",
    "logs": "`bedplate job logs NAME` says what a job writes",
    "test": "`bedplate verify ENV` tests the cluster",
    "login": "`pulumi login` says where the state is",
    "--verbose": "`bedplate --debug COMMAND` writes down what it did",
    "-v": "`bedplate --debug COMMAND` writes down what it did",
    "validate": "`bedplate plan ENV` checks a profile",
    "lint": "`bedplate check PATH` judges manifests",
    "version": "`bedplate --version` says it",
}
"""What other tools have, and where it is here (kubectl, Terraform, Helm)."""
GUIDE = "`bedplate COMMAND --help` says more about each.\n`bedplate --debug COMMAND` writes down what it did."


def main(words: Words | None = None) -> int:
    """Hand the words to the command that they name."""
    name, *rest = (sys.argv[1:] if words is None else words) or ["--help"]
    if name == "--debug":
        from bedplate.debug import logged  # noqa: PLC0415 - seldom asked for

        with logged(rest):
            return main(rest)
    if name in ("--version", "-V"):
        return _say(f"bedplate {__version__}\n")
    if name in ("--help", "-h", "help"):
        return _say(usage())
    with terminal.guarded():
        if not _stands_somewhere():
            sys.stderr.write("the folder that you stand in is gone: go to another one\n")
            return WRONG
        if command := called(name):
            return _run(command, rest)
        fix = SYNONYMS.get(name) or meant(name, [one.name for one in COMMANDS]) or "`bedplate --help` lists them"
        sys.stderr.write(f"{name}: no such command; {fix}\n")
        return WRONG


def usage() -> str:
    """Every command with its purpose, within 80 columns."""
    width = max(len(command.name) for command in COMMANDS)
    lines = (f"  {command.name:{width}}  {command.purpose}" for command in COMMANDS)
    return "\n".join(["usage: bedplate COMMAND [...]", "", *lines, "", GUIDE, ""])


def _say(text: str) -> int:
    sys.stdout.write(text)
    return CLEAN


def _run(command: Command, rest: Words) -> int:
    """What can go wrong with any output is said here, once."""
    if not _is_open():
        sys.stderr.write("standard output: cannot be written: it is closed\n")
        return FAILED
    try:
        with _collecting(later=command.brief):
            status = command.run(rest)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads along has seen enough
        _no_more_output()
        return CLEAN
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):  # rich ends a program so (Console.on_broken_pipe)
            raise
        _no_more_output()
        return CLEAN
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        from bedplate.plan.errors import UNWRITABLE  # noqa: PLC0415 - only where it is needed

        if error.errno not in UNWRITABLE:
            raise
        sys.stderr.write(f"{_unwritable(error)}: cannot be written: {error.strerror}\n")
        return FAILED
    return status


@contextlib.contextmanager
def _collecting(*, later: bool) -> Generator[None]:
    """Whoever calls this in a process of its own has its collector as it was."""
    as_usual = gc.isenabled()
    if later:
        gc.disable()
    try:
        yield
    finally:
        if as_usual:
            gc.enable()


def _unwritable(error: OSError) -> str:
    """What could not be written: Python names a file that it opens; of standard output it names nothing."""
    filename: object = error.filename
    if isinstance(filename, str | bytes):
        return os.fsdecode(filename)
    _no_more_output()
    return "standard output"


def _stands_somewhere() -> bool:
    try:
        return bool(os.getcwd())  # noqa: PTH109 - pathlib costs a command that only prints its help
    except FileNotFoundError:
        return False


def _is_open() -> bool:
    """Python has no standard output at all where the shell closed it."""
    return bool(sys.__stdout__)


def _no_more_output() -> None:
    """Python flushes once more at its end, and would complain again."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the end
