"""The drivers by kind: what each is called, where it runs, what it can do, and how it names a volume's source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import pulumi
from pydantic import Field

from bedplate.components.facts import Args
from bedplate.components.storage import managed
from bedplate.components.storage.azure_lustre import AzureDriver, AzureLustre
from bedplate.components.storage.azure_lustre import csi as azure
from bedplate.components.storage.exascaler import Exascaler, ExascalerDriver
from bedplate.components.storage.exascaler import csi as exascaler
from bedplate.components.storage.fsx import Fsx, FsxDriver
from bedplate.components.storage.fsx import csi as fsx
from bedplate.components.storage.hpe import Hpe, HpeDriver
from bedplate.components.storage.hpe import csi as hpe
from bedplate.components.storage.managed import CustomDriver, GcpDriver, OciDriver
from bedplate.components.storage.request import VolumeRequest

AnyDriver = Annotated[
    FsxDriver | GcpDriver | ExascalerDriver | HpeDriver | AzureDriver | OciDriver | CustomDriver,
    Field(discriminator="kind"),
]
Csi = Callable[[Any, VolumeRequest], dict[str, Any]]


@dataclass(frozen=True)
class Driver:
    """One driver's facts, from its own documentation."""

    provisioner: str
    """Name of its CSIDriver object; empty: the section says."""
    csi: Csi
    """The part of a persistent volume that names its source."""
    platform: str | None = None
    """The one platform that it serves; absent: sites of their own."""
    install: Callable[..., pulumi.ComponentResource] | None = None
    """The component that installs it; absent: it is there already."""
    parameters: tuple[str, ...] | None = ()
    """Parameters that a StorageClass may have; empty: the driver provisions nothing; absent: nobody has checked."""
    required: tuple[str, ...] = ()
    """Those of them without which it provisions nothing, as its documentation or source says."""
    zone_label: str = ""
    """Label by which a class says in which zones the file system may be made; empty: a parameter says it."""
    measured: bool = False
    """Its node plugin answers `NodeGetVolumeStats`, so that the kubelet has metrics of how full a volume is."""
    directories: bool = False
    """It can make a directory of the file system a volume; otherwise pods mount the directory with `subPath`."""
    minimum_gib: int = 0
    """Smallest file system that it makes."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FSX_PARAMETERS = _words(
    "subnetId securityGroupIds deploymentType perUnitStorageThroughput storageType driveCacheType kmsKeyId s3ImportPath"
    " s3ExportPath autoImportPolicy automaticBackupRetentionDays dailyAutomaticBackupStartTime copyTagsToBackups"
    " dataCompressionType weeklyMaintenanceStartTime fileSystemTypeVersion extraTags efaEnabled"
    " metadataConfigurationMode metadataIops"
)
GCP_PARAMETERS = _words("network filesystem description labels perUnitStorageThroughput")
EXASCALER_PARAMETERS = _words(
    "exaFS mountPoint bindMount exaMountUid exaMountGid mountOptions projectId minProjectId maxProjectId configName"
    " generateProjectIdRetries zone managementIp volumeDirPermissions compression"
)
AZURE_PARAMETERS = _words(
    "sku-name zone maintenance-day-of-week maintenance-time-of-day-utc location resource-group-name vnet-resource-group"
    " vnet-name subnet-name identities tags sub-dir mgs-ip-address"
)
OCI_PARAMETERS = _words(
    "availabilityDomain compartmentId subnetId performanceTier fileSystemName kmsKeyId nsgIds rootSquashEnabled"
    " rootSquashUid rootSquashGid rootSquashClientExceptions setupLnet lustreSubnetCidr lustrePostMountParameters"
)

DRIVERS: Mapping[str, Driver] = {
    "fsx": Driver(
        "fsx.csi.aws.com", fsx, platform="eks", install=Fsx, parameters=FSX_PARAMETERS, required=("subnetId",)
    ),
    "gcp-lustre": Driver(
        "lustre.csi.storage.gke.io",
        managed.gcp,
        platform="gke",
        parameters=GCP_PARAMETERS,
        zone_label="topology.gke.io/zone",
        measured=True,
        minimum_gib=9000,
    ),
    "exascaler": Driver(
        "exa.csi.ddn.com", exascaler, install=Exascaler, parameters=EXASCALER_PARAMETERS, directories=True
    ),
    "hpe-lustre": Driver("lustre-csi.hpe.com", hpe, install=Hpe, measured=True, directories=True),
    "azure-lustre": Driver(
        "azurelustre.csi.azure.com",
        azure,
        platform="aks",
        install=AzureLustre,
        parameters=AZURE_PARAMETERS,
        required=_words("sku-name zone maintenance-day-of-week maintenance-time-of-day-utc"),
        measured=True,
        directories=True,
    ),
    "oci-lustre": Driver(
        "lustre.csi.oraclecloud.com",
        managed.oci,
        platform="oke",
        parameters=OCI_PARAMETERS,
        required=_words("availabilityDomain subnetId performanceTier"),
        directories=True,
        minimum_gib=29_057,  # 31.2 TB
    ),
    "custom": Driver("", managed.custom, parameters=None),
}


def provisioner(section: AnyDriver) -> str:
    """Name of the driver's CSIDriver object."""
    return section.driver if isinstance(section, CustomDriver) else DRIVERS[section.kind].provisioner


def install(name: str, args: Args[AnyDriver], opts: pulumi.ResourceOptions) -> pulumi.ComponentResource:
    """Install the driver that the section names; asked for only where nobody runs it for us."""
    component = DRIVERS[args.section.kind].install
    assert component is not None  # noqa: S101 - `stacks/platform/` skips the others
    return component(name, args, opts)
