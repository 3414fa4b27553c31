"""One command of the user's, as Pulumi runs it."""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from bedplate.engine.children import OUT, Children
from bedplate.engine.last_words import LOGGED, last_words
from bedplate.engine.leftovers import advice
from bedplate.stacks.profile.stack_file import StackFiles


@dataclass(frozen=True)
class Run:
    """One command of the user's on one stack."""

    command: str
    stack: str
    files: StackFiles
    more: list[str]
    """What is Pulumi's alone."""
    scratch: Path
    """Gone with the run: secrets may lie here."""
    children: Children

    def pulumi(self, words: list[str], out: int = OUT, *, terminal: bool = False) -> int:
        """Run Pulumi's CLI; after its own words, ours on what it left behind."""
        sys.stdout.flush()
        ended = self.children.run(words, self.files.root, out, terminal=terminal)
        said = advice(ended, words[1], self.command, self.stack)
        if ended.status and not said and not self.children.asked:
            said = last_words(self.log, words[1], self.stack, self.files.file(self.stack))
        if said:
            with contextlib.suppress(OSError):  # whoever reads along may be gone
                sys.stderr.write(said)
        return ended.status

    @property
    def log(self) -> Path:
        """The engine's events."""
        return self.scratch / "events.json"

    def logged(self) -> tuple[str, ...]:
        """Where Pulumi is asked to write them, by commands that can."""
        return ("--event-log", str(self.log)) if self.command in LOGGED else ()
