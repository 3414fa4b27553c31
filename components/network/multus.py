"""Standalone Multus, for clusters without the Network Operator, which would bring its own."""

from dataclasses import replace
from pathlib import Path

import pulumi

from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.section import Section

HERE = Path(__file__).parent
MANIFESTS = Manifests.of("multus", HERE / "multus")


class MultusSection(Section):
    """The thick plugin of k8snetworkplumbingwg/multus-cni in kube-system; presence installs it."""


class Multus(pulumi.ComponentResource):
    """Lets pods attach networks besides the cluster's own, and brings the NetworkAttachmentDefinition kind."""

    def __init__(self, name: str, args: Args[MultusSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:network:Multus", name, opts=opts)
        manifests(args.facts.platform).apply(args.facts.charts, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


def manifests(platform: str) -> Manifests:
    """Of the platform: Talos keeps network namespaces elsewhere (`multus-talos/kustomization.yaml`)."""
    if platform != "talos":
        return MANIFESTS
    return replace(MANIFESTS, version=f"{MANIFESTS.version}-talos", folder=HERE / "multus-talos")
