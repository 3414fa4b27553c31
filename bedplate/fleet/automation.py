"""A stack behind Pulumi's Automation API: what the rollout asks of it, with its own credentials.

`up` gets a configuration file of its own with the profile whole in it. So the stack's history has, with each update,
the profile that it deployed, and going back needs nothing but the backend.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pulumi import automation
from pulumi.automation import errors

from bedplate.fleet.member import Member
from bedplate.stacks.profile.stack_file import PROFILE_KEY
from bedplate.wrong import WrongError

SUCCEEDED = "succeeded"
SAID = "error: "


def environment(member: Member) -> dict[str, str]:
    """The variables of its process alone."""
    own = dict[str, str]()
    for name, ours in member.source.environment.items():
        if ours not in os.environ:
            raise WrongError(f"{member.key}.environment.{name} = {ours}: no such variable is set here; set it")
        own[name] = os.environ[ours]
    if path := member.source.kubeconfig:
        own["KUBECONFIG"] = str(Path(path.replace("{name}", member.name)).expanduser().absolute())
    return own


@dataclass(frozen=True)
class Stack:
    """One stack of one project."""

    name: str
    root: Path
    variables: Mapping[str, str]

    @classmethod
    def of(cls, member: Member) -> "Stack":
        """A member's."""
        return cls(member.stack, member.files.root, environment(member))

    @cached_property
    def api(self) -> automation.Stack:
        """The Automation API's own; the stack is made where there is none."""
        return automation.create_or_select_stack(self.name, work_dir=str(self.root), opts=self._options)

    @property
    def _options(self) -> automation.LocalWorkspaceOptions:
        return automation.LocalWorkspaceOptions(env_vars=dict(self.variables))

    def tags(self) -> Mapping[str, str]:
        """What the backend has of it; nothing where there is no such stack yet."""
        try:
            stack = automation.select_stack(self.name, work_dir=str(self.root), opts=self._options)
            return stack.list_tags()
        except errors.StackNotFoundError:
            return {}

    def tag(self, values: Mapping[str, str]) -> None:
        """Write some of them."""
        for name, value in values.items():
            self.api.set_tag(name, value)

    def untag(self, name: str) -> None:
        """Take one away, if it is there."""
        if name in self.tags():
            self.api.remove_tag(name)

    def deployed(self) -> str:
        """When the newest update began that succeeded; empty: there is none."""
        return next((each.start_time.isoformat() for each in self._updates() if each.result == SUCCEEDED), "")

    def profile_at(self, began: str) -> str | None:
        """The profile that an update deployed, as JSON; None where its configuration does not have it."""
        update = next((each for each in self._updates() if each.start_time.isoformat() == began), None)
        value = update.config.get(PROFILE_KEY) if update else None
        return value.value if value else None

    def _updates(self) -> list[automation.UpdateSummary]:
        """The newest first."""
        return [each for each in self.api.history(show_secrets=False) if each.kind == "update"]


def reason_of(error: errors.CommandError) -> str:
    """The line that says why, of all that the CLI said."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line[line.index(SAID) :] for line in lines if SAID in line), lines[-1] if lines else "pulumi failed")
