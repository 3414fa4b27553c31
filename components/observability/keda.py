"""KEDA: scales a Deployment by any PromQL query, through an HPA that it owns."""

from typing import Any, Literal

from bedplate.components.chart import KEEP, Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.observability.chart_monitor import chart_monitor
from bedplate.components.section import HelmSection

CHART = Chart.of("keda")


class KedaSection(HelmSection):
    """KEDA: ScaledObjects with PromQL; owns `external.metrics.k8s.io`, and makes the HPA itself."""

    kind: Literal["keda"]


class Keda(Installed[KedaSection], token="bedplate:observability:Keda", release="keda", level="restricted"):
    """The operator, and the one owner of `v1beta1.external.metrics.k8s.io`."""


def helm_values(args: Args[KedaSection]) -> dict[str, Any]:
    """Its CRDs with it, and its own metrics where somebody scrapes them (chart 2.20.2)."""
    monitor = chart_monitor(args.facts.monitoring)
    return {
        "clusterName": args.facts.cluster,
        "crds": {"install": True, "additionalAnnotations": KEEP},
        **({"prometheus": {"operator": {"enabled": True, "serviceMonitor": monitor}}} if monitor["enabled"] else {}),
    }
