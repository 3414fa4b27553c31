"""GKE's driver installer for Container-Optimised OS, where the GPU Operator's device plugin hands out the GPUs.

GKE installs a driver by an init container of its own device plugin. The label that keeps that plugin off keeps the
driver off too (NVIDIA/aicr#2047), so node pools have `gpu-driver-version=disabled`, and this DaemonSet installs what
the image brings (NVIDIA/cloud-native-docs gpu-operator/google-gke.rst).
"""

from pathlib import Path

import pulumi

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.kustomization import Manifests
from bedplate.components.network.gpudirect_installer import VERSION
from bedplate.components.section import Section

FOLDERS = Path(__file__).parent / "driver"


class GkeDriver(Component[Section], token="bedplate:cloud:GkeDriver"):
    """Installs the driver on every GPU node on which GKE does not."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        kind = which(args)
        manifests = Manifests(f"gke-driver-{kind}", FOLDERS / kind, VERSION)
        manifests.apply(args.facts.charts, child)


def which(args: Args[Section]) -> str:
    """The installer of the nodes' architecture, and of the driver that the profile chose."""
    if any(pool.arch == "arm64" for pool in args.facts.gpu_pools):
        return "a4x"
    driver = args.section.gpu_driver if isinstance(args.section, GcpCloud) else "latest"
    return {"latest": "newest", "default": "default"}[driver]


def installs(facts: Facts) -> bool:
    """Whether the driver comes this way."""
    here = facts.platform == "gke" and facts.node_os == "cos" and not facts.ownership.driver
    return here and "gpuOperator" in facts.has and facts.ownership.device_plugin
