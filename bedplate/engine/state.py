"""What the engine deployed, and what of it forbids a destroy or a refresh, said before the first delete.

The cluster of the kubeconfig must be the one that the state is of: a destroy and a refresh run no program of ours, and
our resources' providers refuse only their own part, so that a model server, for one, would be gone from the other
cluster by then. Namespaces of teams, with all that lies in them, are protected, and so is what would take their data
along; Pulumi refuses to delete them only when it comes to them, after the rest.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from bedplate.cluster.identity import KEPT, OtherClusterError, refuse_another

Deployed: TypeAlias = Sequence[Mapping[str, Any]]
"""The resources of a state, as `pulumi stack export` writes them."""
DECIDED = ("--exclude-protected", "--ignore-protect", "--target", "-t", "--exclude", "-x", "--preview-only", "--help")
"""Options of `pulumi destroy` (pulumi/pulumi, pkg/cmd/pulumi/operations/destroy.go) by which the user decides."""
KUBERNETES = "kubernetes:"
NAMESPACE = "Namespace"
REST = "--exclude-protected"


def deployed(cli: str, stack: str, root: Path) -> Deployed:
    """The stack's resources; none where the state cannot be had: Pulumi itself says why, and deletes nothing."""
    words = [cli, "stack", "export", "--stack", stack, "--non-interactive"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    state: dict[str, Any] = {} if done.returncode else json.loads(done.stdout)
    deployment: Mapping[str, Any] = state.get("deployment") or {}
    return deployment.get("resources") or ()


def another_cluster(stack: str, state: Deployed) -> str:
    """One line where the context leads to another cluster; empty where it does not, or nobody can say."""
    try:
        for identity in identities(state):
            refuse_another(identity, identity, unread=True)
    except OtherClusterError as error:
        return f"{stack}: {error}\n"
    return ""


def identities(state: Deployed) -> Iterator[Mapping[str, Any]]:
    """Outputs that say which cluster they are of."""
    for resource in state:
        outputs: dict[str, Any] = resource.get("outputs") or {}
        if outputs.get(KEPT) and outputs.get("context"):
            yield outputs


def refused(stack: str, state: Deployed, more: Sequence[str], *, asks: bool) -> str:
    """Why a destroy does not begin; empty where nothing is protected, or the user has decided about it."""
    if not (names := _undecided(state, more)):
        return ""
    text = _text(stack, names, "" if asks else " --yes")
    if not asks or {"--yes", "-y"} & {*more}:
        return f"{text}nothing was deleted\n"
    sys.stderr.write(f"{text}Delete everything else now, and keep these? [y/N] ")
    sys.stderr.flush()
    return "" if sys.stdin.readline().strip().lower() in ("y", "yes") else "nothing was deleted\n"


def rest(state: Deployed, more: Sequence[str]) -> list[str]:
    """The option with which the protected resources stay."""
    return [REST] if _undecided(state, more) else []


def _undecided(state: Deployed, more: Sequence[str]) -> list[tuple[str, str]]:
    """The protected resources, unless the user has decided about them."""
    return [] if any(word.partition("=")[0] in DECIDED for word in more) else [*_protected(state)]


def _protected(state: Deployed) -> Iterator[tuple[str, str]]:
    """Kind and name of each protected resource; of an object the name that the cluster knows."""
    for resource in state:
        if resource.get("protect") and not resource.get("delete"):
            inputs: dict[str, Any] = resource.get("inputs") or {}
            metadata: dict[str, Any] = inputs.get("metadata") or {}
            name = str(metadata.get("name") or str(resource["urn"]).rpartition("::")[2])
            kind = str(resource["type"])
            yield (kind.rpartition(":")[2] if kind.startswith(KUBERNETES) else "other"), name


def _text(stack: str, names: list[tuple[str, str]], yes: str) -> str:
    kinds = groupby(sorted(names, key=lambda row: (row[0] != NAMESPACE, row)), key=lambda row: row[0])
    what = "; ".join(f"{kind} {', '.join(name for _, name in group)}" for kind, group in kinds)
    return (
        f"{stack}: protected, and not deleted: {what}\n"
        f"  to keep these and delete the rest: `bedplate down {stack} {REST}{yes}`\n"
        f"  to give up one team: name it in `tenancy.retire`, then `bedplate up {stack}` (docs/teams.md)\n"
        f"  to delete all, with teams' jobs and claims: `bedplate pulumi state {stack} unprotect --all{yes}`, "
        f"then `bedplate down {stack}{yes}`\n"
    )
