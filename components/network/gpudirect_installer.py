"""GKE's installers for GPUDirect: NCCL's plugin for TCPXO or gIB on every node; GKE installs neither by itself."""

from pathlib import Path

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.kustomization import Manifests
from bedplate.components.section import Section

VERSION = "992db81257553607f1477945f1b3219632991829"
"""Commit of GoogleCloudPlatform/container-engine-accelerators; that project tags no releases of its manifests."""
FOLDERS = Path(__file__).parent / "gpudirect"


class GpuDirectInstaller(Component[Section], token="bedplate:network:GpuDirectInstaller"):
    """Puts the plugin and its environment script where pods mount them from."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        kind = which(args.facts)
        manifests = Manifests(f"gpudirect-{kind}", FOLDERS / kind, VERSION)
        manifests.apply(args.facts.charts, child)


def which(facts: Facts) -> str:
    """The installer of the fabric and of the nodes' architecture: each picks nodes by their GPUs, and leaves others."""
    grace = any(pool.arch == "arm64" for pool in facts.fabric_pools)
    return f"{facts.fabric.kind}-a4x" if grace else facts.fabric.kind
