"""Node Feature Discovery: labels nodes with the hardware they carry, which every GPU and network operator selects on.

The one NFD of the cluster: both operators' bundled copies are switched off, because two masters fight over labels
(NVIDIA/gpu-operator#87, Mellanox/network-operator#1212). Its kinds come in a step of their own: the operators' charts
bring objects of them, and need not wait until NFD runs.
"""

from typing import Any

import pulumi

from bedplate.components.chart import Chart
from bedplate.components.component import Component, Installed
from bedplate.components.facts import Args
from bedplate.components.section import HelmSection

CHART = Chart.of("node-feature-discovery")


class NodeFeatureDiscoverySection(HelmSection):
    """How node features are found."""


class NodeFeatureKinds(Component[NodeFeatureDiscoverySection], token="bedplate:nodes:NodeFeatureKinds"):
    """The CRDs of NodeFeature and NodeFeatureRule."""

    def _declare(self, args: Args[NodeFeatureDiscoverySection], _: pulumi.ResourceOptions) -> None:
        formerly = pulumi.Alias(parent=pulumi.create_urn("nfd", "bedplate:nodes:NodeFeatureDiscovery"))
        CHART.definitions("nfd", args, CHART.namespace, pulumi.ResourceOptions(parent=self, aliases=[formerly]))


class NodeFeatureDiscovery(
    Installed[NodeFeatureDiscoverySection],
    token="bedplate:nodes:NodeFeatureDiscovery",
    release="nfd",
    level="privileged",
):
    """Publishes PCI, kernel and system features as node labels."""

    # The worker mounts host paths to read the hardware.


def helm_values(args: Args[NodeFeatureDiscoverySection]) -> dict[str, Any]:
    """Reach every pool, and let rules write labels in NVIDIA's name space (chart 0.19.0)."""
    return {
        # Without this no worker runs on tainted GPU nodes, so no label, so an idle GPU Operator.
        "worker": {
            "tolerations": [
                *args.facts.tolerations,
                {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"},
            ]
        },
        "master": {"extraLabelNs": ["nvidia.com"]},
    }
