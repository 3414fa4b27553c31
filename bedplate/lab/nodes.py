"""Simulated nodes of a profile's pools, as a real cluster would show them once every operator is ready.

Pure: facts in, Node objects out. Labels are those of kubelet, cloud, NFD and GPU Feature Discovery; resources those of
the device plugins. The hardware behind them does not exist: what is scheduled by them can be tested, what runs cannot.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.components.facts import Fabric, Facts, JsonObject, NodePool
from bedplate.components.facts.fabric import PAGE_MIB
from bedplate.components.facts.pools import GPU, SLICE
from bedplate.components.nodes.pool_labels import written
from bedplate.components.platforms import PLATFORMS, Platform
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile

RACK = 4
"""Nodes of eight GPUs in a rack, as its power allows."""
BLOCK = 32
"""Nodes of a scalable unit: one set of leaf switches."""
TOPOGRAPH = ("fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1")
"""Labels of a node's block and rack where the platform has none of its own (NVIDIA/topograph)."""


@dataclass(frozen=True)
class Place:
    """Where the i-th node of a pool stands."""

    pool: NodePool
    index: int

    @property
    def name(self) -> str:
        """The node's name."""
        return f"{self.pool.name}-{self.index}"

    @property
    def rack(self) -> str:
        """Its rack."""
        return f"{self.pool.name}-rack-{self.index // RACK}"

    @property
    def block(self) -> str:
        """Its scalable unit."""
        return f"{self.pool.name}-block-{self.index // BLOCK}"


def nodes(profile: Profile) -> Iterator[dict[str, Any]]:
    """Every node of every pool."""
    cluster = facts(profile)
    for pool in cluster.pools:
        resources = capacity(cluster.fabric, pool)
        for index in range(pool.nodes):
            yield node(cluster, Place(pool, index), resources)


def node(cluster: Facts, place: Place, resources: Mapping[str, str]) -> dict[str, Any]:
    """One node; KWOK makes it Ready and keeps it so."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": place.name,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {
                **system_labels(cluster, place),
                **(gpu_labels(place.pool, cluster) if place.pool.gpus else {}),
                **(fabric_labels(cluster) if place.pool.nics else {}),
                **place.pool.labels,
                **place.pool.selector,
            },
        },
        "spec": {"taints": list[JsonObject](place.pool.taints)},
        "status": {"allocatable": {**resources, **offered(place.pool)}, "capacity": dict(resources)},
    }


def capacity(fabric: Fabric, pool: NodePool) -> dict[str, str]:
    """What the kubelet and the device plugins advertise."""
    pages = {"hugepages-2Mi": f"{fabric.node_pages * PAGE_MIB}Mi"} if pool.nics and fabric.hugepages else {}
    plain = {"cpu": str(pool.cpus), "memory": f"{pool.memory_gib}Gi", "ephemeral-storage": "1Ti", "pods": "110"}
    return {**plain, **pages, **{name: str(count) for name, count in pool.extended_resources.items()}}


def offered(pool: NodePool) -> dict[str, str]:
    """What a kubelet keeps is not to be had here either: a pod that no real node has room for waits."""
    millicores, memory = pool.allocatable.kubelet
    return {"cpu": f"{millicores}m", "memory": f"{memory}Mi"}


def system_labels(cluster: Facts, place: Place) -> dict[str, str]:
    """Of kubelet, cloud and NFD."""
    pool = place.pool
    return {
        "kubernetes.io/hostname": place.name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": pool.arch,
        "node.kubernetes.io/instance-type": pool.shape,
        "topology.kubernetes.io/region": "lab",
        "topology.kubernetes.io/zone": pool.zone or "lab-a",
        **network_labels(PLATFORMS[cluster.platform], place),
        "feature.node.kubernetes.io/kernel-version.full": "6.8.0",
        "feature.node.kubernetes.io/kernel-version.major": "6",
        "feature.node.kubernetes.io/kernel-version.minor": "8",
        "feature.node.kubernetes.io/system-os_release.ID": cluster.node_os.split("-")[0],
    }


def network_labels(platform: Platform, place: Place) -> dict[str, str]:
    """Every level of the topology: one network, then block and rack, then the machine where the cloud names it."""
    *wider, block, rack = platform.network_labels or TOPOGRAPH
    machine = {platform.host_label: place.name} if platform.host_label else {}
    return {**dict.fromkeys(wider, "lab"), block: place.block, rack: place.rack, **machine}


def gpu_labels(pool: NodePool, cluster: Facts) -> dict[str, str]:
    """Of NFD, GPU Feature Discovery and the GPU Operator, and those by which a pool picks its slices."""
    shared = pool.time_slices > 1
    return {
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.deploy.operands": "true",
        "nvidia.com/gpu.product": f"{pool.gpu_product}{'-SHARED' if shared and pool.resource == GPU else ''}",
        "nvidia.com/gpu.family": str(pool.gpu_family),
        "nvidia.com/gpu.count": str(pool.gpus),
        "nvidia.com/gpu.memory": str(pool.gpu_memory_gib * 1024),
        "nvidia.com/gpu.replicas": str(pool.time_slices),
        "nvidia.com/gpu.sharing-strategy": "time-slicing" if shared else "none",
        "nvidia.com/mig.strategy": "mixed" if pool.cut else "single",
        **written(pool, cluster),
        **({"nvidia.com/mig.config.state": "success"} if pool.cut else {}),
        **{f"{name}.count": str(count) for name, count in pool.gpu_resources.items() if name.startswith(SLICE)},
    }


def fabric_labels(cluster: Facts) -> dict[str, str]:
    """Of NFD, by the vendor of the NICs; clouds with adapters of their own have none of Mellanox."""
    if cluster.fabric.kind in {"efa", "tcpxo"}:
        return {"feature.node.kubernetes.io/rdma.available": "true"} if cluster.fabric.kind == "efa" else {}
    return {
        "feature.node.kubernetes.io/pci-15b3.present": "true",
        "feature.node.kubernetes.io/rdma.capable": "true",
        "feature.node.kubernetes.io/rdma.available": "true",
        "network.nvidia.com/operator.mofed.wait": "false",
    }
