"""What a cluster's owners allow in spite of a rule: on which object, why, and until when.

The profile states it, and everything that judges honours it: plan, preview, check and the API server. On a single
object an annotation says the same: `waive.bedplate.dev/NCCL-310: "until 2027-01-31: reason"`.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from bedplate.components.section import Section

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
ANNOTATION = "waive.bedplate.dev"
"""Prefix of the annotation; the rule's id follows its slash."""
RULE = "bedplate.dev/rule"
"""On a policy of the API server: the rule that it enforces."""
CREATED = "string(object.metadata.creationTimestamp).substring(0, 10)"
"""The API server's clock: CEL has no other, and an object that is being made was created now."""
PLACE = "(has(object.metadata.namespace) && object.metadata.namespace != '' ? object.metadata.namespace + '/' : '')"
NAME = (
    "(has(object.metadata.name) ? object.metadata.name "
    ": has(object.metadata.generateName) ? object.metadata.generateName : '')"
)


class Waiver(Section):
    """One rule on one object, or on all whose title matches."""

    rule: str = Field(pattern=r"^[A-Z]{3,4}-[0-9]{3}$")
    """The rule's id, such as `NCCL-310`."""
    resource: Text
    """The object as reports call it, such as `Deployment serve/vllm`; `*` stands for any text."""
    reason: Text
    """Why it is right here; every report shows it."""
    until: date | None = None
    """The last day on which it holds; absent: for good."""

    def covers(self, rule: str, title: str) -> bool:
        """Whether it is about a rule's complaint on an object, or on one of its pod templates."""
        return self.rule == rule and re.match(_pattern(self.resource), title) is not None

    @property
    def condition(self) -> str:
        """CEL: true for the objects that it covers while it holds."""
        title = f"(object.kind + ' ' + {PLACE} + {NAME})"
        covered = f"{title}.matches({_quoted(_pattern(self.resource))})"
        return f"{covered} && {CREATED} <= '{self.until}'" if self.until else covered


class WaiverFile(Section):
    """What a file of waivers beside manifests holds."""

    waivers: tuple[Waiver, ...] = ()


def with_waivers(policy: Mapping[str, Any], waivers: Iterable[Waiver]) -> dict[str, Any]:
    """A ValidatingAdmissionPolicy that lets through what is waived of its rule."""
    allowed = [waiver.condition for waiver in waivers if waiver.rule == policy["metadata"]["annotations"][RULE]]
    variables = [
        {**one, "expression": " || ".join(f"({part})" for part in (one["expression"], *allowed))}
        if one["name"] == "waived" and allowed
        else one
        for one in policy["spec"]["variables"]
    ]
    return {**policy, "spec": {**policy["spec"], "variables": variables}}


def _pattern(text: str) -> str:
    """A title with wildcards as a regular expression that Python and RE2 both read; a pod's role may follow."""
    inner = ".*".join(re.escape(part) for part in text.split("*"))
    return f"^{inner}( [^ ]+)?$"


def _quoted(pattern: str) -> str:
    return "'" + pattern.replace("\\", "\\\\").replace("'", "\\'") + "'"
