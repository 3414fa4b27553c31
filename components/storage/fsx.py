"""Amazon FSx for Lustre: the driver's chart, and how a file system becomes a persistent volume.

The chart makes no StorageClass (its `storageClasses` is dead), so classes are ours. The AMI must carry a Lustre client
for its kernel (kubernetes-sigs/aws-fsx-csi-driver#437).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import DnsLabel, HelmSection, Section
from bedplate.components.storage.request import VolumeRequest

CHART = Chart.of("aws-fsx-csi-driver")


class FsxFileSystem(Section):
    """An FSx file system that exists (`aws fsx describe-file-systems`)."""

    id: Annotated[str, Field(pattern=r"^fs-[0-9a-f]{8,17}$")]
    dns_name: str = Field(min_length=1)
    mount_name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,8}$")]


class FsxDriver(HelmSection):
    """FSx for Lustre on EKS."""

    kind: Literal["fsx"]
    file_systems: Mapping[DnsLabel, FsxFileSystem] = Field(default_factory=dict)
    """File systems by a name of your own."""
    role_arn: str | None = None
    """IAM role of the controller's service account; without one its rights come by a Pod Identity association of yours.
    Only claims of StorageClasses need them: file systems that exist are mounted without."""


class Fsx(Installed[FsxDriver], token="bedplate:storage:Fsx", release="lustre-csi"):
    """Mounts FSx file systems on nodes."""


def helm_values(args: Args[FsxDriver]) -> dict[str, Any]:
    """The node plugin runs under every taint: it is what removes `fsx.csi.aws.com/agent-not-ready`."""
    role = args.section.role_arn
    account = {"serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": role}}} if role else {}
    return {"node": {"tolerateAllTaints": True}, **({"controller": account} if account else {})}


def csi(driver: FsxDriver, request: VolumeRequest) -> dict[str, Any]:
    """The suffix keeps handles apart; the driver mounts by the attributes alone.

    The kubelet takes two claims with one handle for one volume, so that a pod with both never starts
    (kubernetes/kubernetes#91556, mended in 1.35 by #132921).
    """
    system = driver.file_systems[request.file_system]
    return {
        "volumeHandle": f"{system.id}:{request.unique}",
        "volumeAttributes": {"dnsname": system.dns_name, "mountname": system.mount_name},
    }
