"""The metrics that servers scale on, and how each autoscaler asks for them.

One table, so that the name that an HPA asks for and the name that the adapter exposes cannot differ.
"""

from dataclasses import dataclass
from typing import Any, Literal

from components.facts import Facts, Monitoring


@dataclass(frozen=True)
class ScalingMetric:
    """A series of a server's pods that says how busy they are."""

    series: str
    """Name in Prometheus."""
    exporter: str
    over_series: Literal["sum", "max"] = "sum"
    """How the several series of one pod become one number."""

    @property
    def exposed(self) -> str:
        """Name in the custom metrics API, which takes no colon and, in an HPA of ours, no capital."""
        return self.series.replace(":", "_").lower()


VLLM_REQUESTS_WAITING = ScalingMetric("vllm:num_requests_waiting", "vllm")
"""Requests that no replica has begun: the earliest sign of too few."""
VLLM_REQUESTS_RUNNING = ScalingMetric("vllm:num_requests_running", "vllm")
VLLM_KV_CACHE_USAGE = ScalingMetric("vllm:kv_cache_usage_perc", "vllm", "max")
"""0 to 1; near 1 requests are preempted."""
TRITON_REQUESTS_PENDING = ScalingMetric("nv_inference_pending_request_count", "triton")
GPU_UTILISATION = ScalingMetric("DCGM_FI_DEV_GPU_UTIL", "dcgm", "max")
"""Percent of time with any kernel running: near 100 for a busy server whatever its load, so rarely the right choice."""

SCALING_METRICS = (
    VLLM_REQUESTS_WAITING,
    VLLM_REQUESTS_RUNNING,
    VLLM_KV_CACHE_USAGE,
    TRITON_REQUESTS_PENDING,
    GPU_UTILISATION,
)


def scaling_metrics(facts: Facts) -> tuple[ScalingMetric, ...]:
    """Those that something in this cluster emits."""
    if facts.monitoring is None:
        return ()
    return tuple(metric for metric in SCALING_METRICS if metric.exporter in facts.monitoring.exporters)


def keda_trigger(
    monitoring: Monitoring, metric: ScalingMetric, *, namespace: str, pods: str, threshold: str
) -> dict[str, Any]:
    """A ScaledObject's trigger; `pods` is a regular expression that matches the server's pod names.

    KEDA divides the answer by the number of replicas (`AverageValue`), so the query adds pods up: the threshold is what
    one replica may have.
    """
    each = f'{metric.over_series} by (pod) ({metric.series}{{namespace="{namespace}",pod=~"{pods}"}})'
    return {
        "type": "prometheus",
        "metricType": "AverageValue",
        "metadata": {"serverAddress": monitoring.url, "query": f"sum({each})", "threshold": threshold},
    }
