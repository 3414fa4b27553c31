"""Azure Managed Lustre on AKS: the driver's manifests (it has no chart), and how a file system becomes a volume.

The node plugin tolerates every taint and removes `azurelustre.csi.azure.com/agent-not-ready` itself.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pulumi
from pydantic import Field

from bedplate.components.component import Component
from bedplate.components.facts import Args
from bedplate.components.kustomization import Manifests
from bedplate.components.section import DnsLabel, Section
from bedplate.components.storage.lustre import ServerAddress
from bedplate.components.storage.request import VolumeRequest

MANIFESTS = Manifests.of("azure-lustre", Path(__file__).parent / "azure-lustre")


class AzureFileSystem(Section):
    """A managed file system that exists."""

    mgs_ip: ServerAddress
    """The MGS address (`az amlfs show --query clientInfo.mgsAddress`)."""


class AzureDriver(Section):
    """Azure Managed Lustre."""

    kind: Literal["azure-lustre"]
    file_systems: Mapping[DnsLabel, AzureFileSystem] = Field(default_factory=dict)
    """File systems by a name of your own."""


class AzureLustre(Component[AzureDriver], token="bedplate:storage:AzureLustre"):
    """Mounts Azure Managed Lustre on nodes, and makes file systems for claims."""

    def _declare(self, args: Args[AzureDriver], child: pulumi.ResourceOptions) -> None:
        MANIFESTS.apply(args.facts.charts, child)


def csi(driver: AzureDriver, request: VolumeRequest) -> dict[str, Any]:
    """The driver makes the directory when it is not there (docs/driver-parameters.md)."""
    attributes = {"mgs-ip-address": driver.file_systems[request.file_system].mgs_ip}
    below = {"sub-dir": request.directory} if request.directory else {}
    return {"volumeHandle": request.unique, "volumeAttributes": {**attributes, **below}}
