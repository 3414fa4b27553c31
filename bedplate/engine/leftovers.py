"""What a run of Pulumi left behind or ran into, and the command that mends it."""

import sys

from bedplate.engine.children import Ended

LOCKED = ("the stack is currently locked by", "Another update is currently in progress")
"""pulumi/pulumi, pkg/backend/diy/lock.go; sdk/go/auto/errors.go."""
STUCK = "there was a problem deleting the lock"
"""pulumi/pulumi, pkg/backend/diy/lock.go."""
HALF_WRITTEN = "failed to load checkpoint: EOF"
"""The file backend replaces a state by writing it anew (pkg/backend/diy/state.go)."""
WRITERS = ("up", "destroy", "refresh", "import")


def advice(ended: Ended, verb: str, command: str, stack: str) -> str:
    """One line for whoever has to go on from here; nothing where all is in order.

    The verb is Pulumi's, of which a command such as `adopt` needs several.
    """
    asks = sys.stdin.isatty()
    cancel = f"`bedplate pulumi cancel {stack}{'' if asks else ' --yes'}`"
    if any(words in ended.stderr for words in LOCKED):
        return (
            f"{stack}: another run holds the stack, and nothing was done: wait until it has ended; if none is at work "
            f"any more, {cancel}, then this command again\n"
        )
    if HALF_WRITTEN in ended.stderr:
        return f"{stack}: another run was just writing the state, and nothing was done: run this command again\n"
    if (ended.killed and verb in WRITERS) or STUCK in ended.stderr:
        forget = "" if asks else " --yes --clear-pending-creates"
        again = f"`bedplate pulumi refresh {stack}{forget}`, then `bedplate {_called(command)} {stack}`"
        return f"{stack}: Pulumi ended before it let go of the stack; mend it: {cancel}, then {again}\n"
    return ""


def _called(command: str) -> str:
    return {"destroy": "down"}.get(command, command if command in ("up", "adopt") else f"pulumi {command}")
