"""Replicas that take a part of a node stand together: spread out, each would keep a whole node from training."""

from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.serving.pod import COMPONENT, MODEL_SERVER
from bedplate.components.serving.queue import templates
from bedplate.components.serving.server import Server


def affinity(server: Server, facts: Facts) -> dict[str, Any]:
    """A strong wish, because kube-scheduler by itself prefers the emptier node; empty for whole nodes.

    Beside servers of every team. Kueue's own placement, Volcano's `binpack` and KAI's strategy want the same.
    """
    if server.cut.gpus >= facts.pool(server.pool).units:
        return {}
    term = {
        "labelSelector": {"matchLabels": {COMPONENT: MODEL_SERVER}},
        "namespaceSelector": {},
        "topologyKey": "kubernetes.io/hostname",
    }
    wish = {"weight": 100, "podAffinityTerm": term}
    return {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}}}


def packed(manifest: dict[str, Any], server: Server, facts: Facts) -> dict[str, Any]:
    """Replicas of one pod each; anything else as it is."""
    group = manifest["spec"].get("leaderWorkerTemplate", {})
    if manifest["kind"] == "Deployment" or group.get("size") == 1:
        (template,) = templates(manifest)
        template["spec"] = {**affinity(server, facts), **template["spec"]}
    return manifest
