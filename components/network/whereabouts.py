"""Whereabouts: cluster-wide addresses for secondary networks where nv-ipam is not there."""

from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("whereabouts-chart")


class WhereaboutsSection(HelmSection):
    """The IPAM plugin and its reconciler in kube-system; presence installs them."""


class Whereabouts(Installed[WhereaboutsSection], token="bedplate:network:Whereabouts", release="whereabouts"):
    """Hands out one address to one pod, whatever its node."""


def helm_values(args: Args[WhereaboutsSection]) -> dict[str, Any]:
    """The chart's own tag (v0.8.0) lacks the binaries that its templates start."""
    tolerations = [*args.facts.tolerations, {"operator": "Exists", "effect": "NoSchedule"}]
    return {"image": {"tag": f"v{CHART.at(args.section).version}"}, "tolerations": tolerations}
