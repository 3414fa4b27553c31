"""The way out and back in of nodes, as requests of which each leaves the cluster safe: who is killed runs it again.

A node leaves in one request: cordoned, without the label that queues ask for, with the reason on it. Then `kubectl
drain` evicts its pods and heeds their PodDisruptionBudgets. Back in it comes uncordoned and without that label: where
the profile has `verification.qualify` no queue hands it out before its test has passed.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.objects import Object, annotations, name
from bedplate.nodes.story import REASON, SINCE
from bedplate.verify import gate

Call = Callable[..., str]
EVENTS = ("get", "events", "-n", "default", "-o", "json", "--field-selector")
PODS = ("get", "pods", "-A", "-o", "json", "--field-selector")
DRAIN = ("drain", "--ignore-daemonsets", "--delete-emptydir-data")


@dataclass(frozen=True)
class Site:
    """The cluster that the profile names."""

    context: str
    call: Call = kubectl
    """How it is told and asked something."""

    def pods(self, node: str) -> list[Object]:
        """Those on a node."""
        return self._items(*PODS, f"spec.nodeName={node}")

    def events(self, node: str) -> list[Object]:
        """Of a node; they stand in `default`, as a node has no namespace."""
        return self._items(*EVENTS, f"involvedObject.kind=Node,involvedObject.name={node}")

    def budgets(self) -> list[Object]:
        """Every PodDisruptionBudget."""
        return self._items("get", "poddisruptionbudgets", "-A", "-o", "json")

    def take_out(self, node: Object, reason: str) -> None:
        """Close it to new pods and to the queues; what runs there goes on."""
        self._patch(node, taken_out(node, reason, datetime.now(UTC)))

    def drain(self, nodes: Sequence[str], seconds: int) -> str:
        """Evict their pods; empty when none is left, else what kubectl says of it."""
        try:
            self.call(self.context, *DRAIN, f"--timeout={seconds}s", *nodes)
        except ClusterError as error:
            return (str(error).strip().splitlines() or ["no answer"])[-1]
        return ""

    def put_back(self, node: Object) -> None:
        """Open it to pods again, and not yet to queues with a gate."""
        self._patch(node, put_back(node))

    def _patch(self, node: Object, patch: Mapping[str, Any]) -> None:
        self.call(self.context, "patch", "node", name(node), "--type=merge", "-p", json.dumps(patch))

    def _items(self, *words: str) -> list[Object]:
        return list(json.loads(self.call(self.context, *words)).get("items") or ())


def taken_out(node: Object, reason: str, now: datetime) -> dict[str, Any]:
    """A patch; it is refused if the node is another one by now. A node that is out already keeps its first time."""
    patch = gate.out(node)
    since = annotations(node).get(SINCE) or now.isoformat(timespec="seconds")
    notes = {**patch["metadata"]["annotations"], REASON: reason, SINCE: since}
    return {"metadata": {**patch["metadata"], "annotations": notes}, "spec": {"unschedulable": True}}


def put_back(node: Object) -> dict[str, Any]:
    """A patch that takes the cordon and its reason off, and no label on."""
    patch = gate.out(node)
    notes = {**patch["metadata"]["annotations"], REASON: None, SINCE: None}
    return {"metadata": {**patch["metadata"], "annotations": notes}, "spec": {"unschedulable": None}}
