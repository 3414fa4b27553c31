"""Why a job is where it is: a cause of a fixed list, and a sentence."""

import re
from dataclasses import dataclass
from typing import Literal

from bedplate.folders import beside

Waits = Literal["quota", "topology", "gang", "priority", "image", "admission", "nodes", "volume", "network"]
Runs = Literal["program", "starting", "running", "finished"]
Cause = Waits | Runs
MESSAGES = beside(__file__, "messages.toml")


@dataclass(frozen=True)
class Reason:
    """Why a job is where it is."""

    cause: Cause
    text: str

    def __str__(self) -> str:
        """One line: `quota: queue team-a has too little left: ...`."""
        return f"{self.cause}: {self.text}"


def meant(rows: str, text: str, **words: str) -> Reason | None:
    """What a message means: the first of these rows of `messages.toml` whose pattern it has; None where none fits."""
    for row in MESSAGES[rows]:
        if match := re.search(row["pattern"], text):
            return Reason(row["cause"], row["text"].format(match[0], *match.groups(), **words))
    return None
