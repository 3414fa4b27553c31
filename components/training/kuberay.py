"""KubeRay: Ray clusters and jobs."""

from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("kuberay-operator")
BATCH_SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
"""Our schedulers by the names that the operator knows them by; Kueue needs none, it suspends the whole job."""


class KubeRaySection(HelmSection):
    """The KubeRay operator; presence installs it."""


class KubeRay(Installed[KubeRaySection], token="bedplate:training:KubeRay", release="kuberay", level="restricted"):
    """Installs the operator; it has no webhooks."""


def helm_values(args: Args[KubeRaySection]) -> dict[str, Any]:
    """`batchScheduler.name` alone: beside the deprecated `enabled: true` it fails (chart 1.7.0)."""
    gang = BATCH_SCHEDULERS.get(args.facts.scheduler.kind)
    return {"batchScheduler": {"name": gang}} if gang else {}
