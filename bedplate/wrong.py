"""How every command ends that cannot go on."""

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
