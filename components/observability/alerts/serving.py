"""Alerts on model servers: requests that wait, and caches that are full."""

from components.observability.alerts.alert import Alert, Group

HPA, SERVICE = "(?:keda-hpa-)?(.+?)(?:-scaledobject)?", "(.+?)(?:-engine-service)?"
"""Names that both are made of: KEDA and the production-stack chart add to the server's."""
MODEL = "{{ $labels.model_name }} in {{ $labels.namespace }}"

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

SCALING = Group(
    "scaling",
    frozenset({"kube-state-metrics", "vllm"}),
    (
        Alert(
            "ServersAtMaximum",
            "label_replace(kube_horizontalpodautoscaler_status_desired_replicas"
            " >= kube_horizontalpodautoscaler_spec_max_replicas,"
            f' "server", "$1", "horizontalpodautoscaler", "{HPA}")'
            " and on (namespace, server) sum by (namespace, server) ("
            f'label_replace(vllm:num_requests_waiting, "server", "$1", "service", "{SERVICE}")) > 0',
            "{{ $labels.horizontalpodautoscaler }} in {{ $labels.namespace }} is at its maximum, and requests wait",
            "Raise maxReplicas if the pool has GPUs left.",
            hold="30m",
        ),
    ),
)
