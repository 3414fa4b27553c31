"""What a profile says about GKE. Without pulumi_gcp, so that reading a profile costs no import of it."""

from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.facts.capacity import ResourceName
from bedplate.components.section import Cidr, Section


class GpuNetworks(Section):
    """The networks of the GPU interfaces beside the cluster's own: one VPC each for TCPXO, one RoCE VPC for gIB."""

    address_range: Cidr = IPv4Network("192.168.0.0/16")
    """Address space of all of them; network i takes the i-th subnet of it."""
    subnet_prefix: Annotated[int, Field(ge=16, le=28)] = 24
    """Prefix length of one subnet: an address per node, and Google keeps four."""


class GcpCloud(Section):
    """Nodes on GKE, for every pool that says its `capacity`. The cluster exists, with multi-networking on."""

    kind: Literal["gcp"]
    project: ResourceName
    region: Annotated[str, Field(pattern=r"^[a-z]+-[a-z]+[0-9]+$")]
    cluster: ResourceName | None = None
    """Its name in GKE; absent: the profile's."""
    location: str | None = None
    """Zone of a zonal cluster; absent: a regional one."""
    networks: GpuNetworks = GpuNetworks()
    service_account: str | None = None
    """The nodes' identity; absent: the project's default, which may do too much."""
    gpu_driver: Literal["default", "latest"] = "latest"
    """Which of its drivers GKE, or its installer beside the GPU Operator, installs where the cloud owns the driver."""
    disk_gib: Annotated[int, Field(ge=200, le=65536)] = 500
    """Boot disk of a GPU node."""
