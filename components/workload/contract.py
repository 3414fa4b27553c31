"""The workload contract: what a pod of a team must ask for and carry, so that it reaches the GPUs and the fabric.

One object for three readers: the jobs that we render, the ConfigMap `bedplate-workload-contract` in each team's
namespace for jobs that we don't, and the stack's output. It promises nothing about what a job itself does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.components.facts import Facts, JsonObject, NodePool, TeamFacts, Volume
from bedplate.components.facts.allocatable import GIB, in_steps, written
from bedplate.components.workload.clouds import extras
from bedplate.components.workload.extras import Extras

FACTS_KEY = "facts.json"
"""Of the ConfigMap: what our own renderer starts from; the contract itself is its key `contract.json`."""
QUEUE_KEYS = {
    "kueue": "kueue.x-k8s.io/queue-name",
    "volcano": "scheduling.volcano.sh/queue-name",
    "kai": "kai.scheduler/queue",
}
"""How a job names its queue: a label of the job with Kueue and KAI (there also of its pods), an annotation with
Volcano."""
SHM_GIB_PER_GPU = 8
SMALLEST_SHM_GIB = 16
"""NCCL and data loaders fill the default 64 MiB at once (NVIDIA/nccl#525, vllm-project/vllm#1710)."""


@dataclass(frozen=True)
class PodShare:
    """What one pod asks of one node."""

    pool: str
    gpus: int
    resources: Mapping[str, str]
    """Requests, which are the limits too: Guaranteed QoS."""
    shm_gib: int
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    """The fabric's: networks that exist in the namespace, or the cloud's own."""
    runtime_class: str | None = None
    node_selector: Mapping[str, str] = field(default_factory=dict[str, str])
    tolerations: tuple[JsonObject, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """NCCL's; empty for a pod that does not use the fabric."""
    env_file: str | None = None
    """Script of the node image to source first."""
    channel: str | None = None
    """The ResourceClaimTemplate of an IMEX channel, where pods on several nodes of a rack share memory."""
    fabric: bool = False
    """It uses RDMA devices, and so must lock memory."""
    sub_paths: Mapping[str, str] = field(default_factory=dict[str, str])
    """Directory to mount of a claim whose driver cannot mount it by itself, by claim."""
    node: Extras = field(default_factory=Extras)
    """Folders of the node and sidecars, where the cloud's fabric needs them."""

    @property
    def runtime(self) -> dict[str, str]:
        """What its pod names, if anything."""
        return {"runtimeClassName": self.runtime_class} if self.runtime_class else {}

    def document(self) -> dict[str, Any]:
        """As it stands in the ConfigMap."""
        return {
            "resources": dict(self.resources),
            "annotations": dict(self.annotations),
            "capabilities": ["IPC_LOCK"] if self.fabric else [],
            "env": dict(self.env),
            **({"resourceClaimTemplate": self.channel} if self.channel else {}),
            **({"envFile": self.env_file} if self.env_file else {}),
            **self.runtime,
            "nodeSelector": dict(self.node_selector),
            "tolerations": [dict(toleration) for toleration in self.tolerations],
            "shm": f"{self.shm_gib}Gi",
            "hostPaths": self.node.host_paths,
            **({"configFiles": files} if (files := self.node.config_files) else {}),
            "sidecars": [dict(sidecar) for sidecar in self.node.sidecars],
        }


@dataclass(frozen=True)
class Contract:
    """What holds for the pods of one team."""

    facts: Facts
    team: TeamFacts

    def share(self, pool: NodePool, gpus: int, *, fabric: bool = True, resource: str | None = None) -> PodShare:
        """For a pod with some or all GPUs of a node, or slices; `fabric` where it talks to pods on other nodes.

        `resource` is which of them, where a node has several.
        """
        resource = resource or pool.resource
        known = self.facts.fabric
        joins = fabric and self.team.rdma and bool(pool.nics)
        part = pool.part(resource, gpus)
        millicores, most = pool.largest
        memory = in_steps(most * part)
        devices = self._devices(pool, gpus, part) if joins else {}
        node = extras(known.kind, pool, gpus) if joins else Extras()
        return PodShare(
            pool=pool.name,
            gpus=gpus,
            resources={"cpu": _cpu(millicores * part / 1000), "memory": written(memory), resource: str(gpus)} | devices,
            shm_gib=min(memory // GIB // 2, max(SMALLEST_SHM_GIB, SHM_GIB_PER_GPU * gpus)),
            annotations={**self._annotations(pool, gpus), **node.annotations} if joins else {},
            runtime_class=self.facts.runtime_class,
            node_selector=pool.selector,
            tolerations=tuple(
                {"key": taint["key"], "operator": "Exists", "effect": taint["effect"]} for taint in pool.taints
            ),
            env=self._env(pool, node, joins=joins),
            env_file=known.env_file if joins else None,
            channel=pool.channel if fabric and pool.rack and "draDriver" in self.facts.has else None,
            fabric=joins,
            sub_paths={volume.name: volume.sub_path for volume in self._volumes() if volume.sub_path},
            node=node,
        )

    def _env(self, pool: NodePool, node: Extras, *, joins: bool) -> dict[str, str]:
        """The fabric's for whoever uses it, and of a pool outside the fabric what its GPUs need."""
        known = self.facts.fabric
        if joins or known.kind == "none":
            return {**known.env, **pool.env, **node.env}
        return {} if pool.nics else dict(pool.env)

    def _devices(self, pool: NodePool, gpus: int, part: float) -> dict[str, str]:
        known = self.facts.fabric
        pages = {"hugepages-2Mi": f"{known.pages_of(part)}Mi"} if known.hugepages else {}
        return {name: str(count) for name, count in known.resources(pool, gpus).items()} | pages

    def _annotations(self, pool: NodePool, gpus: int) -> dict[str, str]:
        known = self.facts.fabric
        networks = known.networks(self.team.name, pool, gpus)
        return {**known.annotations, **({"k8s.v1.cni.cncf.io/networks": networks} if networks else {})}

    def document(self) -> dict[str, Any]:
        """The whole of it, for people and for other people's jobs: what a pod with a whole node asks for.

        Where GPUs are sliced it is a pod with one slice, as none may use more. Of the pools that the team has a part
        of: what it may borrow at times it cannot count on.
        """
        scheduler = self.facts.scheduler
        topology = scheduler.topology
        return {
            "cluster": self.facts.cluster,
            "namespace": self.team.name,
            "fabric": self.facts.fabric.kind,
            "scheduler": {
                "kind": scheduler.kind,
                "schedulerName": scheduler.name or "default-scheduler",
                "queue": self.team.queue,
                "queueKey": QUEUE_KEYS.get(scheduler.kind),
                "topology": {"name": topology.name, "levels": list(topology.levels)} if topology else None,
            },
            "priorityClass": self.team.priority_class,
            "priorityClasses": list(self.facts.priority_classes),
            "volumes": {volume.name: _volume(volume) for volume in self._volumes()},
            "wholeNode": {pool.name: self._largest(pool).document() for pool in self._pools()},
        }

    def _largest(self, pool: NodePool) -> PodShare:
        return self.share(pool, 1, fabric=False) if pool.sliced else self.share(pool, pool.gpus)

    def _volumes(self) -> list[Volume]:
        """Shared storage with a claim in the team's namespace."""
        return [volume for volume in self.facts.volumes.values() if self.team.name in volume.namespaces]

    def _pools(self) -> list[NodePool]:
        parts = self.team.nominal
        return [pool for pool in self.facts.gpu_pools if any(parts.get(pool.name, {}).values())]


def _volume(volume: Volume) -> dict[str, Any]:
    sub_path = {"subPath": volume.sub_path} if volume.sub_path else {}
    return {"claim": volume.name, "mountPath": volume.path, "mode": volume.mode, **sub_path}


def _cpu(cores: float) -> str:
    """Whole cores, or thousandths where a node's many slices leave less than one."""
    return str(int(cores)) if cores >= 1 else f"{int(cores * 1000)}m"


def contract(facts: Facts, team: str) -> Contract:
    """The contract of a team; KeyError if there is no such team."""
    return Contract(facts, facts.team(team))
