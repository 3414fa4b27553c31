"""prometheus-adapter: per-pod metrics for HPAs, under names that the Kubernetes API takes.

Only the metrics that our servers scale on, never the chart's default rules, which would expose every series. It
leaves `external.metrics.k8s.io` alone (KEDA's), and `metrics.k8s.io` (metrics-server's). Upstream proposes its
deprecation (kubernetes-sigs/prometheus-adapter#701); KEDA is the successor.
"""

from typing import Any, Literal
from urllib.parse import urlsplit

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args, Facts
from bedplate.components.observability.scaling import ScalingMetric, scaling_metrics
from bedplate.components.section import HelmSection, Seconds

CHART = Chart.of("prometheus-adapter")


class PrometheusAdapterSection(HelmSection):
    """prometheus-adapter: HPAs with Pods metrics; owns `custom.metrics.k8s.io`, and registers nothing else."""

    kind: Literal["prometheus-adapter"]
    relist_interval: Seconds = 60
    """How often it looks for new series; at least the scrape interval."""


class PrometheusAdapter(
    Installed[PrometheusAdapterSection],
    token="bedplate:observability:PrometheusAdapter",
    release="prometheus-adapter",
    level="restricted",
    constraints="nonroot-v2",
):
    """The one owner of `v1beta1.custom.metrics.k8s.io`."""


def helm_values(args: Args[PrometheusAdapterSection]) -> dict[str, Any]:
    """Where Prometheus is, and one rule a metric (chart 5.3.0)."""
    return {
        "fullnameOverride": "prometheus-adapter",
        "prometheus": prometheus_address(args.facts),
        "metricsRelistInterval": f"{args.section.relist_interval}s",
        "rules": {"default": False, "custom": [rule(metric) for metric in scaling_metrics(args.facts)]},
    }


def prometheus_address(facts: Facts) -> dict[str, Any]:
    """The chart wants host and port apart."""
    if facts.monitoring is None:
        return {}
    parts = urlsplit(facts.monitoring.url)
    return {"url": f"{parts.scheme}://{parts.hostname}", "port": parts.port}


def rule(metric: ScalingMetric) -> dict[str, Any]:
    """A Pods metric: found by its series, renamed, and asked for pod by pod.

    Without `LabelMatchers` or with another grouping than `GroupBy` the API would give the same number for every pod.
    """
    first, *more = metric.series
    asked = ["<<.Series>>", *more]
    query = " + ".join(f"{metric.over_series} by (<<.GroupBy>>) ({one}{{<<.LabelMatchers>>}})" for one in asked)
    return {
        "seriesQuery": f'{{__name__="{first}",namespace!="",pod!=""}}',
        "resources": {"overrides": {"namespace": {"resource": "namespace"}, "pod": {"resource": "pod"}}},
        "name": {"matches": f"^{first}$", "as": metric.name},
        "metricsQuery": query,
    }
