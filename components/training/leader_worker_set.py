"""LeaderWorkerSet: groups of pods that serve one model together.

Not for training: its pods restart for ever, also after success (kubernetes-sigs/lws#570).
"""

from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("lws")


class LeaderWorkerSetSection(HelmSection):
    """The LeaderWorkerSet controller; presence installs it."""


class LeaderWorkerSet(
    Installed[LeaderWorkerSetSection],
    token="bedplate:training:LeaderWorkerSet",
    release="leader-worker-set",
    level="baseline",
):
    """Installs the controller and its webhooks."""

    # The chart sets no seccomp profile (0.10.0), which `restricted` asks for.


def helm_values(args: Args[LeaderWorkerSetSection]) -> dict[str, Any]:
    """Volcano is the one gang scheduler that it makes PodGroups for (chart 0.10.0); Kueue works on its pods itself."""
    gang = {"gangSchedulingManagement": {"schedulerProvider": "volcano"}}
    return {"enableCertManager": False, **(gang if args.facts.scheduler.kind == "volcano" else {})}
