"""What a process of one cluster is asked to do, and what it came to: plain data, for a pipe."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from bedplate.fleet.automation import environment
from bedplate.fleet.member import Member
from bedplate.fleet.model import Wave
from bedplate.fleet.record import digest

Verb: TypeAlias = Literal["up", "preview", "drift", "rollback"]


@dataclass(frozen=True)
class Job:
    """One cluster's."""

    verb: Verb
    stack: str
    rollout: str
    digest: str
    gates: tuple[Mapping[str, Any], ...] = ()
    soak: int = 0
    takes_over: bool = False
    """Whoever was at it before is gone: the lock that it left in the backend does not count."""

    def text(self) -> str:
        """For the pipe."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Result:
    """What it came to."""

    stack: str
    green: bool
    says: str = ""
    """Of a red one: gate and number; of a preview: what would change, and of drift, too."""
    log: str = ""

    def text(self) -> str:
        """For the file."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Asked:
    """What is asked of all clusters alike."""

    verb: Verb
    gates: tuple[Any, ...]
    """The fleet's, for waves without their own."""
    rollout: str = ""
    takes_over: bool = False

    def job(self, member: Member, wave: Wave) -> Job:
        """Of a member of a wave."""
        gates = tuple(gate.model_dump() for gate in (wave.gates if wave.gates is not None else self.gates))
        return Job(self.verb, member.stack, self.rollout, digest_of(member), gates, wave.soak, self.takes_over)


def digest_of(member: Member) -> str:
    """Of its profile, as it is written."""
    return digest(member.files.profile(member.stack))


def variables(member: Member, ours: Mapping[str, str]) -> dict[str, str]:
    """All of the process's: nobody asks it anything."""
    return {**ours, **environment(member), "CI": "true", "PULUMI_SKIP_UPDATE_CHECK": "true"}


def log_of(folder: Path, job: Job, at: str) -> Path:
    """Where its words are kept."""
    return folder / job.stack / f"{at.replace(':', '')}-{job.verb}.log"
