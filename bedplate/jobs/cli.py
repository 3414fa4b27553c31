"""`bedplate job render|submit|list|why|logs|cancel`. Without a verb it renders.

Exit status 0: done; 1: a mandatory policy is violated, or there is nothing to show; 2: the file, the job's name or the
command is wrong, or the cluster does not answer.
"""

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
    return _act(parser().parse_args(words))


def _misspelt(word: str) -> str:
    """What was meant by a word that is no verb; without a verb a file is rendered."""
    known = word in (*VERBS, "render") or word.startswith("-") or Path(word).exists()
    return "" if known else meant(word, (*VERBS, "render"))


def _act(options: argparse.Namespace) -> int:
    if options.verb == "submit":
        from .submit import submit  # noqa: PLC0415 - the only verb that renders

        return submit(options)
    from . import actions  # noqa: PLC0415 - `--help` must not cost it

    return {"list": actions.list_, "why": actions.why_, "logs": actions.logs, "cancel": actions.cancel}[options.verb](
        options
    )


def parser() -> argparse.ArgumentParser:
    """The verbs that speak to a cluster."""
    whole = usage.parser("job", "Jobs of a team.")
    whole.usage = "bedplate job VERB [...]"
    verbs = whole.add_subparsers(dest="verb", required=True)
    submit = _verb(verbs, "submit", "Render a job from the ConfigMap in its team's namespace, judge it, create it.")
    submit.add_argument("file", metavar="FILE", type=Path, help="a job, as docs/jobs.md describes it")
    submit.add_argument("--stack", metavar="ENV", help="render from a stack of this project instead")
    submit.add_argument("--profile", metavar="ENV", help="or from any file that holds the cluster's profile")
    submit.add_argument("--dry-run", action="store_true", help="let the API server judge it, and create nothing")
    usage.for_machines(_verb(verbs, "list", "Every job of the namespace, and why it is where it is."))
    usage.for_machines(
        _named(_verb(verbs, "why", "Why a job waits: quota, topology, gang, priority, image, admission ..."))
    )
    logs = _named(_verb(verbs, "logs", "What the pods of a job write."))
    logs.add_argument("-f", "--follow", action="store_true", help="go on until they end")
    logs.add_argument("--previous", action="store_true", help="of the containers before the last restart")
    logs.add_argument("--tail", metavar="LINES", type=int, default=100, help="of each pod; -1: all (%(default)s)")
    _named(_verb(verbs, "cancel", "Delete a job and what came with it; its checkpoints stay."))
    return whole


def _verb(
    verbs: "argparse._SubParsersAction[usage.Parser]",  # pyright: ignore[reportPrivateUsage]
    verb: str,
    purpose: str,
) -> argparse.ArgumentParser:
    one = verbs.add_parser(verb, description=purpose, prog=f"bedplate job {verb}")
    one.add_argument(
        "-n", "--namespace", metavar="TEAM", help="namespace; by default the context's, of submit the team's"
    )
    one.add_argument("--context", metavar="CONTEXT", help="context of kubectl; by default the current one")
    return one


def _named(one: argparse.ArgumentParser) -> argparse.ArgumentParser:
    one.add_argument("name", metavar="NAME", help="the job's")
    return one
