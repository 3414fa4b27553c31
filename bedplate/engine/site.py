"""What the profile says the cluster has already, asked before anything starts: one line for each that is missing.

The engine looks it up, too (`components/existing.py`), minutes later and in words that name no key. Who has no
kubectl, or may not read the kinds, is told by the engine alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.objects import bundle, place
from bedplate.components.facts import Existing
from bedplate.stacks.profile.stack_file import StackFiles

GROUPS = {
    "StorageClass": "storage.k8s.io/v1",
    "CSIDriver": "storage.k8s.io/v1",
    "Namespace": "v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "ServiceAccount": "v1",
}
AWAY = re.compile(r"connection refused|no such host|i/o timeout|unable to connect to the server", re.IGNORECASE)
PATIENCE = 10.0
"""Seconds."""


def absent(stack: str, files: StackFiles) -> Iterator[str]:
    """One line for each; one where the cluster does not answer."""
    from bedplate.stacks.facts.derive import facts  # noqa: PLC0415 - `pulumi login` must not cost it
    from bedplate.stacks.load import load_stack  # noqa: PLC0415

    profile = load_stack(stack, files)
    named = () if profile.makes_cluster else facts(profile).existing
    if not named:
        return
    try:
        there = _there(profile.context, named)
    except ClusterError as error:
        if AWAY.search(str(error)):
            why = str(error).strip().rpartition("\n")[2]
            yield f"{stack}: the cluster of context {profile.context} does not answer: {why}; is KUBECONFIG its file?"
    else:
        yield from (
            f"{files.file(stack)}: {one.key} = {one.identity}: the cluster has no such {one.kind}; make it, or name "
            f"one that is there: `kubectl get {one.kind.lower()}`"
            for one in named
            if (one.kind, one.identity) not in there
        )


def _there(context: str, named: Sequence[Existing]) -> set[tuple[str, str]]:
    stubs = [
        {
            "apiVersion": GROUPS[one.kind],
            "kind": one.kind,
            "metadata": {"name": one.name} | ({"namespace": one.namespace} if one.namespace else {}),
        }
        for one in named
    ]
    words = ("get", "-f", "-", "--ignore-not-found", "-o", "json")
    answer = kubectl(context, *words, stdin=bundle(stubs), request=PATIENCE)
    found: dict[str, Any] = json.loads(answer) if answer.strip() else {"items": []}
    return {(str(one["kind"]), "/".join(filter(None, place(one)))) for one in found.get("items", [found])}
