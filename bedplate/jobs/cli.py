"""`bedplate job render|submit|list|why|logs|cancel`. Without a verb it renders."""

import argparse
import sys
from pathlib import Path

from bedplate import usage
from bedplate.nearest import meant
from bedplate.wrong import WRONG, refusing

USAGE = """usage: bedplate job VERB [...]

  render  print a job file's objects for a stack's cluster, ask no cluster
  submit  render from what stands in the team's namespace, and create it
  list    every job of the namespace, and why it is where it is
  why     why one job waits, in one sentence
  logs    what its pods write
  cancel  delete a job and what came with it; its checkpoints stay

`bedplate job VERB --help` says more. All but render need kubectl on PATH.
"""
VERBS = ("submit", "list", "why", "logs", "cancel")
SAME = {
    **dict.fromkeys(("status", "describe", "explain"), "did you mean why?"),
    **dict.fromkeys(("get", "ls", "queue"), "did you mean list?"),
    **dict.fromkeys(("delete", "stop", "kill"), "did you mean cancel?"),
    **dict.fromkeys(("run", "create", "apply"), "did you mean submit?"),
}
"""What kubectl, Slurm and others call a verb."""


@refusing
def main(words: list[str]) -> int:
    """Do what the first word says."""
    if words[:1] in (["--help"], ["-h"], []):
        (sys.stdout if words else sys.stderr).write(USAGE)
        return 0 if words else WRONG
    if fix := _misspelt(words[0]):
        sys.stderr.write(f"bedplate job {words[0]}: no such verb; {fix}\n")
        return WRONG
    if words[0] not in VERBS:
        from bedplate.plan.__main__ import main as render  # noqa: PLC0415 - the only verb that needs it

        return render(["job", *words])
    return _act(usage.stated(__file__, "job").parse_args(words))


def _misspelt(word: str) -> str:
    """What was meant by a word that is no verb; without a verb a file is rendered."""
    is_word = word in (*VERBS, "render") or word.startswith("-") or Path(word).suffix or Path(word).exists()
    return "" if is_word else SAME.get(word) or meant(word, (*VERBS, "render")) or "`bedplate job` lists them"


def _act(options: argparse.Namespace) -> int:
    if options.verb == "submit":
        from .submit import submit  # noqa: PLC0415 - the only verb that renders

        return submit(options)
    from . import actions  # noqa: PLC0415 - `--help` must not cost it

    return {"list": actions.list_, "why": actions.why_, "logs": actions.logs, "cancel": actions.cancel}[options.verb](
        options
    )
