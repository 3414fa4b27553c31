"""JobSet: a set of Jobs with one life: they start, fail and restart together."""

from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("jobset")


class JobSetSection(HelmSection):
    """The JobSet controller; presence installs it, once for everyone who needs it."""


class JobSet(Installed[JobSetSection], token="bedplate:training:JobSet", release="jobset", level="restricted"):
    """Installs the controller and its webhook."""


def helm_values(_: Args[JobSetSection]) -> dict[str, Any]:
    """The chart's defaults suit; certificates are its own, so that no cert-manager is needed."""
    return {"certManager": {"enable": False}}
