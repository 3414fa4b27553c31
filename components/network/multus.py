"""Standalone Multus, for clusters without the Network Operator, which would bring its own."""

from dataclasses import replace
from pathlib import Path

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.section import Section

HERE = Path(__file__).parent
MANIFESTS = Manifests.of("multus", HERE / "multus")


class MultusSection(Section):
    """The thick plugin of k8snetworkplumbingwg/multus-cni in kube-system; presence installs it."""


class Multus(Component[MultusSection], token="bedplate:network:Multus"):
    """Lets pods attach networks besides the cluster's own, and brings the NetworkAttachmentDefinition kind."""

    def _declare(self, args: Args[MultusSection], child: pulumi.ResourceOptions) -> None:
        manifests(args.facts.platform).apply(args.facts.charts, child)


def manifests(platform: str) -> Manifests:
    """Of the platform: Talos keeps network namespaces elsewhere (`multus-talos/kustomization.yaml`)."""
    if platform != "talos":
        return MANIFESTS
    return replace(MANIFESTS, version=f"{MANIFESTS.version}-talos", folder=HERE / "multus-talos")
