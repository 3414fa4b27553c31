"""Rules about pools that were made elsewhere, on Azure and Oracle Cloud: what they must be for the platform to work.

Sources: Azure/aks-rdma-infiniband; NVIDIA/aicr docs/integrator (aks-gpu-setup, oke-gpu-setup);
oracle-quickstart/oci-hpc-oke.
"""

from collections.abc import Iterator

from bedplate.components.cloud.elsewhere import AzureCloud, OciCloud
from bedplate.components.operators.network_operator import CHART
from bedplate.components.version import line
from bedplate.stacks.facts.fabric import interfaces
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

AZURE_LINUX_SINCE = (26, 1)
REGISTER = "az feature register --namespace Microsoft.ContainerService --name AKSInfinibandSupport"


def check_elsewhere(profile: Profile) -> Iterator[Problem]:
    """Every fault of the azure or oci section."""
    match profile.cloud:
        case AzureCloud() as section:
            yield from _azure(profile, section)
        case OciCloud() as section:
            yield from _oci(profile, section)
        case _:
            return


def _azure(profile: Profile, section: AzureCloud) -> Iterator[Problem]:
    driver = "install" if profile.driver_owner == "cloud" else "none"
    if section.gpu_driver != driver:
        reason = f"driverOwner is {profile.driver_owner}, and two drivers fight over one GPU"
        fix = f"make the pools anew with --gpu-driver {driver}, or change driverOwner"
        yield Problem("cloud.gpuDriver", section.gpu_driver, reason, fix)
    if profile.fabric.kind != "infiniband":
        return
    if not section.infiniband_support:
        reason = "without the feature a pool's machines are on different InfiniBand networks"
        fix = f"`{REGISTER}`, then make the pools"
        yield Problem("cloud.infinibandSupport", value=False, reason=reason, fix=fix)
    yield from _azure_linux(profile)
    for key, pool in _members(profile):
        if len(pool.in_zones) > 1:
            reason = "a scale set's InfiniBand is in one zone"
            yield Problem(f"{key}.zones", ", ".join(pool.in_zones), reason, "use one pool per zone")
        if section.proximity_placement_group and not pool.in_zones:
            reason = "a proximity placement group holds one zone, fixed when the pool was created"
            yield Problem(f"{key}.zone", None, reason, "add the pool's zone")


def _azure_linux(profile: Profile) -> Iterator[Problem]:
    """NVIDIA builds its driver for Azure Linux from a release on (Network Operator documentation, release notes)."""
    operator = profile.network_operator
    if operator is None or operator.ofed is None or profile.node_os != "azurelinux":
        return
    version = CHART.at(operator).version
    if line(version) < AZURE_LINUX_SINCE:
        reason = f"Network Operator {version} has no DOCA-OFED for Azure Linux"
        yield Problem("networkOperator.ofed", "present", reason, "use version 26.1 or later, or pools with Ubuntu")


def _oci(profile: Profile, section: OciCloud) -> Iterator[Problem]:
    if section.gpu_plugin_addon:
        yield from _sliced(profile)
    members = list(_members(profile)) if profile.fabric.kind != "none" else []
    if members and section.rdma is None:
        reason = "machines made one by one share no RDMA network"
        fix = "make them in a cluster-network, compute-cluster or gpu-memory-cluster, and say so"
        yield Problem("cloud.rdma", None, reason, fix)
    for key, pool in members:
        if pool.hardware and pool.hardware.nvlink_domain > pool.hardware.gpus and section.rdma != "gpu-memory-cluster":
            reason = (
                f"{pool.kind} spans one NVLink domain over machines, which only a GPU memory cluster keeps together"
            )
            yield Problem("cloud.rdma", section.rdma, reason, f"use gpu-memory-cluster, or another shape in {key}")


def _sliced(profile: Profile) -> Iterator[Problem]:
    """The add-on hands out whole GPUs only."""
    for key, pool in keyed("pools", profile.pools):
        for field, cut in (("mig", bool(pool.slices)), ("timeSlicing", pool.time_slicing > 1)):
            if cut:
                reason = "OKE's add-on advertises whole GPUs, and knows nothing of it"
                fix = "disable the add-on and say cloud.gpuPluginAddon: false, or remove it"
                yield Problem(f"{key}.{field}", "present", reason, fix)


def _members(profile: Profile) -> Iterator[tuple[str, Pool]]:
    """Pools of the fabric, with their YAML key."""
    for key, pool in keyed("pools", profile.pools):
        if interfaces(profile, pool):
            yield key, pool
