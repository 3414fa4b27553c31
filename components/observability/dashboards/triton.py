"""Triton: what users feel, what waits, and where a request's time goes; of counters, which have no quantiles."""

from bedplate.components.observability.dashboards.panel import Dashboard, Panel, Query, Row, Variable, chart

TRITON_EXPORTER = frozenset({"triton"})
HERE = '{namespace=~"$namespace",model=~"$model"}'
BY = "sum by (service, model)"
MODEL = "{{service}} {{model}}"


def rate(metric: str) -> str:
    """Of all replicas together, a second."""
    return f"{BY} (rate(nv_inference_{metric}{HERE}[5m]))"


def mean(title: str, metric: str) -> Panel:
    """Seconds of one request that was answered; Triton adds up microseconds."""
    return chart(title, f"{rate(metric)} / {rate('request_success')} / 1e6", MODEL, "s")


USERS = Row(
    "What users feel",
    TRITON_EXPORTER,
    (
        chart("Answered", rate("request_success"), MODEL, "reqps"),
        chart("Failed", rate("request_failure"), MODEL, "reqps"),
        mean("Whole request, on average", "request_duration_us"),
    ),
)

WORK = Row(
    "Where the time goes",
    TRITON_EXPORTER,
    (
        chart("Waiting", f"{BY} (nv_inference_pending_request_count{HERE})", MODEL),
        mean("In the queue, on average", "queue_duration_us"),
        chart("Requests in a batch, on average", f"{rate('count')} / {rate('exec_count')}", MODEL),
        Panel(
            "Computing, on average",
            tuple(
                Query(f"{rate(f'compute_{part}_duration_us')} / {rate('request_success')} / 1e6", f"{MODEL} {part}")
                for part in ("input", "infer", "output")
            ),
            "s",
            width=24,
        ),
    ),
)

TRITON = Dashboard(
    "bedplate-triton",
    "Model servers (Triton)",
    "What users feel, what waits, and where a request's time goes.",
    (USERS, WORK),
    (
        Variable("namespace", "nv_inference_request_success", "namespace"),
        Variable("model", "nv_inference_request_success", "model", 'namespace=~"$namespace"'),
    ),
)
