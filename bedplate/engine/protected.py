"""What a destroy will not take, said before the first delete: Pulumi refuses only when it comes there, after the rest.

Namespaces of teams, with all that lies in them, are protected, and so is what would take their data along.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from bedplate.engine.state import Deployed

DECIDED = ("--exclude-protected", "--ignore-protect", "--target", "-t", "--exclude", "-x", "--preview-only", "--help")
"""Options of `pulumi destroy` (pulumi/pulumi, pkg/cmd/pulumi/operations/destroy.go) by which the user has said it."""
KUBERNETES = "kubernetes:"
NAMESPACE = "Namespace"
REST = "--exclude-protected"


def refused(stack: str, state: Deployed, more: Sequence[str], *, asks: bool) -> str:
    """What to tell and not to begin; empty where nothing is protected, or the user has decided about it."""
    names = [*_named(state)]
    if not names or any(word.partition("=")[0] in DECIDED for word in more):
        return ""
    text = _text(stack, names, "" if asks else " --yes")
    if not asks or {"--yes", "-y"} & {*more}:
        return f"{text}nothing was deleted\n"
    sys.stderr.write(text)
    sys.stderr.write("Delete everything else now, and keep these? [y/N] ")
    sys.stderr.flush()
    return "" if sys.stdin.readline().strip().lower() in ("y", "yes") else "nothing was deleted\n"


def rest(state: Deployed, more: Sequence[str]) -> list[str]:
    """The option with which what was asked about stays."""
    said = any(word.partition("=")[0] in DECIDED for word in more)
    return [REST] if not said and any(_named(state)) else []


def _named(state: Deployed) -> Iterator[tuple[str, str]]:
    """Kind and name of each protected resource, of objects the cluster's own name."""
    for resource in state:
        if resource.get("protect") and not resource.get("delete"):
            inputs: dict[str, Any] = resource.get("inputs") or {}
            metadata: dict[str, Any] = inputs.get("metadata") or {}
            name = str(metadata.get("name") or str(resource["urn"]).rpartition("::")[2])
            kind = str(resource["type"])
            yield (kind.rpartition(":")[2] if kind.startswith(KUBERNETES) else "other"), name


def _text(stack: str, names: list[tuple[str, str]], sure: str) -> str:
    kinds = groupby(sorted(names, key=lambda one: (one[0] != NAMESPACE, one)), key=lambda one: one[0])
    what = "; ".join(f"{kind} {', '.join(name for _, name in group)}" for kind, group in kinds)
    return (
        f"{stack}: protected, and not deleted: {what}\n"
        f"  to keep these and delete the rest: `bedplate down {stack} {REST}{sure}`\n"
        f"  to give up one team: name it in `tenancy.retire`, then `bedplate up {stack}` (docs/teams.md)\n"
        f"  to delete all, with teams' jobs and claims: `bedplate pulumi state {stack} unprotect --all{sure}`, "
        f"then `bedplate down {stack}{sure}`\n"
    )
