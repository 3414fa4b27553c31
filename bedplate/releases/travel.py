"""To go a road: stage by stage through the engine, with a gate after each, until it has arrived or a gate is red.

Where it stands is written into the profile before a stage is deployed, so a second run, on any machine that has the
file, goes on from there, and `bedplate up`, `plan` and `doctor` see what is deployed meanwhile.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from bedplate.releases.gates import Doctor, Verify
from bedplate.releases.profile_file import write
from bedplate.releases.road import Road
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import StackFiles

ARRIVED, STOPPED = 0, 1
Run: TypeAlias = Callable[[Sequence[str]], int]
"""A command of Bedplate by its words; its exit status."""


def travel(files: StackFiles, stack: str, profile: Profile, way: Road, run: Run) -> int:
    """Go it; the exit status of the whole."""
    if way.first != "go" and not _well(profile, stack, run, deploys=way.first == "deploy"):
        return _stopped(stack, way, "nothing was changed")
    for number, stage in enumerate(way.stages, 1):
        _say(f"stage {number} of {len(way.stages)}: {stage.name} {stage.old} → {stage.new}")
        write(files, stack, stage.place)
        if not _well(profile, stack, run, deploys=True):
            return _stopped(stack, way, f"{stage.name} {stage.new} is deployed as far as it went")
    write(files, stack, way.end)
    _say(f"{stack} has version set {way.end.here}; commit {files.file(stack)}")
    return ARRIVED


def _well(profile: Profile, stack: str, run: Run, *, deploys: bool) -> bool:
    """Every gate is green; the first that is not ends it."""
    return all(run(words) == 0 for words in gates(profile, stack, deploys=deploys))


def gates(profile: Profile, stack: str, *, deploys: bool) -> Iterator[tuple[str, ...]]:
    """`up` ends at `pools-ready`; what a profile says no team for cannot be verified."""
    if deploys:
        yield "up", stack, "--yes"
    if profile.verification:
        yield Verify().words(stack)
    yield Doctor().words(stack)


def _stopped(stack: str, way: Road, what: str) -> int:
    _say(f"stopped at a gate: {what}", sys.stderr.write)
    _say(f"  on, once it is mended: `bedplate upgrade {stack} --to {way.end.here}`", sys.stderr.write)
    _say(f"  back: `bedplate upgrade {stack} --to {way.other}`", sys.stderr.write)
    return STOPPED


def _say(text: str, out: Callable[[str], int] = sys.stdout.write) -> None:
    out(f"{text}\n")
    sys.stdout.flush()


def commands() -> Run:
    """The commands themselves."""
    from bedplate.releases.looks import command  # noqa: PLC0415 - a road that is only read does not pay for them

    def run(words: Sequence[str]) -> int:
        _say(f"+ bedplate {' '.join(words)}")
        return command(words)

    return run
