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
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

AZURE_LINUX_SINCE = (26, 1)


def check_elsewhere(profile: Profile) -> Iterator[Problem]:
    """Every fault of the azure or oci section."""
    members = [(key, pool) for key, pool in keyed("pools", profile.pools) if interfaces(profile, pool)]
    match profile.cloud:
        case AzureCloud() as section:
            yield from _azure(profile, section, members)
        case OciCloud() as section:
            yield from _oci(profile, section, members)
        case _:
            return


def _azure(profile: Profile, section: AzureCloud, members: list[tuple[str, Pool]]) -> Iterator[Problem]:
    """NVIDIA builds its driver for Azure Linux from a release on (Network Operator documentation, release notes)."""
    driver = "install" if profile.driver_owner == "cloud" else "none"
    if section.gpu_driver != driver:
        yield problem("elsewhere.gpu-driver", section.gpu_driver, profile=profile, driver=driver)
    if profile.fabric.kind != "infiniband":
        return
    if not section.infiniband_support:
        yield problem("elsewhere.infiniband-support", "False")
    operator = profile.network_operator
    if operator and operator.ofed and profile.node_os == "azurelinux":
        version = CHART.at(operator).version
        if line(version) < AZURE_LINUX_SINCE:
            yield problem("elsewhere.ofed-on-azure-linux", "present", version=version)
    for key, pool in members:
        if len(pool.in_zones) > 1:
            yield problem("elsewhere.zones-of-a-scale-set", ", ".join(pool.in_zones), key)
        if section.proximity_placement_group and not pool.in_zones:
            yield problem("elsewhere.proximity-without-zone", None, key)


def _oci(profile: Profile, section: OciCloud, members: list[tuple[str, Pool]]) -> Iterator[Problem]:
    """The add-on hands out whole GPUs only."""
    for key, pool in keyed("pools", profile.pools) if section.gpu_plugin_addon else ():
        for field, cut in (("mig", bool(pool.slices)), ("timeSlicing", pool.time_slicing > 1)):
            if cut:
                yield problem("elsewhere.cut-beside-addon", "present", key, field=field)
    if members and section.rdma is None:
        yield problem("elsewhere.no-cluster-network")
    for key, pool in members:
        if pool.hardware and pool.hardware.nvlink_domain > pool.hardware.gpus and section.rdma != "gpu-memory-cluster":
            yield problem("elsewhere.rack-outside-memory-cluster", section.rdma, key, pool=pool)
