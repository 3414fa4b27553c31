"""Three lines of ours after Pulumi's many: what failed, why, and what to do next; from the engine's own events.

One cause makes dozens of lines: each resource that waits for it fails as well. The first that is no such echo is told.
The events are JSON, one on each line (pulumi/pulumi, sdk/go/common/apitype/events.go); the CLI writes them to a file
where PULUMI_DEBUG_COMMANDS is set (pkg/cmd/pulumi/operations/up.go).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SWITCH = ("PULUMI_DEBUG_COMMANDS", "true")
LOGGED = ("preview", "up", "destroy", "refresh")
"""Commands of Pulumi that can write their events."""
LONGEST = 300
ECHO = re.compile(
    r"client connection is closing|resource monitor (has )?shut down|^(update|preview|destroy|refresh) failed|"
    r"non-zero exit code|^error: the command failed|context canceled|^\s*$"
)
"""What Pulumi says of all that waited, once something failed."""
UNREACHED = re.compile(
    r"no such host|could not resolve host|failed to (download|pull|fetch)|git fetch|lookup .* on |"
    r"could not download chart|looks like .* is not a valid chart repository",
    re.IGNORECASE,
)
AWAY = re.compile(r"unreachable cluster|connection refused|i/o timeout|Unauthorized")
START = re.compile(r"^(error: |[Pp]review failed: |(\w+\.)*\w*(Error|Exception): )+")
"""What stands before the reason."""
COLOURS = re.compile(r"<\{%[^%]*%\}>|\x1b\[[0-9;]*m")
"""The engine's own marks, and a terminal's."""
FRAME = re.compile(
    r'^\s+(File ".*", line \d+|.*)$|^Traceback|^error: (Program failed|Running program)|^The above|^During'
)


@dataclass(frozen=True)
class Cause:
    """What ended a run."""

    urn: str
    why: str
    rule: str = ""
    """Of our policies."""

    @property
    def name(self) -> str:
        """What it is called in plan and graph, with its kind: Release gpu-operator."""
        kinds, _, name = self.urn.partition("::")[2].partition("::")[2].partition("::")
        kind = kinds.rpartition("$")[2].rpartition(":")[2]
        return f"{kind} {name}" if name and kind != "Stack" else "the program"

    @property
    def key(self) -> str:
        """The profile's key for the component that it belongs to, where its name or a token has it; else empty."""
        from bedplate.stacks.profile.profile import Profile  # noqa: PLC0415 - only what failed pays for it

        keys = {field.alias or name for name, field in Profile.model_fields.items()}
        name = self.urn.rpartition("::")[2].partition("/")[0]
        if "." in name and name.partition(".")[0] in keys:  # such as storage.existingClasses/ceph
            return name
        for layer, kind in re.findall(r"bedplate:(\w+):(\w+)", self.urn):
            for key in (kind[0].lower() + kind[1:], layer):
                if key in keys:
                    return key
        return ""


def last_words(log: Path, command: str, stack: str, file: str) -> str:
    """The three lines; nothing where the events do not say."""
    causes = [*_causes(log)]
    if not causes:
        return ""
    first = next((cause for cause in causes if cause.urn), causes[0])
    others = len({one.urn for one in causes if one.urn} - {first.urn})
    more = f", and {others} more" if others else ""
    place = f" ({first.key} in {file})" if first.key else ""
    return f"failed: {first.name}{place}{more}\nwhy: {first.why}\nnext: {_next(first, command, stack, file)}\n"


def _next(cause: Cause, command: str, stack: str, file: str) -> str:
    again = f"`bedplate {'down' if command == 'destroy' else command} {stack}`"
    if cause.rule:
        return f"`bedplate rules --explain {cause.rule}` says how to comply, `bedplate plan {stack}` whether you do"
    if AWAY.search(cause.why):
        return f"is the cluster reached, and KUBECONFIG its file? `kubectl get nodes` tells; then {again}"
    if UNREACHED.search(cause.why):
        return f"open the way to it, or name a copy in `charts.mirror` (docs/profile.md); then {again}"
    if command == "up" and cause.urn:
        return f"`bedplate doctor {stack}` says how the cluster is; then {again} goes on from here"
    return f"correct {cause.key or 'it'} in {file}, then {again}" if cause.key else f"mend that, then {again}"


def _causes(log: Path) -> Iterator[Cause]:
    """What was refused or failed, in the order in which it came."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            event: dict[str, Any] = json.loads(line)
        except ValueError:  # the CLI was killed while it wrote
            continue
        if cause := _policy(event.get("policyEvent") or {}) or _diagnostic(event.get("diagnosticEvent") or {}):
            yield cause


def _policy(event: dict[str, Any]) -> Cause | None:
    if event.get("enforcementLevel") != "mandatory":
        return None
    rule = re.search(r"\b[A-Z]{2,}-\d+\b", f"{event.get('policyName', '')} {event.get('message', '')}".upper())
    return Cause(str(event.get("resourceUrn", "")), _first(str(event.get("message", ""))), rule[0] if rule else "")


def _diagnostic(event: dict[str, Any]) -> Cause | None:
    if event.get("severity") != "error":
        return None
    why = _first(str(event.get("message", "")))
    return None if not why or ECHO.search(why) else Cause(str(event.get("urn", "")), why)


def _first(message: str) -> str:
    """The first line that says something: of a traceback the one below its frames."""
    for line in COLOURS.sub("", message).splitlines():
        if line.strip() and not FRAME.match(line):
            text = " ".join(START.sub("", line).split())
            return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return ""
