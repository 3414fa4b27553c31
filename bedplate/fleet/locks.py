"""Who holds a stack: Pulumi's own lock, and the one who leads a rollout.

Pulumi locks each stack while it changes, in its backend, and a killed run leaves the lock. Who leads a rollout says so
in a tag of the fleet's own stack, and renews it: a second one refuses, and one that is silent for some minutes is taken
for dead. The tag alone is no lock, since two may write it in the same second; what changes a cluster is then still one
`up` at a time, by Pulumi's.
"""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bedplate.fleet.automation import Stack

LEADER, PAUSED, LAST = "bedplate:fleet-leader", "bedplate:fleet-paused", "bedplate:fleet-rollout"
SILENT = 180
"""Seconds after which a leader is taken for dead."""
RENEWED = 45
"""Seconds between its words."""
MARK = re.compile(r"created by (?P<user>\S+)@(?P<host>\S+) \(pid (?P<pid>\d+)\)")
"""As a backend of files says it (pulumi/pulumi, pkg/backend/diy/lock.go)."""


@dataclass(frozen=True)
class Locked:
    """A process that holds something, on some machine."""

    host: str
    pid: int

    @classmethod
    def of(cls, text: str) -> "Locked | None":
        """Of Pulumi's message."""
        mark = MARK.search(text)
        return cls(mark["host"], int(mark["pid"])) if mark else None

    @property
    def is_dead(self) -> bool:
        """Only of this machine can that be said."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    def __str__(self) -> str:
        """As people read it."""
        return f"process {self.pid} on {self.host}"


def cleared(stack: Stack, error: str) -> bool:
    """Take a dead run's lock away; a living process of this machine keeps its own."""
    holder = Locked.of(error)
    if holder is None or (holder.host == socket.gethostname() and not holder.is_dead):
        return False
    stack.api.cancel()
    return True


@dataclass(frozen=True)
class Leader:
    """Who leads a rollout, and when it last said so."""

    holder: Locked
    at: datetime

    @classmethod
    def of(cls, tags: Mapping[str, str]) -> "Leader | None":
        """None: nobody does."""
        fields = tags.get(LEADER, "").split()
        try:
            host, pid, at = fields
            return cls(Locked(host, int(pid)), datetime.fromisoformat(at))
        except ValueError:
            return None

    @classmethod
    def here(cls) -> "Leader":
        """This process, now."""
        return cls(Locked(socket.gethostname(), os.getpid()), datetime.now(UTC))

    def tags(self) -> Mapping[str, str]:
        """As the backend keeps it."""
        return {LEADER: f"{self.holder.host} {self.holder.pid} {self.at.isoformat(timespec='seconds')}"}

    @property
    def is_gone(self) -> bool:
        """It said nothing for too long, or its process has ended on this machine."""
        return self.holder.is_dead or (datetime.now(UTC) - self.at).total_seconds() > SILENT
