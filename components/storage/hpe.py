"""HPE Lustre: mounts file systems that exist, and makes none.

From the manifests and not from the chart (0.0.3), which takes no tolerations: its node plugin would stay off every
tainted GPU node.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pulumi
from pydantic import Field

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.namespace import constrained
from bedplate.components.section import DnsLabel, Section
from bedplate.components.storage.lustre import LustreServers, source
from bedplate.components.storage.request import VolumeRequest

MANIFESTS = Manifests.of("hpe-lustre", Path(__file__).parent / "hpe-lustre")


class HpeDriver(Section):
    """Lustre servers of any make, through HPE's driver; the nodes bring the Lustre client."""

    kind: Literal["hpe-lustre"]
    file_systems: Mapping[DnsLabel, LustreServers] = Field(min_length=1)
    """File systems by a name of your own."""


class Hpe(Component[HpeDriver], token="bedplate:storage:Hpe"):
    """Mounts Lustre file systems on nodes."""

    def _declare(self, args: Args[HpeDriver], child: pulumi.ResourceOptions) -> None:
        MANIFESTS.apply(args.facts.charts, child)
        for home in MANIFESTS.takes:
            constrained(home, "privileged", args.facts.platform, child)


def csi(driver: HpeDriver, request: VolumeRequest) -> dict[str, Any]:
    """The handle is what gets mounted, so a directory of the file system can be a volume of its own."""
    root = source(driver.file_systems[request.file_system], request.facts)
    return {"volumeHandle": f"{root}/{request.directory}".rstrip("/"), "fsType": "lustre"}
