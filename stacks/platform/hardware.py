"""The operator core: labels, NICs, GPUs, and the networks between them."""

from typing import Any

from bedplate.components.cloud.gcp import driver_installer
from bedplate.components.facts import Facts
from bedplate.components.network import (
    attachments,
    efa_device_plugin,
    gpudirect_installer,
    ip_pools,
    multus,
    whereabouts,
)
from bedplate.components.nodes import feature_discovery, pool_labels
from bedplate.components.operators import (
    dra_driver,
    gpu_operator,
    network_operator,
    nic_cluster_policy,
    nic_configuration,
)
from bedplate.components.platforms import PLATFORMS
from bedplate.components.section import Section
from bedplate.components.verification import pools
from bedplate.stacks.platform.ground import PROMETHEUS_CRDS, TEAMS
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.fabrics import AnyFabric
from bedplate.stacks.profile.profile import Profile


def sliced(profile: Profile, facts: Facts) -> feature_discovery.NodeFeatureDiscoverySection | None:
    """Clouds label nodes from their node group; elsewhere NFD does, where a pool has a rule."""
    if not (profile.has_nfd and pool_labels.rules(facts)) or PLATFORMS[profile.platform].pool_label:
        return None
    return profile.nfd or feature_discovery.NodeFeatureDiscoverySection()


def nic_settings(profile: Profile, _: Facts) -> network_operator.NetworkOperatorSection | None:
    """The Network Operator, if it is to configure NICs."""
    return profile.network_operator if profile.network_operator and profile.network_operator.nics else None


def gpudirect(profile: Profile, facts: Facts) -> AnyFabric | None:
    """The fabric, if it is one of GKE's."""
    return profile.fabric if facts.fabric.kind in ("tcpxo", "gib") else None


def pools_of_addresses(profile: Profile, facts: Facts) -> AnyFabric | None:
    """The fabric, if nv-ipam hands out its addresses."""
    return profile.fabric if facts.fabric.ipam == "nv-ipam" else None


def gke_driver(profile: Profile, facts: Facts) -> Section | None:
    """The cloud that chooses the driver, if GKE's installer brings it beside the GPU Operator."""
    return (profile.cloud or profile.gpu_operator) if driver_installer.installs(facts) else None


def racks(profile: Profile, facts: Facts) -> Section | None:
    """The DRA driver, if some team has a part of a rack."""
    return profile.dra_driver if dra_driver.compute_domains(facts) else None


def devices(profile: Profile, facts: Facts) -> pools.ReadinessSection | None:
    """Readiness, if nodes have to have anything besides CPU and memory, and are there when this stack is deployed."""
    return None if profile.makes_cluster or not pools.device_pools(facts) else profile.readiness


def rails(profile: Profile, facts: Facts) -> AnyFabric | None:
    """The fabric, if pods attach its rails and some team does."""
    return profile.fabric if facts.fabric.attaches_networks and facts.namespaces else None


NFD_KINDS = Step("nfd-kinds", feature_discovery.NodeFeatureKinds, lambda p, _: p.nfd)
NFD = Step("nfd", feature_discovery.NodeFeatureDiscovery, lambda p, _: p.nfd, after=(NFD_KINDS,))
POOL_LABELS = Step("pool-labels", pool_labels.PoolLabels, sliced, after=(NFD,))
NETWORK_OPERATOR = Step(
    "network-operator", network_operator.NetworkOperator, lambda p, _: p.network_operator, after=(NFD_KINDS,)
)
NICS_READY = Step(
    "nics",
    nic_cluster_policy.NicClusterPolicy,
    lambda p, _: p.network_operator,
    after=(NETWORK_OPERATOR, NFD, POOL_LABELS),
)
NIC_FIRMWARE = Step("nic-configuration", nic_configuration.NicConfiguration, nic_settings, after=(NICS_READY,))
EFA_DEVICE_PLUGIN = Step("efa-device-plugin", efa_device_plugin.EfaDevicePlugin, lambda p, _: p.efa_device_plugin)
GPUDIRECT = Step("gpudirect", gpudirect_installer.GpuDirectInstaller, gpudirect)
MULTUS = Step("multus", multus.Multus, lambda p, _: p.multus)
WHEREABOUTS = Step("whereabouts", whereabouts.Whereabouts, lambda p, _: p.whereabouts)
IP_POOLS = Step("ip-pools", ip_pools.IpPools, pools_of_addresses, after=(NICS_READY,))
GKE_DRIVER = Step("gke-driver", driver_installer.GkeDriver, gke_driver)
GPU_OPERATOR = Step(
    "gpu-operator",
    gpu_operator.GpuOperator,
    lambda p, _: p.gpu_operator,
    after=(PROMETHEUS_CRDS, NICS_READY, POOL_LABELS, GKE_DRIVER),
)
GPUS_READY = Step("gpus", gpu_operator.GpuReady, lambda p, _: p.gpu_operator, after=(GPU_OPERATOR,))
DRA_DRIVER = Step("dra-driver", dra_driver.DraDriver, lambda p, _: p.dra_driver, after=(GPUS_READY,))
COMPUTE_DOMAINS = Step("compute-domains", dra_driver.ComputeDomains, racks, after=(TEAMS, DRA_DRIVER))
POOLS_READY = Step("pools", pools.PoolsReady, devices, after=(NIC_FIRMWARE, GPUS_READY, EFA_DEVICE_PLUGIN, GPUDIRECT))
# Where this is skipped its neighbours still wait for the fabric: EFA and GPUDirect need no network of ours.
NETWORKS = Step("networks", attachments.Networks, rails, after=(TEAMS, MULTUS, WHEREABOUTS, IP_POOLS, POOLS_READY))

STEPS: tuple[Step[Any], ...] = (
    *(NFD_KINDS, NFD, POOL_LABELS, NETWORK_OPERATOR, NICS_READY, NIC_FIRMWARE, EFA_DEVICE_PLUGIN, GPUDIRECT),
    *(MULTUS, WHEREABOUTS, IP_POOLS, GKE_DRIVER, GPU_OPERATOR, GPUS_READY, DRA_DRIVER, COMPUTE_DOMAINS),
    *(POOLS_READY, NETWORKS),
)
