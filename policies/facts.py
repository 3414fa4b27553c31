"""What the rules need to know about the cluster and cannot read from a manifest.

It is the pack's policy configuration and its JSON Schema. Every fact is optional: what is not stated is not known, and
a rule that needs it stays silent.
"""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from bedplate.components.waiver import Waiver


class Fact(BaseModel):
    """A frozen record, camelCase outside; its attributes' docstrings are the schema's descriptions."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Taint(Fact):
    """A taint that the nodes of a pool carry."""

    key: str
    """For example `nvidia.com/gpu`."""
    value: str | None = None
    """Absent where the taint has none."""
    effect: str = "NoSchedule"
    """NoSchedule, PreferNoSchedule or NoExecute."""


class Pool(Fact):
    """Nodes of one shape."""

    name: str
    """The pool's name in the profile."""
    shape: str = ""
    """The node shape or instance type: `dgx-h100`, `p5.48xlarge`."""
    nodes: int | None = None
    """How many nodes, at most where the pool scales."""
    fewest_nodes: int | None = None
    """How many nodes at least, where the pool scales."""
    gpus_per_node: int = 0
    """None means a pool without GPUs."""
    gpu_product: str = ""
    """The label value of GPU feature discovery: `NVIDIA-H100-80GB-HBM3`."""
    gpu_memory_gb: float | None = None
    """Memory of one GPU."""
    nics_per_node: int | None = None
    """NICs of the fabric that training uses."""
    efa_per_node: int | None = None
    """Devices that the EFA plugin advertises."""
    taints: tuple[Taint, ...] = ()
    """What pods must tolerate."""
    labels: Mapping[str, str] = {}
    """Labels that every node of the pool carries."""
    mig: bool = False
    """Whether the GPUs are partitioned."""
    time_slicing: int = 1
    """Pods that share one GPU in turns."""
    units_per_node: int | None = None
    """MIG slices or shares that one node advertises; without them, what GPUs and time slicing give."""

    @property
    def units(self) -> int | None:
        """GPUs, slices or shares of all its nodes; None where that is not known."""
        per_node = self.units_per_node or (None if self.mig else self.gpus_per_node * self.time_slicing)
        return None if self.nodes is None or per_node is None else self.nodes * per_node


class Facts(Fact):
    """The cluster, as far as it is known."""

    platform: str | None = None
    """kubeadm, rke2, k3s, k0s, microk8s, talos, openshift, eks, gke, aks or oke."""
    kubernetes_version: str | None = None
    """For example 1.35."""
    fabric: str | None = None
    """infiniband, roce, efa, tcpx, tcpxo, gib or none."""
    exposure: str | None = None
    """How pods get the NICs: shared, exclusive, sriov or host-device."""
    driver_owner: str | None = None
    """Who brings the GPU driver: operator, image (preinstalled) or cloud (the provider's installer)."""
    node_os: str | None = None
    """The node image where it decides: cos, ubuntu, dgxos, al2023-nvidia, bottlerocket-nvidia."""
    gpu_direct: str | None = None
    """dmabuf, peermem or none."""
    kernel: str | None = None
    """The oldest kernel of the GPU nodes."""
    mtu: int | None = None
    """The fabric's MTU."""
    pools: tuple[Pool, ...] = ()
    """Node pools."""
    rdma_resources: Mapping[str, int] = {}
    """The extended resources of the fabric, with the count for a pod that takes a whole node: the largest one's, where
    pools differ."""
    extra_hcas: tuple[str, ...] = ()
    """mlx5 devices of the nodes that do not belong to the fabric: storage and management."""
    memlock_unlimited: bool | None = None
    """Whether the container runtime lifts the memlock limit for every process (LimitMEMLOCK=infinity)."""
    pod_cidrs: tuple[str, ...] = ()
    """Ranges of the pod network."""
    service_cidrs: tuple[str, ...] = ()
    """Ranges of the services."""
    site_runs: tuple[str, ...] = ()
    """What the site runs itself: multus, whereabouts, nfd, devicePlugin, driver."""
    existing_prometheus: bool | None = None
    """The site's own Prometheus operator is there, and with it the CRDs of monitors and rules."""
    spare_gpus: int | None = None
    """GPUs that are free for a rollout's surge."""
    fitted: tuple[str, ...] = ()
    """Model servers as `namespace/name` whose weights and cache the profile's own plan has reckoned, by the precision
    that the profile states."""
    waivers: tuple[Waiver, ...] = ()
    """What the cluster's owners allow in spite of a rule."""

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """Read camelCase keys, as in a policy configuration."""
        return cls.model_validate(dict(mapping))

    @property
    def gpu_pools(self) -> tuple[Pool, ...]:
        """The pools that have GPUs."""
        return tuple(pool for pool in self.pools if pool.gpus_per_node)

    @property
    def products(self) -> frozenset[str]:
        """Every GPU product of the cluster."""
        return frozenset(pool.gpu_product for pool in self.gpu_pools if pool.gpu_product)

    @property
    def on_verbs(self) -> bool:
        """Whether the fabric is InfiniBand or RoCE."""
        return self.fabric in {"infiniband", "roce"}

    @property
    def verbs_devices(self) -> frozenset[str]:
        """What pods ask for the fabric's HCAs by, however the site calls it; other fabrics have fixed names."""
        return frozenset(self.rdma_resources if self.on_verbs else ())
