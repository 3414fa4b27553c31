"""Replicas by load: an HPA where prometheus-adapter serves the metric, a ScaledObject where KEDA does."""

from decimal import Decimal
from typing import Any

from components.facts import Facts
from components.observability.scaling import (
    GPU_UTILISATION,
    TRITON_REQUESTS_PENDING,
    VLLM_KV_CACHE_USAGE,
    VLLM_REQUESTS_WAITING,
    ScalingMetric,
    keda_trigger,
)
from components.quantity import written
from components.serving.server import Scaling, Server
from components.serving.shape import metadata
from components.workload.kinds import KINDS

METRICS: dict[str, ScalingMetric] = {
    "requests-waiting": VLLM_REQUESTS_WAITING,
    "kv-cache": VLLM_KV_CACHE_USAGE,
    "requests-pending": TRITON_REQUESTS_PENDING,
    "gpu-utilisation": GPU_UTILISATION,
}
DEPLOYMENT = ("apps/v1", "Deployment")
GROUP = (KINDS["LeaderWorkerSet"].api, KINDS["LeaderWorkerSet"].object)


def autoscaler(server: Server, facts: Facts, target: tuple[str, str] = DEPLOYMENT) -> dict[str, Any] | None:
    """The one autoscaler of a server: KEDA makes an HPA of its own, and two would fight."""
    if server.scaling is None:
        return None
    reference = {"apiVersion": target[0], "kind": target[1], "name": server.name}
    if facts.autoscaler == "keda":
        return _scaled_object(server, facts, server.scaling, reference)
    return _hpa(server, server.scaling, reference)


def behaviour(scaling: Scaling) -> dict[str, Any]:
    """One replica at a time: each takes minutes to load, and whole nodes' worth of GPUs."""
    step = [{"type": "Pods", "value": 1, "periodSeconds": 60}]
    return {
        "scaleUp": {"stabilizationWindowSeconds": scaling.up_window, "policies": step},
        "scaleDown": {"stabilizationWindowSeconds": scaling.down_window, "policies": step},
    }


def _hpa(server: Server, scaling: Scaling, reference: dict[str, str]) -> dict[str, Any]:
    name = METRICS[scaling.metric].exposed
    goal = {"type": "AverageValue", "averageValue": written(Decimal(str(scaling.target)))}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata(server),
        "spec": {
            "scaleTargetRef": reference,
            "minReplicas": server.replicas,
            "maxReplicas": server.most,
            "metrics": [{"type": "Pods", "pods": {"metric": {"name": name}, "target": goal}}],
            "behavior": behaviour(scaling),
        },
    }


def _scaled_object(server: Server, facts: Facts, scaling: Scaling, reference: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": metadata(server),
        "spec": {
            "scaleTargetRef": reference,
            "minReplicaCount": server.replicas,
            "maxReplicaCount": server.most,
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(scaling)}},
            "triggers": [trigger(server, facts, scaling, f"{server.name}-.*")],
        },
    }


def trigger(server: Server, facts: Facts, scaling: Scaling, pods: str) -> dict[str, Any]:
    """KEDA's question to Prometheus, about the server's own pods only."""
    assert facts.monitoring is not None  # noqa: S101 - stacks/checks/serving.py refuses scaling without monitoring
    return keda_trigger(
        facts.monitoring,
        METRICS[scaling.metric],
        namespace=server.namespace,
        pods=pods,
        threshold=f"{scaling.target:g}",
    )
