"""What gives autoscalers the metrics of Prometheus: KEDA or prometheus-adapter, one of them."""

from typing import Annotated, Literal

from pydantic import Field

from components.section import HelmSection, Seconds


class KedaSection(HelmSection):
    """KEDA: ScaledObjects with PromQL; owns `external.metrics.k8s.io`, and makes the HPA itself."""

    kind: Literal["keda"]


class PrometheusAdapterSection(HelmSection):
    """prometheus-adapter: HPAs with Pods metrics; owns `custom.metrics.k8s.io`, and registers nothing else."""

    kind: Literal["prometheus-adapter"]
    relist_interval: Seconds = 60
    """How often it looks for new series; at least the scrape interval."""


AnyAutoscaling = Annotated[KedaSection | PrometheusAdapterSection, Field(discriminator="kind")]
