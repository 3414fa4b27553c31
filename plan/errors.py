"""What can be wrong with a plan before it exists."""

from collections.abc import Iterable


class PlanError(Exception):
    """The profile, the stack's name or the command is wrong: one clear line each, exit status 2."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))
