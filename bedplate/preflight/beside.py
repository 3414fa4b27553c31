"""Beside a preview: whether the cloud has the machines, asked while Pulumi works and told after it.

Nobody waits for it: without the cloud's command or a login there is nothing to tell. It only reads, and decides nothing
about the preview, whose exit status stays its own: `bedplate preflight` is there to decide by.
"""

import sys
from functools import partial
from threading import Thread

from bedplate.preflight.ask import by_command, missing
from bedplate.preflight.asked import Looked, look, of
from bedplate.preflight.show import show
from bedplate.stacks.profile.profile import Profile

SECONDS = 5
"""A question that takes longer has no answer here, and nobody waits longer once the preview is there."""


class Beside:
    """The questions for a profile, asked from now on."""

    def __init__(self, profile: Profile) -> None:
        self._looked: Looked | None = None
        self._asking = Thread(target=self._look, args=(profile,), daemon=True)
        self._asking.start()

    def _look(self, profile: Profile) -> None:
        if not missing(of(profile)):
            self._looked = look(profile, partial(by_command, seconds=SECONDS))

    def tell(self) -> None:
        """What is short, on standard error; nothing where nobody is logged in."""
        self._asking.join(SECONDS)
        looked = self._looked
        if looked and sum(finding.grade == "unknown" for finding in looked.findings) < looked.asked:
            show(looked, sys.stderr)
