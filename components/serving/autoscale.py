"""Replicas by load: an HPA where prometheus-adapter serves the metric, a ScaledObject where KEDA does."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.observability.scaling import METRICS, Source, keda_trigger, total
from bedplate.components.quantity import written
from bedplate.components.serving import pair as pairs
from bedplate.components.serving.scale import Scaling
from bedplate.components.serving.server import Server
from bedplate.components.serving.shape import MARGIN, deadline, whole
from bedplate.components.workload.kinds import KINDS


@dataclass(frozen=True)
class Target:
    """What an autoscaler gives replicas to."""

    api: str
    kind: str
    name: str
    pods: str
    """Names that its controller gives to its pods, and no longer ones."""


def deployment_of(server: Server) -> Target:
    """Its ReplicaSets name the pods."""
    return Target("apps/v1", "Deployment", server.name, f"{server.name}-[a-z0-9]+-[a-z0-9]{{5}}")


def group_of(server: Server) -> Target:
    """A LeaderWorkerSet, whose leaders have a number and whose workers have two."""
    kind = KINDS["LeaderWorkerSet"]
    return Target(kind.api, kind.object, server.name, f"{server.name}-{GROUP}")


def role_of(pair: str, role: str) -> Target:
    """A role of a pair, by the object that its controller makes for autoscalers."""
    return Target(pairs.API, pairs.SCALER, f"{pair}-{role}", f"{pair}-[0-9]+-[0-9a-f]{{8}}-{role}-{GROUP}")


GROUP = "[0-9]+(-[1-9][0-9]*)?"

LONGEST_PERIOD = 1800
"""Seconds; the HPA's API takes no longer one."""
NEVER = "1000000"
"""What wakes a server shall not size it: far more than any query gives."""


def autoscaler(server: Server, facts: Facts, startup: int, target: Target | None = None) -> dict[str, Any] | None:
    """The one autoscaler of a server: KEDA makes an HPA of its own, and two would fight."""
    if server.scaling is None:
        return None
    target = target or deployment_of(server)
    reference = {"apiVersion": target.api, "kind": target.kind, "name": target.name}
    if facts.autoscaler == "keda":
        cluster = facts.monitoring.google if facts.monitoring else None
        whose = Source(server.namespace, server.name, target.pods, cluster)
        asked = {**cooldown(server, startup), "triggers": list(triggers(server, facts, whose))}
        return _scaled_object(server, reference, behaviour(server.scaling, startup), asked)
    return _hpa(server, server.scaling, reference, behaviour(server.scaling, startup))


def behaviour(scaling: Scaling, startup: int) -> dict[str, Any]:
    """As many more as there are, once in the time that one takes to load: what is asked for sooner is still on its way.

    Down it goes one at a time, and quickly: that takes no loading.
    """
    period = min(LONGEST_PERIOD, startup)
    more = [{"type": kind, "value": value, "periodSeconds": period} for kind, value in (("Pods", 1), ("Percent", 100))]
    fewer = [{"type": "Pods", "value": 1, "periodSeconds": 60}]
    return {
        "scaleUp": {"stabilizationWindowSeconds": scaling.up_window, "policies": more, "selectPolicy": "Max"},
        "scaleDown": {"stabilizationWindowSeconds": scaling.down_window, "policies": fewer},
    }


def cooldown(server: Server, startup: int) -> dict[str, int]:
    """How long a server that may go wholly stays after the last request: while node, image and weights may come.

    KEDA counts from the query that wakes it, and 300 s would end before the first answer, again and again (KEDA 2.20,
    ScaledObject specification).
    """
    return {"cooldownPeriod": deadline(startup) + MARGIN} if server.replicas == 0 else {}


def _hpa(server: Server, scaling: Scaling, reference: dict[str, str], how: dict[str, Any]) -> dict[str, Any]:
    metrics = [
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": METRICS[goal.metric].name},
                "target": {"type": "AverageValue", "averageValue": written(Decimal(str(goal.target)))},
            },
        }
        for goal in scaling.goals
    ]
    bounds = {"minReplicas": server.replicas, "maxReplicas": server.most}
    spec = {"scaleTargetRef": reference, **bounds, "metrics": metrics, "behavior": how}
    return whole(server, "autoscaling/v2", "HorizontalPodAutoscaler", spec)


def _scaled_object(
    server: Server, reference: dict[str, str], how: dict[str, Any], asked: dict[str, Any]
) -> dict[str, Any]:
    bounds = {"minReplicaCount": server.replicas, "maxReplicaCount": server.most}
    advanced = {"horizontalPodAutoscalerConfig": {"behavior": how}}
    spec = {"scaleTargetRef": reference, **bounds, "advanced": advanced, **asked}
    return whole(server, "keda.sh/v1alpha1", "ScaledObject", spec)


def triggers(server: Server, facts: Facts, source: Source) -> Iterator[dict[str, Any]]:
    """KEDA's questions to Prometheus, about this server only, and what wakes it when it has no replica."""
    scaling, monitoring = server.scaling, facts.monitoring
    if scaling is None or monitoring is None:
        return
    for goal in scaling.goals:
        yield keda_trigger(monitoring, total(METRICS[goal.metric], source), f"{goal.target:g}")
    if scaling.wake:
        yield keda_trigger(monitoring, scaling.wake, NEVER)
