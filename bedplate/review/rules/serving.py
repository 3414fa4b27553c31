"""How servers are reached, and what scales them."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, nothing, reloads, rolls
from bedplate.review.rules.workloads import PREEMPTION, TAKES

SCALING = "Kubernetes docs: horizontal pod autoscaling; KEDA docs: ScaledObject"
SERVICES = "Kubernetes docs: services"
GATEWAYS = "Gateway API docs: HTTPRoute; Gateway API Inference Extension docs: InferencePool"
LEAST, MOST = ("minReplicas", "minReplicaCount"), ("maxReplicas", "maxReplicaCount")


def bounded(change: Change) -> Judgement:
    """More than one replica from the start takes GPUs."""
    spec = change.resource.spec
    return _takes(max(int(spec.get(name) or 1) for name in LEAST), 1)


def least(_: Change, field: Field) -> Judgement:
    """The least number of replicas."""
    return _takes(int(field.new or 1), int(field.old or 1))


def _takes(new: int, old: int) -> Judgement:
    if new > old:
        return evicts(f"at least {new} replicas: {TAKES}", PREEMPTION)
    return nothing("replicas change only as load does", SCALING)


def most(_: Change, field: Field) -> Judgement:
    """The largest number of replicas."""
    if field.old is None or field.new is None or field.new < field.old:
        return rolls("replicas above the new bound are stopped", SCALING)
    return nothing("replicas change only as load does", SCALING)


_LOAD = nothing("replicas change only as load does", SCALING)
_WAYS = "{scaleUp,scaleDown}.{selectPolicy,stabilizationWindowSeconds}"
_STEPS = "{scaleUp,scaleDown}.policies[].{type,value,periodSeconds}"
SCALER = Kind(
    bounded,
    nothing("replicas stay as many as they are", SCALING),
    {
        **OBJECT,
        "spec.{minReplicas,minReplicaCount}": least,
        "spec.{maxReplicas,maxReplicaCount}": most,
        "spec.cooldownPeriod": _LOAD,
        f"spec.behavior.{_WAYS}": _LOAD,
        f"spec.behavior.{_STEPS}": _LOAD,
        f"spec.advanced.horizontalPodAutoscalerConfig.behavior.{_WAYS}": _LOAD,
        f"spec.advanced.horizontalPodAutoscalerConfig.behavior.{_STEPS}": _LOAD,
        "spec.metrics[].{type,pods.metric.name,pods.target.type,pods.target.averageValue}": _LOAD,
        "spec.triggers[].{type,metricType,metadata.*,authenticationRef.name,authenticationRef.kind}": _LOAD,
        "spec.scaleTargetRef.{apiVersion,kind,name}": rolls(
            "another server is scaled; this one stays as it is", SCALING
        ),
    },
)
AUTHENTICATION = Kind(
    nothing("how load is asked for", SCALING),
    nothing("load is no longer measured: replicas stay as many as they are", SCALING),
    {**OBJECT, "spec.podIdentity.provider": nothing("how load is asked for", SCALING)},
)


def entry(*paths: str, source: str) -> Kind:
    """An address: whatever it says leads clients elsewhere."""
    other = reloads("clients reach other pods, or none", source)
    return Kind(nothing("clients go on as before", source), other, {**OBJECT, **dict.fromkeys(paths, other)})


SERVICE = entry("spec.{selector.*,ports[].*,type,publishNotReadyAddresses}", source=SERVICES)
INGRESS = entry(
    "spec.{ingressClassName,rules[].*,tls[].*}",
    "metadata.annotations.alb.ingress.kubernetes.io/*",
    source="Kubernetes docs: ingress; AWS Load Balancer Controller docs: annotations",
)
ROUTE = entry("spec.{hostnames[],parentRefs[].*,rules[].*}", source=GATEWAYS)
POOL = entry("spec.{endpointPickerRef.*,selector.*,targetPorts[].*}", source=GATEWAYS)
BACKEND = entry("spec.{targetRef,default}.*", source="GKE docs: configure Gateway resources using policies")

_EVICTIONS = nothing("asked only when somebody evicts", "Kubernetes docs: disruptions")
BUDGET = Kind(
    _EVICTIONS, _EVICTIONS, {**OBJECT, "spec.{minAvailable,maxUnavailable,selector.matchLabels.*}": _EVICTIONS}
)
"""How many may be missing while nodes are drained."""
RULES: Mapping[str, Rule] = {
    "HorizontalPodAutoscaler": SCALER,
    "ScaledObject": SCALER,
    "ClusterTriggerAuthentication": AUTHENTICATION,
    "Service": SERVICE,
    "Ingress": INGRESS,
    "HTTPRoute": ROUTE,
    "InferencePool": POOL,
    "GCPBackendPolicy": BACKEND,
    "HealthCheckPolicy": BACKEND,
    "PodDisruptionBudget": BUDGET,
}
