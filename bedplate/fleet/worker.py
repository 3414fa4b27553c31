"""`python -m bedplate.fleet.worker RESULT`: one cluster's part of a rollout, in a process with its own credentials.

The job comes on standard input, which stays open as long as who asked is there: with its end Pulumi is asked to end, in
order. Standard output and error are the cluster's log.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pulumi.automation import OpType, errors
from pydantic import TypeAdapter

from bedplate.cluster.backoff import Backoff
from bedplate.engine import tool
from bedplate.engine.prerequisites import lacking
from bedplate.engine.site import absent
from bedplate.fleet.automation import Stack, reason_of
from bedplate.fleet.desk import Desk
from bedplate.fleet.job import Job, Result
from bedplate.fleet.locks import Locked, cleared
from bedplate.fleet.record import Record, now, read
from bedplate.releases.gates import Gate, Look, Ran
from bedplate.releases.looks import look
from bedplate.stacks.profile.stack_file import StackFiles
from bedplate.stacks.providers import guard
from bedplate.wrong import WrongError

GATES: TypeAdapter[tuple[Gate, ...]] = TypeAdapter(tuple[Gate, ...])
UNCHANGED = (OpType.SAME, OpType.READ, OpType.REFRESH)
PATIENCE = 600
"""Seconds for the Pulumi of a run that was killed to end in order."""
Looks = Sequence[tuple[Any, Ran | None]]
"""Gates, each with what it saw before the change."""


def main(words: list[str]) -> int:
    """Do it, and write what it came to."""
    signal.signal(signal.SIGINT, _go_on)
    os.environ.update(tool.environment(Path(tempfile.mkdtemp(prefix="bedplate-fleet-"))))
    job = Job(**json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with_asker, daemon=True).start()
    try:
        result = done(job)
    except (WrongError, errors.CommandError, errors.InvalidVersionError) as error:
        says = reason_of(error) if isinstance(error, errors.CommandError) else str(error)
        result = Result(job.stack, green=False, says=says)
    Path(words[0]).write_text(result.text(), encoding="utf-8")
    return 0


def _go_on(_number: int, _: object) -> None:
    """Pulumi hears it too, and ends in order; what it came to is still to be written down."""


def _end_with_asker() -> None:
    while sys.stdin.readline():
        pass
    os.killpg(0, signal.SIGINT)


def done(job: Job) -> Result:
    """Guard, and then the verb."""
    files = StackFiles.here()
    if guard(job.stack, files):
        return Result(
            job.stack, green=False, says="refused: the kubeconfig's context is not the profile's (see its log)"
        )
    if faults := [*lacking("up", job.stack, files, asks=False), *absent(job.stack, files)]:
        raise WrongError("\n".join(faults))
    stack = Stack(job.stack, files.root, {})
    with tempfile.TemporaryDirectory() as scratch:
        look = {"preview": previewed, "drift": drifted}.get(job.verb, changed)
        return look(job, stack, Desk(files, job.stack, Path(scratch)))


def previewed(job: Job, stack: Stack, desk: Desk) -> Result:
    """What would change."""
    change = stack.api.preview(**desk.options(desk.profile), on_output=_log, on_error=_log)
    return Result(job.stack, green=True, says=_counts(change.change_summary) or "nothing")


def drifted(job: Job, stack: Stack, desk: Desk) -> Result:
    """What would change back: by the cluster as it is, not as the state remembers it."""
    options = desk.options(desk.profile)
    change = stack.api.preview(**options, refresh=True, diff=True, on_output=_log, on_error=_log)
    counts = _counts({what: count for what, count in change.change_summary.items() if what not in UNCHANGED})
    return Result(job.stack, green=not counts, says=counts)


def _counts(summary: Mapping[OpType, int]) -> str:
    """The CLI's events bring its kinds as text, whatever the SDK's type says."""
    return ", ".join(f"{count} {OpType(what).value}" for what, count in summary.items())


def changed(job: Job, stack: Stack, desk: Desk) -> Result:
    """Deploy what is wanted or what was, and look whether the cluster is well."""
    earlier = read(stack.tags())
    begun = earlier if earlier and earlier.digest == job.digest and earlier.rollout == job.rollout else None
    if job.verb == "rollback":
        return _back(job, stack, desk, earlier)
    gates = GATES.validate_python(job.gates)
    before = (earlier.restores if earlier else "") or stack.deployed()
    was = desk.beside("before", stack.profile_at(before) if before and not begun else None) or job.stack
    looks = [(gate, None if begun else _before(gate, was)) for gate in gates]
    record = Record("deploying", job.digest, job.rollout, now(), before)
    if not (begun and begun.step == "deployed"):
        _step(stack, record)
        if fault := _up(job, stack, desk.options(desk.profile)):
            return _red(stack, record, f"up: {fault}")
        record = _step(stack, replace(record, step="deployed", at=now()))
    else:
        record = begun
    return _judged(job, stack, record, looks)


def _judged(job: Job, stack: Stack, record: Record, looks: Looks) -> Result:
    _soak(record.at, job.soak)
    for gate, before in looks:
        seen: Look = gate.judge(look(gate.words(job.stack)), before)
        _log(f"gate {seen.gate}: {'green' if seen.green else 'red'} {_number(seen)} {seen.says}")
        if not seen.green:
            return _red(stack, record, f"{seen.gate}: {_number(seen)}{seen.says}")
    _step(stack, replace(record, step="passed", at=now()))
    return Result(job.stack, green=True)


def _number(seen: Look) -> str:
    return "" if seen.number is None else f"{seen.number:g}; "


def _before(gate: Any, was: str) -> Ran:  # noqa: ANN401 - one of the gates
    """By the profile that ran: what only the new one asks for would be missed before as well, and so never be new."""
    return look(gate.words(was))


def _back(job: Job, stack: Stack, desk: Desk, record: Record | None) -> Result:
    """Deploy what ran before the change, as the stack's history has it."""
    if record is None or record.rollout != job.rollout:
        return Result(job.stack, green=True, says="the change never came here")
    if record.step == "back":
        return Result(job.stack, green=True, says="it is back already")
    profile = stack.profile_at(record.before) if record.before else None
    if profile is None:
        why = "its update has no profile" if record.before else "nothing ran here before"
        return Result(job.stack, green=False, says=f"{why}: deploy an earlier revision, or take it down by hand")
    if fault := _up(job, stack, desk.options(json.loads(profile))):
        return _red(stack, record, f"rollback: {fault}")
    _step(stack, replace(record, step="back", at=now(), says=""))
    return Result(job.stack, green=True)


