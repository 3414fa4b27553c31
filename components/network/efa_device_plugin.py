"""AWS's EFA device plugin: advertises `vpc.amazonaws.com/efa` on the nodes that have such interfaces.

It needs nothing of the cloud layer: the nodes may have been made elsewhere. It makes no interface: those come with
the instance.
"""

from typing import Any

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("aws-efa-k8s-device-plugin")


class EfaDevicePluginSection(HelmSection):
    """The plugin's DaemonSet in kube-system; presence installs it."""


class EfaDevicePlugin(
    Installed[EfaDevicePluginSection], token="bedplate:network:EfaDevicePlugin", release="efa-device-plugin"
):
    """The one owner of the EFA devices on a node."""


def helm_values(args: Args[EfaDevicePluginSection]) -> dict[str, Any]:
    """Run on every tainted pool; the chart picks the instance types that have EFA itself."""
    return {"tolerations": args.facts.tolerations}
