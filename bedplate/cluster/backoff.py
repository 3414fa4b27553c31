"""How long to wait before something is tried again."""

import time
from dataclasses import dataclass
from threading import Event

FIRST, LONGEST = 0.8, 30.0
"""Seconds, doubled each time, as Kubernetes' own watchers wait (client-go v0.35, tools/cache/reflector.go)."""
STEADY = 30.0
"""Who kept a connection for so many seconds was well, and begins anew."""


@dataclass
class Backoff:
    """Pauses between tries, the longer the more of them failed soon, and none beyond the deadline."""

    deadline: float
    """Of `time.monotonic`."""
    pause: float = FIRST
    longest: float = LONGEST

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()

    def within(self, seconds: float) -> float:
        """So long, or until the deadline."""
        return max(0.0, min(seconds, self.left))

    def rest(self, since: float) -> None:
        """Wait, unless the try that began then (`time.monotonic`) lasted."""
        if time.monotonic() - since >= STEADY:
            self.pause = FIRST
            return
        # Nobody sets it: this is a pause before a request, no wait for a state.
        Event().wait(self.within(self.pause))
        self.pause = min(2 * self.pause, self.longest)
