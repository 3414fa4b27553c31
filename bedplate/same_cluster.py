"""Whether the cluster of the kubeconfig is the one that a stack's state is of, before Pulumi takes anything away.

A destroy and a refresh run no program of ours, and our resources' providers refuse only their own part: what has no
such provider, a model server for one, would be gone from the other cluster by then.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bedplate.cluster.identity import KEPT, OtherClusterError, refuse_another

EMPTYING = ("destroy", "refresh")


def exported(cli: str, stack: str, root: Path) -> Mapping[str, Any]:
    """The stack's state; empty where it cannot be had: Pulumi itself says why, and deletes nothing."""
    words = [cli, "stack", "export", "--stack", stack, "--non-interactive"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    return {} if done.returncode else json.loads(done.stdout)


def another_cluster(stack: str, state: Mapping[str, Any]) -> str:
    """One line where the context leads elsewhere; empty where it does not, or nobody can say."""
    try:
        for kept in identities(state):
            refuse_another(kept, kept, unread=True)
    except OtherClusterError as error:
        return f"{stack}: {error}\n"
    return ""


def identities(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Outputs that say which cluster they are of."""
    for resource in state.get("deployment", {}).get("resources") or ():
        outputs: dict[str, Any] = resource.get("outputs") or {}
        if outputs.get(KEPT) and outputs.get("context"):
            yield outputs
