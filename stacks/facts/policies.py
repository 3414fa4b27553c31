"""The profile's facts as the policies read them: plain values with the keys of the pack's configuration.

Only what the profile knows is here; a rule that needs more (the kernel, spare GPUs) stays silent.
"""

from collections.abc import Iterator
from typing import Any

from bedplate.components.facts import NodePool
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.stacks.facts.cloud_fabrics import EFA_RESOURCE
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile

EXPOSURES = ("shared", "exclusive", "sriov", "host-device")


def policy_facts(profile: Profile) -> dict[str, Any]:
    """The configuration of the policy pack for this cluster."""
    derived = facts(profile)
    fabric, network = derived.fabric, profile.cluster_network
    document = {
        "platform": derived.platform,
        "kubernetesVersion": derived.kubernetes_version,
        "fabric": fabric.kind,
        "exposure": fabric.exposure if fabric.exposure in EXPOSURES else None,
        "driverOwner": profile.driver_owner,
        "nodeOs": derived.node_os,
        "gpuDirect": derived.gpu_direct,
        "mtu": fabric.mtu,
        "pools": [_pool(pool) for pool in derived.pools],
        "rdmaResources": {
            name: max(pool.devices.get(name, 0) for pool in derived.fabric_pools) for name in fabric.devices
        },
        "extraHcas": _extra_hcas(profile),
        "podCidrs": [str(network_range) for network_range in (network.pod_cidr, network.pod_cidr6) if network_range],
        "waivers": [waiver.model_dump(mode="json", by_alias=True, exclude_none=True) for waiver in profile.waivers],
        "siteRuns": sorted(derived.site_runs),
        "existingPrometheus": isinstance(profile.monitoring, ExistingPrometheusSection),
        "fitted": sorted(_fitted(profile)) or None,
        "serviceCidrs": [
            str(network_range) for network_range in (network.service_cidr, network.service_cidr6) if network_range
        ],
    }
    return {key: value for key, value in document.items() if value is not None}


def _fitted(profile: Profile) -> Iterator[str]:
    """Servers with a model by the names of their workloads; the chart makes its own of release and model."""
    for server in profile.servers:
        if isinstance(server, VllmStackServer):
            yield f"{server.namespace}/{server.name}-{server.name}-deployment-vllm"
        elif isinstance(server, VllmServer):
            yield f"{server.namespace}/{server.name}"


def _extra_hcas(profile: Profile) -> list[str]:
    """HCAs beside the fabric's, which a bare `mlx5` would take too; their names differ by site."""
    shapes = {pool.kind: pool.hardware.extra_hcas for pool in profile.pools if pool.hardware}
    return [f"{count} HCAs of {shape} for storage and management" for shape, count in shapes.items() if count]


def _pool(pool: NodePool) -> dict[str, Any]:
    document = {
        "name": pool.name,
        "shape": pool.shape,
        "nodes": pool.most,
        "fewestNodes": pool.bounds[0] if pool.autoscale else None,
        "gpusPerNode": pool.gpus,
        "gpuProduct": pool.gpu_product,
        "gpuMemoryGb": pool.gpu_memory_gib or None,
        "nicsPerNode": pool.nics,
        "efaPerNode": pool.devices.get(EFA_RESOURCE),
        "taints": [dict(taint) for taint in pool.taints],
        "labels": {**pool.selector, **pool.labels},
        "mig": pool.cut,
        "timeSlicing": pool.time_slices,
        "unitsPerNode": pool.units if pool.sliced else None,
    }
    return {key: value for key, value in document.items() if value is not None}
