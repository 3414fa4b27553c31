"""What gives autoscalers the metrics of Prometheus: KEDA or prometheus-adapter, one of them."""

from typing import Annotated

from pydantic import Field

from bedplate.components.observability.keda import KedaSection
from bedplate.components.observability.prometheus_adapter import PrometheusAdapterSection

AnyAutoscaling = Annotated[KedaSection | PrometheusAdapterSection, Field(discriminator="kind")]
