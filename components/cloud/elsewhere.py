"""Pools that were made elsewhere: what the platform must know of them, on Azure and Oracle Cloud.

Nothing is created from these sections. They state how the pools were made, so that the platform fits and a wrong
combination is refused before it costs a day (Azure/aks-rdma-infiniband; NVIDIA/aicr docs/integrator;
oracle-quickstart/oci-hpc-oke).
"""

from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.section import Section


class AzureCloud(Section):
    """AKS node pools that exist."""

    kind: Literal["azure"]
    region: Annotated[str, Field(pattern=r"^[a-z]+[0-9]?$")]
    """Such as `eastus2`."""
    infiniband_support: bool = False
    """The subscription has the feature AKSInfinibandSupport, so that a pool is one scale set on one InfiniBand."""
    gpu_driver: Literal["install", "none"]
    """The pools' `--gpu-driver`: who installs it."""
    proximity_placement_group: bool = False
    """The pools were created in a proximity placement group, which holds them in one zone."""


class OciCloud(Section):
    """OKE node pools that exist."""

    kind: Literal["oci"]
    region: Annotated[str, Field(pattern=r"^[a-z]+-[a-z]+-[0-9]$")]
    """Such as `us-ashburn-1`."""
    rdma: Literal["cluster-network", "compute-cluster", "gpu-memory-cluster"] | None = None
    """What the bare-metal machines were created in; only there do they share an RDMA network."""
    gpu_plugin_addon: bool = True
    """OKE's add-on NvidiaGpuPlugin (its default) advertises the GPUs, so the GPU Operator's own plugin stays off."""
