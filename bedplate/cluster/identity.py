"""Which cluster it is: a context's name is anybody's, `kubernetes-admin@kubernetes` is that of each kubeadm cluster.

The uid of namespace kube-system is made with the cluster, is never another one's, and goes with it (as OpenTelemetry's
`k8s.cluster.uid`, open-telemetry/semantic-conventions, docs/resource/k8s.md).
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import get

KEPT = "clusterUid"
"""Under this key a state keeps it."""
SYSTEM = "/api/v1/namespaces/kube-system"
REQUEST = 15.0
"""Seconds for the answer."""


class OtherClusterError(ClusterError):
    """The context leads to another cluster than the state is of."""


@cache
def identity(context: str) -> str:
    """The cluster's uid, asked for once by each process; ClusterError where it cannot be read."""
    answer = get(context, SYSTEM, REQUEST)
    try:
        return str(json.loads(answer)["metadata"]["uid"])
    except (ValueError, KeyError, TypeError) as error:
        raise ClusterError(f"{SYSTEM}: what answers is no API server") from error


@cache
def identity_if_read(context: str) -> str:
    """The same, or nothing: a preview compares many resources, and waits once for a cluster that does not answer."""
    try:
        return identity(context)
    except ClusterError:
        return ""


def refuse_another(asked: Mapping[str, Any], state: Mapping[str, Any], *, unread: bool = False) -> None:
    """Raise OtherClusterError where the context that is asked for leads to another cluster than the state's.

    A state from before the uid was kept is taken as it is. With `unread` so is a cluster that does not answer: a
    preview changes nothing, and must be possible before the cluster can be reached.
    """
    if not (kept := state.get(KEPT)):
        return
    context = str(asked["context"])
    here = identity_if_read(context) if unread else identity(context)
    if here and here != kept:
        raise OtherClusterError(
            f"context {context} leads to another cluster than this stack's (kube-system has uid {here}, the stack's "
            f"{kept}): name the right file in KUBECONFIG, or, if that cluster is gone for good, forget it: "
            "`bedplate pulumi stack ENV rm --force --preserve-config` (docs/day-2.md)"
        )
