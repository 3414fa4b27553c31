"""What can be wrong with a plan before it exists."""

import errno
from collections.abc import Iterable

from bedplate.wrong import WrongError

UNWRITABLE = (errno.ENOSPC, errno.EBADF, errno.EIO, errno.EDQUOT)
"""A disk that is full or gone: no fault of the program, and said where the output is written."""


class PlanError(WrongError):
    """The profile, the stack's name or the command is wrong: one clear line each, exit status 2."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))
