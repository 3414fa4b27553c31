"""The metrics that servers scale on, and how each autoscaler asks for them.

One table, so that the name that an HPA asks for and the name that the adapter exposes cannot differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bedplate.components.facts import Facts, Monitoring
from bedplate.components.observability.google import IDENTITY


@dataclass(frozen=True)
class ScalingMetric:
    """What a server's pods say of how busy they are; several series are added up."""

    name: str
    """In the custom metrics API, which takes no colon and, in an HPA of ours, no capital."""
    series: tuple[str, ...]
    """Names in Prometheus."""
    exporter: str
    over_series: Literal["sum", "max"] = "sum"
    """How the several series of one pod become one number."""
    by_service: bool = True
    """Its series carry the label `service` of the server's monitor; else only the pods' names tell whose they are."""


METRICS: Mapping[str, ScalingMetric] = {
    # All that a replica has, begun or not: it grows with the load, below the limit and above.
    "requests": ScalingMetric("vllm_requests", ("vllm:num_requests_running", "vllm:num_requests_waiting"), "vllm"),
    # Requests that no replica has begun: the earliest sign of too few, and none of too many.
    "requests-waiting": ScalingMetric("vllm_num_requests_waiting", ("vllm:num_requests_waiting",), "vllm"),
    # 0 to 1; near 1 requests are preempted.
    "kv-cache": ScalingMetric("vllm_kv_cache_usage_perc", ("vllm:kv_cache_usage_perc",), "vllm", "max"),
    "requests-pending": ScalingMetric(
        "nv_inference_pending_request_count", ("nv_inference_pending_request_count",), "triton"
    ),
    # Percent of time with any kernel running: near 100 for a busy server whatever its load, so rarely the right choice.
    "gpu-utilisation": ScalingMetric(
        "dcgm_fi_dev_gpu_util", ("DCGM_FI_DEV_GPU_UTIL",), "dcgm", "max", by_service=False
    ),
}
"""By the name that a profile gives them."""


@dataclass(frozen=True)
class Source:
    """Whose series a query reads."""

    namespace: str
    service: str
    """The Service that its monitor scrapes."""
    pods: str
    """A regular expression of its pods' names, for series that know no Service."""
    cluster: str | None = None
    """The cluster's own name, where one API answers for several."""

    def matchers(self, metric: ScalingMetric) -> str:
        """Of that server, and of none whose name begins alike."""
        whose = f'service="{self.service}"' if metric.by_service else f'pod=~"{self.pods}"'
        here = f'cluster="{self.cluster}",' if self.cluster else ""
        return f'{here}namespace="{self.namespace}",{whose}'


def scaling_metrics(facts: Facts) -> tuple[ScalingMetric, ...]:
    """Those that something in this cluster emits."""
    if facts.monitoring is None:
        return ()
    return tuple(metric for metric in METRICS.values() if metric.exporter in facts.monitoring.exporters)


def total(metric: ScalingMetric, source: Source) -> str:
    """The sum over all pods of a server."""
    each = (f"{metric.over_series} by (pod) ({one}{{{source.matchers(metric)}}})" for one in metric.series)
    return " + ".join(f"sum({one})" for one in each)


def keda_trigger(monitoring: Monitoring, query: str, threshold: str) -> dict[str, Any]:
    """A ScaledObject's trigger.

    KEDA divides the answer by the number of replicas (`AverageValue`), so the query adds pods up: the threshold is what
    one replica may have.
    """
    return {
        "type": "prometheus",
        "metricType": "AverageValue",
        "metadata": {"serverAddress": monitoring.url, "query": query, "threshold": threshold},
        **(
            {"authenticationRef": {"name": IDENTITY, "kind": "ClusterTriggerAuthentication"}}
            if monitoring.google
            else {}
        ),
    }
