"""Alerts on model servers: requests that wait, and caches that are full."""

from bedplate.components.observability.alerts.alert import Alert, Group

HPA, SERVICE = "(?:keda-hpa-)?(.+?)(?:-scaledobject)?", "(.+?)(?:-engine-service)?"
"""Names that both are made of: KEDA and the production-stack chart add to the server's."""
FAILED = '{reason!="CANCELED"}'
"""Not those that their callers gave up."""
MODEL = "{{ $labels.model_name }} in {{ $labels.namespace }}"

TRITON_MODEL = "{{ $labels.model }} of {{ $labels.service }} in {{ $labels.namespace }}"

VLLM = Group(
    "vllm",
    frozenset({"vllm"}),
    (
        Alert(
            "VllmQueueNeverEmpty",
            "min by (namespace, model_name) (min_over_time(vllm:num_requests_waiting[10m])) > 0",
            f"Requests for {MODEL} wait in every replica",
            "All replicas are behind: raise maxReplicas, or look why new replicas do not get ready.",
        ),
        Alert(
            "VllmKvCacheFull",
            "avg by (namespace, model_name) (avg_over_time(vllm:kv_cache_usage_perc[10m])) > 0.95",
            f"The KV cache of {MODEL} is {{{{ $value | humanizePercentage }}}} full",
            "Requests will be preempted. Add replicas, shorten maxModelLen, or use more GPUs for one replica.",
            hold="10m",
        ),
        Alert(
            "VllmPreempts",
            "sum by (namespace, model_name) (rate(vllm:num_preemptions_total[10m])) > 0.1",
            f"{MODEL} starts requests over for lack of KV cache",
            "Each costs its whole prefill again. Add replicas or lower maxNumSeqs.",
            hold="10m",
        ),
    ),
)

TRITON = Group(
    "triton",
    frozenset({"triton"}),
    (
        Alert(
            "TritonQueueNeverEmpty",
            "min by (namespace, service, model) (min_over_time(nv_inference_pending_request_count[10m])) > 0",
            f"Requests for {TRITON_MODEL} wait in every replica",
            "All replicas are behind: raise maxReplicas, or give the model more instances (instance_group).",
        ),
        Alert(
            "TritonRequestsFail",
            f"sum by (namespace, service, model) (rate(nv_inference_request_failure{FAILED}[10m])) > 0.05"
            f" * (sum by (namespace, service, model) (rate(nv_inference_request_failure{FAILED}[10m]))"
            " + sum by (namespace, service, model) (rate(nv_inference_request_success[10m])))",
            f"More than 1 of 20 requests for {TRITON_MODEL} fail",
            "The log of its pods says why; a model that is asked for what it cannot take fails the same way.",
            hold="10m",
        ),
    ),
)


def _at_maximum(group: str, name: str, exporter: str, waiting: str) -> Group:
    """HPAs that want no more replicas than they have, of servers whose requests wait."""
    alert = Alert(
        name,
        "label_replace(kube_horizontalpodautoscaler_status_desired_replicas"
        " >= kube_horizontalpodautoscaler_spec_max_replicas,"
        f' "server", "$1", "horizontalpodautoscaler", "{HPA}")'
        " and on (namespace, server) sum by (namespace, server) ("
        f'label_replace({waiting}, "server", "$1", "service", "{SERVICE}")) > 0',
        "{{ $labels.horizontalpodautoscaler }} in {{ $labels.namespace }} is at its maximum, and requests wait",
        "Raise maxReplicas if the pool has GPUs left.",
        hold="30m",
    )
    return Group(group, frozenset({"kube-state-metrics", exporter}), (alert,))


SCALING = _at_maximum("scaling", "ServersAtMaximum", "vllm", "vllm:num_requests_waiting")
TRITON_SCALING = _at_maximum("triton-scaling", "TritonServersAtMaximum", "triton", "nv_inference_pending_request_count")
