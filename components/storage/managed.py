"""Drivers that the cloud or the site runs itself: nothing to install, only persistent volumes to write.

Google's is the add-on `LustreCsiDriver` of GKE: its chart in git is, in its own words, not for production. Oracle's
comes with OKE. `custom` is any other driver, by its name and attributes.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from bedplate.components.section import DnsLabel, Section
from bedplate.components.storage.lustre import FsName, ServerAddress
from bedplate.components.storage.request import VolumeRequest


class GcpFileSystem(Section):
    """A Managed Lustre instance that exists (`gcloud lustre instances describe`)."""

    instance: Annotated[str, Field(pattern=r"^[^/]+/[^/]+/[^/]+$")]
    """`project/zone/name`."""
    ip: ServerAddress
    name: FsName
    """Its file system name (`fsname`)."""


class GcpDriver(Section):
    """Google Cloud Managed Lustre."""

    kind: Literal["gcp-lustre"]
    file_systems: Mapping[DnsLabel, GcpFileSystem] = Field(default_factory=dict)
    """Instances by a name of your own."""


class OciFileSystem(Section):
    """A File Storage with Lustre file system that exists."""

    mgs: ServerAddress
    name: FsName


class OciDriver(Section):
    """Oracle File Storage with Lustre."""

    kind: Literal["oci-lustre"]
    file_systems: Mapping[DnsLabel, OciFileSystem] = Field(default_factory=dict)
    """File systems by a name of your own."""


class CustomFileSystem(Section):
    """What the driver's documentation wants in a persistent volume."""

    handle: str = Field(min_length=1)
    attributes: Mapping[str, str] = Field(default_factory=dict)
    fs_type: str | None = None


class CustomDriver(Section):
    """A driver that the site runs, whatever its name."""

    kind: Literal["custom"]
    driver: Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")]
    """Name of its CSIDriver object."""
    file_systems: Mapping[DnsLabel, CustomFileSystem] = Field(default_factory=dict)
    """Sources by a name of your own."""


def gcp(driver: GcpDriver, request: VolumeRequest) -> dict[str, Any]:
    """The suffix keeps handles apart: the kubelet takes two claims with one handle in a pod for one volume.

    The driver cuts it off at the colon (GoogleCloudPlatform/lustre-csi-driver, pkg/util ParseVolumeID).
    """
    system = driver.file_systems[request.file_system]
    return {
        "volumeHandle": f"{system.instance}:{request.unique}",
        "volumeAttributes": {"ip": system.ip, "filesystem": system.name},
    }


def oci(driver: OciDriver, request: VolumeRequest) -> dict[str, Any]:
    """The handle is what gets mounted (OKE, Provisioning PVCs on Lustre), so a directory makes it another volume.

    Lustre mounts directories by themselves, and the driver hands on what follows the colon as it is
    (oracle/oci-cloud-controller-manager, ValidateLustreVolumeId).
    """
    system = driver.file_systems[request.file_system]
    return {
        "volumeHandle": f"{system.mgs}@tcp:/{system.name}/{request.directory}".rstrip("/"),
        "fsType": "lustre",
        "volumeAttributes": {"setupLnet": "true"},
    }


def custom(driver: CustomDriver, request: VolumeRequest) -> dict[str, Any]:
    """As declared."""
    system = driver.file_systems[request.file_system]
    kind = {"fsType": system.fs_type} if system.fs_type else {}
    return {"volumeHandle": system.handle, "volumeAttributes": dict(system.attributes), **kind}
