"""GPU Feature Discovery, the operand that labels nodes with their GPUs: what it must be told, by release."""

from typing import Any

from bedplate.components.version import line

NODE_FEATURE_LINE = (25, 10)
"""It may write NodeFeature objects, and does so only when told to."""


def discovery_values(version: str) -> dict[str, Any]:
    """Labels as an object, which outlives its pod: those of a file go at each of its restarts, and come again.

    Queues' flavors and jobs' selectors hang on them. v26 writes the object by itself; before v25.10 it has no right to
    (NVIDIA/gpu-operator, assets/gpu-feature-discovery/0200_role.yaml; NVIDIA/k8s-device-plugin v0.18.1,
    cmd/gpu-feature-discovery/main.go).
    """
    variables = [{"name": "GFD_USE_NODE_FEATURE_API", "value": "true"}]
    return {"gfd": {"env": variables}} if line(version) == NODE_FEATURE_LINE else {}
