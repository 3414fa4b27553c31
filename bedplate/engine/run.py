"""A command of the user, as Pulumi runs it."""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from bedplate.engine.children import OUT, Children
from bedplate.engine.last_words import LOGGED, last_words
from bedplate.engine.leftovers import advice
from bedplate.engine.tool import quietly
from bedplate.stacks.profile.stack_file import StackFiles


@dataclass(frozen=True)
class Run:
    """A command of the user on one stack."""

    command: str
    stack: str
    files: StackFiles
    more: list[str]
    """The words that only Pulumi understands."""
    scratch: Path
    """Gone with the run: secrets may lie here."""
    children: Children

    def pulumi(self, words: list[str], out: int = OUT, *, terminal: bool = False) -> int:
        """Run Pulumi's CLI, add our own lines on what it left behind, and return its exit status."""
        sys.stdout.flush()
        ended = self.children.run(words, self.files.root, out, terminal=terminal)
        lines = advice(ended, words[1], self.command, self.stack)
        if ended.status and not lines and not self.children.asked:
            lines = last_words(self.log, words[1], self.stack, self.files.file(self.stack))
        if lines:
            with contextlib.suppress(OSError):  # whoever reads along may be gone
                sys.stderr.write(lines)
        return ended.status

    @property
    def log(self) -> Path:
        """The file of the engine's events."""
        return self.scratch / "events.json"

    def logged(self) -> tuple[str, ...]:
        """The option that makes Pulumi write its events, of commands that have it."""
        return ("--event-log", str(self.log)) if self.command in LOGGED else ()


def adopt(cli: str, run: Run) -> int:
    """Import what the cluster has already of that which a preview would create (docs/adopting.md)."""
    from bedplate.plan.adopt import main as fill  # noqa: PLC0415 - the other commands

    shown, imports = run.scratch / "preview.json", run.scratch / "import.json"
    preview = [cli, "preview", "--stack", run.stack, "--non-interactive", "--json", "--import-file", str(imports)]
    with shown.open("w", encoding="utf-8") as out:
        status = run.pulumi(preview, out.fileno())
    if status:
        sys.stderr.write(shown.read_text(encoding="utf-8"))
        return status
    if (status := fill([str(shown), str(imports)])) or not imports.exists():
        return status
    words = [cli, "import", "--stack", run.stack, "--file", str(imports), "--protect=false", "--generate-code=false"]
    return run.pulumi([*words, *run.more, *quietly()], terminal=not quietly())
