"""Standalone Multus, for clusters without the Network Operator, which would bring its own."""

from pathlib import Path

import pulumi

from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.section import Section

MANIFESTS = Manifests("multus", Path(__file__).parent / "multus", "v4.3.0", groups=("k8s.cni.cncf.io",))


class MultusSection(Section):
    """The thick plugin of k8snetworkplumbingwg/multus-cni in kube-system; presence installs it."""


class Multus(pulumi.ComponentResource):
    """Lets pods attach networks besides the cluster's own, and brings the NetworkAttachmentDefinition kind."""

    def __init__(self, name: str, args: Args[MultusSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:network:Multus", name, opts=opts)
        MANIFESTS.apply(args.facts.charts, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})
