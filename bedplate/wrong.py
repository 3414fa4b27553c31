"""How every command begins and ends: the words that several know, and what it says when it cannot go on."""

import argparse
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")
WRONG = 2


class WrongError(Exception):
    """Wrong words, a wrong file, or somebody who does not answer: a clear line each, and nothing was done."""


def refusing(command: Callable[P, int]) -> Callable[P, int]:
    """A command that says on standard error what is wrong; its exit status is 2 then."""

    @wraps(command)
    def run(*words: P.args, **options: P.kwargs) -> int:
        try:
            return command(*words, **options)
        except WrongError as error:
            sys.stderr.write(f"{error}\n")
            return WRONG

    return run


def stack_parser(command: str, purpose: str, ends: str) -> argparse.ArgumentParser:
    """Of a command about a stack; `ends` says what its exit statuses mean."""
    parser = argparse.ArgumentParser(prog=f"bedplate {command}", description=purpose, epilog=f"Exit status {ends}")
    parser.add_argument("stack", metavar="ENV", help="a stack of this project, or any file that holds a profile")
    return parser


def about_systems(parser: argparse.ArgumentParser) -> None:
    """What the images of drivers cannot be told without."""
    systems = "GPU nodes' system as drivers' tags end: ubuntu24.04, rhel9; may be repeated"
    parser.add_argument("--node-os", metavar="SYSTEM", action="append", default=[], help=systems)
