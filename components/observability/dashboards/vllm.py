"""Model servers: what users feel, what they wait for, and how full the caches are."""

from bedplate.components.observability.dashboards.panel import Dashboard, Panel, Query, Row, Variable, chart

VLLM_EXPORTER = frozenset({"vllm"})
HERE = '{namespace=~"$namespace",model_name=~"$model"}'


def quantiles(title: str, histogram: str) -> Panel:
    """Half and 95 of a hundred requests are faster than that."""
    rate = f"sum by (model_name, le) (rate({histogram}_bucket{HERE}[5m]))"
    queries = tuple(Query(f"histogram_quantile({q}, {rate})", f"{{{{model_name}}}} {name}") for q, name in SHARES)
    return Panel(title, queries, "s")


SHARES = ((0.5, "50 %"), (0.95, "95 %"))

USERS = Row(
    "What users feel",
    VLLM_EXPORTER,
    (
        quantiles("Time to first token", "vllm:time_to_first_token_seconds"),
        quantiles("Between tokens", "vllm:inter_token_latency_seconds"),
        quantiles("Whole request", "vllm:e2e_request_latency_seconds"),
    ),
)

QUEUE = Row(
    "Queue",
    VLLM_EXPORTER,
    (
        chart("Waiting", f"vllm:num_requests_waiting{HERE}", "{{pod}}"),
        chart("Running", f"vllm:num_requests_running{HERE}", "{{pod}}"),
        quantiles("Time in the queue", "vllm:request_queue_time_seconds"),
    ),
)

CACHE = Row(
    "Cache and throughput",
    VLLM_EXPORTER,
    (
        chart("KV cache used", f"vllm:kv_cache_usage_perc{HERE}", "{{pod}}", "percentunit"),
        chart("Preemptions", f"rate(vllm:num_preemptions_total{HERE}[5m])", "{{pod}}"),
        chart(
            "Prefix cache hits",
            f"sum by (model_name) (rate(vllm:prefix_cache_hits_total{HERE}[5m]))"
            f" / sum by (model_name) (rate(vllm:prefix_cache_queries_total{HERE}[5m]))",
            "{{model_name}}",
            "percentunit",
        ),
        chart(
            "Tokens written",
            f"sum by (model_name) (rate(vllm:generation_tokens_total{HERE}[5m]))",
            "{{model_name}}",
            width=12,
        ),
        chart(
            "Tokens read", f"sum by (model_name) (rate(vllm:prompt_tokens_total{HERE}[5m]))", "{{model_name}}", width=12
        ),
    ),
)

REPLICAS = Row(
    "Replicas",
    VLLM_EXPORTER | {"kube-state-metrics"},
    (
        Panel(
            "Replicas",
            tuple(
                Query(
                    f'kube_horizontalpodautoscaler_{metric}{{namespace=~"$namespace"}}',
                    f"{{{{horizontalpodautoscaler}}}} {legend}",
                )
                for metric, legend in (
                    ("status_current_replicas", "now"),
                    ("status_desired_replicas", "wanted"),
                    ("spec_max_replicas", "maximum"),
                )
            ),
            width=24,
        ),
    ),
)

VLLM = Dashboard(
    "bedplate-vllm",
    "Model servers (vLLM)",
    "What users feel, what they wait for, and how full the caches are.",
    (USERS, QUEUE, CACHE, REPLICAS),
    (
        Variable("namespace", "vllm:num_requests_running", "namespace"),
        Variable("model", "vllm:num_requests_running", "model_name", 'namespace=~"$namespace"'),
    ),
)
