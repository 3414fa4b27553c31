"""The verbs of a fleet that touch clusters: each reads the records of the stacks first, and says what it came to."""

import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from pulumi.automation import errors

from bedplate.fleet.automation import Stack, reason_of
from bedplate.fleet.crew import Workers
from bedplate.fleet.job import Asked, digest_of
from bedplate.fleet.lead import is_paused, led, own_stack, pause
from bedplate.fleet.locks import LAST, PAUSED, Leader
from bedplate.fleet.member import Formation, Member
from bedplate.fleet.model import Stop
from bedplate.fleet.record import Record, now, read, rollout
from bedplate.fleet.rollout import Hold, Outcome, Rollout
from bedplate.stacks.profile.named import ProfileFile
from bedplate.wrong import WrongError

THROUGH, STOPPED, UNFINISHED = 0, 1, 3
AT_ONCE = 8
"""Stacks that are asked at the same time for their records."""
EVERYONE = 10**6


def up(formed: Formation, logs: Path) -> int:
    """Take every cluster to its profile; one that is there, and through its gates, is not begun."""
    deployable(formed)
    states = records(formed)
    digests = {each.name: digest_of(each) for each in formed.members}
    done = {name: bool((record := states[name]) and record.is_through(digest)) for name, digest in digests.items()}
    this = rollout(formed.fleet.name, digests.values())
    with own_stack(formed) as stack, led(stack, this) as takes_over:
        say(f"{formed.fleet.name}: rollout {this}; {sum(done.values())} of {len(done)} clusters are through")
        way = Rollout(formed, done, Hold(lambda: is_paused(stack)))
        return _rolled(way, Asked("up", formed.fleet.gates, this, takes_over), logs)


def rollback(formed: Formation, logs: Path) -> int:
    """Take back the last rollout wherever it came, the last wave first; windows do not count, and no red stops it."""
    deployable(formed)
    states = records(formed)
    fleet = formed.fleet.model_copy(update={"stop": Stop(red=EVERYONE), "windows": ()})
    with own_stack(formed) as stack:
        if not (last := stack.tags().get(LAST, "")):
            raise WrongError(f"{formed.fleet.name}: no rollout has begun yet; there is nothing to take back")
        touched = {name: _is_of(each, last) for name, each in states.items()}
        done = {name: not is_touched for name, is_touched in touched.items()}
        with led(stack) as takes_over:
            say(f"{fleet.name}: rollback of {last}; it came to {sum(touched.values())} of {len(done)} clusters")
            backwards = replace(formed, fleet=fleet, waves=formed.waves[::-1])
            return _rolled(Rollout(backwards, done), Asked("rollback", (), last, takes_over), logs)


def _is_of(record: Record | None, rollout: str) -> bool:
    """It came here, and is not back."""
    return bool(record and record.rollout == rollout and record.step != "back")


def preview(formed: Formation, logs: Path) -> int:
    """What would change on each cluster, by its own engine; nobody leads."""
    deployable(formed)
    return _rolled(_everyone(formed), Asked("preview", ()), logs)


def drift(formed: Formation, logs: Path) -> int:
    """Which clusters are not what their profiles say, by their own engines: one report; nobody leads."""
    deployable(formed)
    outcome = _run(_everyone(formed), Asked("drift", ()), logs)
    for each in outcome.results.values():
        say(f"{each.stack}: {'as its profile says' if each.green else f'{each.says} (log {each.log})'}")
    say(
        f"{formed.fleet.name}: {len(outcome.red)} of {len(outcome.results)} clusters have drifted, or could not be seen"
    )
    return STOPPED if outcome.red else THROUGH


def _everyone(formed: Formation) -> Rollout:
    """No red stops it, and windows do not count."""
    return Rollout(replace(formed, fleet=formed.fleet.model_copy(update={"stop": Stop(red=EVERYONE), "windows": ()})))


def _rolled(way: Rollout, asked: Asked, logs: Path) -> int:
    return _told(way.formed, _run(way, asked, logs))


def _run(way: Rollout, asked: Asked, logs: Path) -> Outcome:
    signal.signal(signal.SIGTERM, _end)
    with Workers(asked, logs, say) as crew:
        return way.run(crew)


def _end(number: int, _: object) -> None:
    """As an exception, so that workers are asked to end and nobody leads any more."""
    sys.exit(128 + number)


def _told(formed: Formation, outcome: Outcome) -> int:
    for each in outcome.results.values():
        say(f"{each.stack}: {'green' if each.green else 'RED'}{f': {each.says}' if each.says else ''}")
    for each in outcome.red:
        sys.stderr.write(f"red: {each.stack}: {each.says} (log {each.log})\n")
    match outcome.end:
        case "through" if not outcome.red:
            return THROUGH
        case "through" | "stopped":
            left = [each.name for each in formed.members if each.name not in outcome.results]
            where = f"stopped in wave {outcome.wave}" if outcome.end == "stopped" else "went through"
            sys.stderr.write(f"{formed.fleet.name}: {where} with {len(outcome.red)} red; what was done stays\n")
            sys.stderr.write("  on, once it is mended: `bedplate fleet up`; back: `bedplate fleet rollback`\n")
            say(f"not begun, or through before: {', '.join(left) or 'none'}")
            return STOPPED
        case end:
            why = "paused: `bedplate fleet resume`" if end == "paused" else "no window is open: run it again in one"
            say(f"{formed.fleet.name}: {why}; wave {outcome.wave}")
            return UNFINISHED


def status(formed: Formation) -> dict[str, Any]:
    """What the records say."""
    states, digests = records(formed), {each.name: digest_of(each) for each in formed.members}
    with own_stack(formed) as stack:
        tags = stack.tags()
    leader = Leader.of(tags)
    return {
        "fleet": formed.fleet.name,
        "rollout": tags.get(LAST),
        "leader": str(leader.holder) if leader and not leader.is_gone else None,
        "paused": tags.get(PAUSED),
        "clusters": [_state(formed, each, states[each.name], digests[each.name]) for each in formed.members],
    }


def _state(formed: Formation, member: Member, record: Record | None, digest: str) -> dict[str, Any]:
    step = "never" if record is None else record.step if record.digest == digest else f"{record.step} (another change)"
    return {
        "cluster": member.name,
        "wave": formed.wave_of(member.name),
        "step": step,
        "since": record.at if record else None,
        "says": record.says if record else "",
    }


def pausing(formed: Formation) -> int:
    """No further cluster is begun."""
    with own_stack(formed) as stack:
        pause(stack, now())
    say(f"{formed.fleet.name}: paused; what is at work comes to its end")
    return THROUGH


def resume(formed: Formation, logs: Path) -> int:
    """Go on."""
    with own_stack(formed) as stack:
        stack.untag(PAUSED)
    return up(formed, logs)


def records(formed: Formation) -> dict[str, Record | None]:
    """Of every cluster, from its own backend."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip([each.name for each in formed.members], pool.map(_record, formed.members), strict=True))


def _record(member: Member) -> Record | None:
    try:
        return read(Stack.of(member).tags())
    except errors.CommandError as error:
        raise WrongError(f"{member.name}: its records cannot be read: {reason_of(error)}") from error


def deployable(formed: Formation) -> None:
    """Every cluster is a stack of a Pulumi project: the engine keeps the state of no other."""
    if lost := [str(each.place) for each in formed.members if isinstance(each.files, ProfileFile)]:
        raise WrongError(
            "\n".join(f"{place}: no stack of a Pulumi project; `bedplate init` makes one" for place in lost)
        )


def say(text: str) -> None:
    """At once: somebody watches."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
