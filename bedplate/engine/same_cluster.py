"""Whether the cluster of the kubeconfig is the one that a stack's state is of, before Pulumi takes anything away.

A destroy and a refresh run no program of ours, and our resources' providers refuse only their own part: what has no
such provider, a model server for one, would be gone from the other cluster by then.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.cluster.identity import KEPT, OtherClusterError, refuse_another
from bedplate.engine.state import Deployed


def another_cluster(stack: str, state: Deployed) -> str:
    """One line where the context leads elsewhere; empty where it does not, or nobody can say."""
    try:
        for kept in identities(state):
            refuse_another(kept, kept, unread=True)
    except OtherClusterError as error:
        return f"{stack}: {error}\n"
    return ""


def identities(state: Deployed) -> Iterator[Mapping[str, Any]]:
    """Outputs that say which cluster they are of."""
    for resource in state:
        outputs: dict[str, Any] = resource.get("outputs") or {}
        if outputs.get(KEPT) and outputs.get("context"):
            yield outputs