def _up(job: Job, stack: Stack, options: dict[str, Any]) -> str:
    """Why it failed; empty: it did not. What a dead run left is taken away, and one that is ending is waited for."""
    message = f"bedplate fleet {job.verb}: rollout {job.rollout}"
    backoff = Backoff(time.monotonic() + PATIENCE)
    while True:
        began = time.monotonic()
        try:
            stack.api.up(**options, message=message, show_secrets=False, on_output=_log, on_error=_log)
        except errors.ConcurrentUpdateError as error:
            if job.takes_over and cleared(stack, str(error)):
                continue
            if not job.takes_over or backoff.left <= 0:
                return f"another update is at work: {Locked.of(str(error)) or reason_of(error)}"
            backoff.rest(began)
        except errors.CommandError as error:
            return reason_of(error)
        else:
            return ""


def _soak(since: str, seconds: int) -> None:
    """Until so much time has passed since; who took it up later waits for what is left."""
    from datetime import datetime  # noqa: PLC0415

    left = seconds - (time.time() - datetime.fromisoformat(since).timestamp())
    if left > 0:
        threading.Event().wait(left)  # nobody sets it: a wait for time itself, not for a state


def _red(stack: Stack, record: Record, says: str) -> Result:
    short = " ".join(says.split())
    _step(stack, replace(record, step="red", at=now(), says=short))
    return Result(stack.name, green=False, says=short)


def _step(stack: Stack, record: Record) -> Record:
    stack.tag(record.tags())
    return record


def _log(text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
