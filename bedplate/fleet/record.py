"""What is known of a cluster's way through a rollout, kept in tags of its stack: in the stack's own backend.

Tags are read and written by whoever reaches the backend, from any machine, also where it is a folder or a bucket (the
Automation API's `set_tag`). Rejected: outputs, which only a whole `up` writes; a file beside `fleet.yaml`, which one
machine has. What was deployed is not repeated here: the stack's history has each update with its configuration.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias, cast, get_args

from bedplate import __version__

Step: TypeAlias = Literal["deploying", "deployed", "passed", "red", "back"]
TAG, SAYS = "bedplate:fleet", "bedplate:fleet-says"
LONGEST = 256
"""Characters of a tag's value (pulumi/pulumi, sdk/go/common/apitype/stacks.go)."""
DIGITS = 12
NONE = "-"


@dataclass(frozen=True)
class Record:
    """One cluster's."""

    step: Step
    digest: str
    """Of the profile that is on its way, or there."""
    rollout: str
    at: str
    """When this step began."""
    before: str = ""
    """When the update began that deployed what ran before the change; empty: nothing ran."""
    says: str = ""
    """Of a red one: the gate and its number."""

    def tags(self) -> Mapping[str, str]:
        """As the backend keeps it."""
        fields = (self.step, self.digest, self.rollout, self.at, self.before or NONE)
        return {TAG: " ".join(fields), SAYS: (self.says or NONE)[:LONGEST]}

    def is_through(self, digest: str) -> bool:
        """Nothing is left to do for such a profile."""
        return self.step == "passed" and self.digest == digest

    @property
    def restores(self) -> str:
        """What a change of today would go back to: to what ran before a change that never passed, too."""
        return self.before if self.step in ("deploying", "deployed", "red") else ""


def read(tags: Mapping[str, str]) -> Record | None:
    """None where no rollout has come by, or a newer Bedplate's has."""
    fields = tags.get(TAG, "").split()
    if len(fields) != len(("step", "digest", "rollout", "at", "before")) or fields[0] not in get_args(Step):
        return None
    step, digest, rollout, at, before = fields
    says = tags.get(SAYS, NONE)
    return Record(
        cast("Step", step), digest, rollout, at, "" if before == NONE else before, "" if says == NONE else says
    )


def digest(profile: Mapping[str, Any]) -> str:
    """Of a profile as it is written, bases merged, and of the Bedplate that deploys it."""
    return _short(json.dumps([profile, __version__], sort_keys=True, default=str))


def rollout(fleet: str, digests: Iterable[str]) -> str:
    """The same change has the same name, whoever takes it up."""
    return _short("\n".join([fleet, *digests]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def now() -> str:
    """As records have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
