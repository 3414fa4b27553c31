"""Standalone Multus, for clusters without the Network Operator, which would bring its own."""

from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s

from components.facts import Args, ChartSource
from components.section import Section

VERSION = "v4.3.0"
HERE = Path(__file__).parent / "multus"


class MultusSection(Section):
    """The thick plugin of k8snetworkplumbingwg/multus-cni in kube-system; presence installs it."""


class Multus(pulumi.ComponentResource):
    """Lets pods attach networks besides the cluster's own, and brings the NetworkAttachmentDefinition kind."""

    def __init__(self, name: str, args: Args[MultusSection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:network:Multus", name, opts=opts)
        k8s.kustomize.v2.Directory(
            name, directory=directory(args.facts.charts), opts=pulumi.ResourceOptions(parent=self)
        )
        self.register_outputs({})


def directory(source: ChartSource) -> str:
    """Our kustomization of the pinned upstream manifest, or the mirror's folder with the same in it."""
    if source.mirror is None:
        return str(HERE.relative_to(Path.cwd()) if HERE.is_relative_to(Path.cwd()) else HERE)
    return f"{source.mirror.rstrip('/')}/multus-{VERSION}"
