"""vLLM: one node as a Deployment, several as groups of a LeaderWorkerSet."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt

from bedplate.components.facts import Facts
from bedplate.components.facts.pools import MIG_PROFILE
from bedplate.components.readiness import wait_for
from bedplate.components.serving import adapters, kv_transfer
from bedplate.components.serving.adapters import Adapter, Rank
from bedplate.components.serving.autoscale import Target, autoscaler, deployment_of, group_of, role_of
from bedplate.components.serving.flags import STREAMED, revision, turned
from bedplate.components.serving.kv_transfer import KvTransfer
from bedplate.components.serving.picker import picker
from bedplate.components.serving.pod import (
    Loading,
    Process,
    driver_path,
    home,
    loading,
    pod_template,
    probes,
    secret_name,
)
from bedplate.components.serving.room import Cut
from bedplate.components.serving.server import HUGGING_FACE_TOKEN, SERVING_API_KEY, TRUST, WHOLE_EXPERTS, Llm
from bedplate.components.serving.shape import budget, deployment, monitor, service, whole
from bedplate.components.serving.sidecar import BEHIND, sidecar
from bedplate.components.serving.ways_in import Backend, service_annotations, ways_in
from bedplate.components.serving.weights import BucketWeights, VolumeWeights
from bedplate.components.workload.identity import name_of

PORT = 8000
RENDEZVOUS_PORT = 29500
HEALTH = "/health"
"""Asks for no key."""


class VllmServer(Llm):
    """vLLM as a Deployment, or as a LeaderWorkerSet where a replica spans nodes."""

    kind: Literal["vllm"]
    pipeline_parallel: PositiveInt = 1
    """Nodes that share the layers; more than one makes a group, with `tensorParallel` GPUs on each node."""

    slice: Annotated[str, Field(pattern=rf"^{MIG_PROFILE}$")] | None = None
    """On a pool whose GPUs are cut: the kind of slice that a pod takes, such as 2g.24gb; one, as slices have no path to
    each other."""
    data_parallel: PositiveInt = 1
    """Copies that answer requests of their own and share the experts, with `tensorParallel` GPUs each."""
    data_parallel_local: PositiveInt | None = None
    """Of these, as many as a node has: the rest are on further nodes, in one group over the fabric. Absent: all of them
    are in one node."""
    adapters: tuple[Adapter, ...] = ()
    """LoRA adapters beside the model, each called by its own name."""
    max_lora_rank: Rank = 16
    """The largest rank of them (--max-lora-rank)."""
    kv_transfer: KvTransfer | None = None
    """Prompts and answers on servers of their own, which hand the KV cache over by the fabric."""
    expert_parallel: bool = False
    """Whole experts on each GPU instead of a part of every expert (--enable-expert-parallel)."""

    @property
    def kind_of_slice(self) -> str | None:
        """The MIG slice that one pod takes; None: whole GPUs."""
        return self.slice

    @property
    def whole_experts(self) -> bool:
        """Each expert is on one GPU, not a part of it on each."""
        return self.expert_parallel or super().whole_experts

    @property
    def one_kind(self) -> bool:
        """Its caches are of one kind: those that are handed over are, or may be."""
        return self.kv_transfer is not None or super().one_kind

    @property
    def cut(self) -> Cut:
        """How one replica is spread over GPUs."""
        spread = -(-self.data_parallel // (self.data_parallel_local or self.data_parallel))
        return Cut(self.tensor_parallel, self.pipeline_parallel, self.data_parallel, spread)

    @property
    def pair(self) -> str | None:
        """The pair that it is a half of."""
        return self.kv_transfer.pair if self.kv_transfer else None

    @property
    def belongs(self) -> Mapping[str, str]:
        """Labels of the pair that it is a half of."""
        return self.kv_transfer.labels if self.kv_transfer else {}

    @property
    def grouped(self) -> bool:
        """Its replicas are groups of a LeaderWorkerSet, of one pod or more."""
        return self.cut.nodes > 1 or self.pair is not None

    @property
    def port(self) -> int:
        """Where vLLM itself listens: behind the routing sidecar, if its pod has one."""
        return BEHIND if self.pair and picker(self) else PORT


def manifests(server: VllmServer, facts: Facts, *, surge: bool) -> list[dict[str, Any]]:
    """Everything of one server but its secrets."""
    group = server.grouped
    startup = server.start_seconds(facts.volumes)
    workload = worker_set(server, facts, surge=surge) if group else single(server, facts, surge=surge)
    scaler = autoscaler(server, facts, startup, scaled(server))
    around = (budget(server, group=group), monitor(server, facts), scaler)
    reached = ways_in(server, facts, Backend(server.name, PORT, PORT, HEALTH))
    address = service(server, PORT, service_annotations(server), group=group)
    return [workload, address, *(one for one in around if one), *reached]


def scaled(server: VllmServer) -> Target:
    """Whose replicas an autoscaler sets."""
    if server.kv_transfer and server.kv_transfer.pair:
        return role_of(server.kv_transfer.pair, server.kv_transfer.role)
    return group_of(server) if server.grouped else deployment_of(server)


def single(server: VllmServer, facts: Facts, *, surge: bool) -> dict[str, Any]:
    """A replica in one node."""
    source = loading(server.weights, facts)
    startup = server.start_seconds(facts.volumes)
    whole = process(server, facts, source, startup)
    template = pod_template(server, facts, whole, source, fabric=server.kv_transfer is not None)
    return deployment(server, template, surge=surge, startup=startup)


def process(
    server: VllmServer, facts: Facts, source: Loading, startup: int | None, rank: tuple[str, ...] = ()
) -> Process:
    """One vLLM process; the ones that answer no requests have no probes."""
    cache = {"VLLM_CACHE_ROOT": f"{facts.cache.path}/vllm"} if facts.cache and _mounts_cache(source) else {}
    handed: dict[str, str] = {**kv_transfer.environment(facts.fabric.kind)} if server.kv_transfer else {}
    handed |= kv_transfer.KEEP_ALIVE if server.pair else {}
    return Process(
        image=server.image,
        command=("vllm", "serve", *arguments(server, source, facts.fabric.kind), *rank, *server.extra_args),
        port=PORT,
        probes=startup_probes(server, startup, server.port) if startup else {},
        env={**home(facts), **driver_path(server.image, facts), **cache, **handed},
        fields=kv_transfer.FIELDS if server.kv_transfer else {},
        secrets=secrets(server),
        service_account=name_of(server.account),
        sidecars=(sidecar(PORT),) if startup and server.port != PORT else (),
    )


def command(server: VllmServer, source: Loading, fabric: str) -> tuple[str, ...]:
    """All words behind `vllm serve` of the process that answers."""
    rank = _rank(server) if server.cut.nodes > 1 else ()
    return (*arguments(server, source, fabric), *rank, *server.extra_args)


def secrets(server: Llm) -> dict[str, tuple[str, str]]:
    """Secret and key by variable."""
    variables = {HUGGING_FACE_TOKEN: "HF_TOKEN", SERVING_API_KEY: "VLLM_API_KEY"}
    return {variables[key]: (secret_name(server, key), key) for key in server.secrets} | server.keys


def _mounts_cache(source: Loading) -> bool:
    return any(mount["name"] == "node-cache" for mount in source.mounts)


def startup_probes(server: Llm, startup: int, port: int = PORT) -> dict[str, Any]:
    """`/v1/models` names what can be asked for, but wants the key where there is one."""
    ready = HEALTH if server.api_key else "/v1/models"
    return probes(start=ready, ready=ready, alive=HEALTH, port=port, startup_seconds=startup)


def arguments(server: VllmServer, source: Loading, fabric: str) -> tuple[str, ...]:
    """The model first: `--model` is deprecated (vllm-project/vllm#39506)."""
    cut = server.cut
    return (
        source.path,
        *("--served-model-name", server.served_model_name or server.name),
        *("--port", str(server.port)),
        *("--tensor-parallel-size", str(cut.tensor)),
        *(("--pipeline-parallel-size", str(cut.pipeline)) if cut.pipeline > 1 else ()),
        *(("--data-parallel-size", str(cut.data)) if cut.data > 1 else ()),
        *((WHOLE_EXPERTS,) if server.expert_parallel else ()),
        *((TRUST,) if server.trust_remote_code else ()),
        *turned(server),
        *("--max-model-len", str(server.longest)),
        *("--gpu-memory-utilization", str(server.gpu_memory_utilization)),
        *revision(server),
        *(STREAMED if isinstance(server.weights, BucketWeights) else ()),
        *_adapters(server, source),
        *(kv_transfer.arguments(server.kv_transfer.role, fabric) if server.kv_transfer else ()),
    )


def _adapters(server: VllmServer, source: Loading) -> tuple[str, ...]:
    if not server.adapters or not isinstance(server.weights, VolumeWeights):
        return ()
    return adapters.arguments(server.adapters, server.max_lora_rank, server.weights, source)


def worker_set(server: VllmServer, facts: Facts, *, surge: bool) -> dict[str, Any]:
    """A replica over several nodes: the leader answers, the others work; if one dies the group starts anew.

    Half of a pair is one of a single pod, too, which LWS's controller makes.
    """
    target = group_of(server)
    more = {"maxUnavailable": 0, "maxSurge": 1} if surge and server.pair else {"maxUnavailable": 1, "maxSurge": 0}
    spec = {
        **({} if server.scaling else {"replicas": server.replicas}),
        "rolloutStrategy": {"type": "RollingUpdate", "rollingUpdateConfiguration": more},
        "leaderWorkerTemplate": {
            "size": server.cut.nodes,
            "restartPolicy": "RecreateGroupOnPodRestart",
            **_templates(server, facts),
        },
    }
    return whole(server, target.api, target.kind, spec, {} if server.pair else wait_for("condition=Available"))


def _templates(server: VllmServer, facts: Facts) -> dict[str, Any]:
    """Of a group's leader and workers; a group of one pod is made from the workers' alone."""
    source = loading(server.weights, facts)
    startup = server.start_seconds(facts.volumes)
    rank = _rank(server) if server.cut.nodes > 1 else ()
    leader = pod_template(server, facts, process(server, facts, source, startup, rank), source, fabric=True)
    if not rank:
        return {"workerTemplate": leader}
    worker = process(server, facts, source, None, (*rank, "--headless"))
    return {"leaderTemplate": leader, "workerTemplate": pod_template(server, facts, worker, source, fabric=True)}


def _rank(server: VllmServer) -> tuple[str, ...]:
    """Processes meet by the names that LeaderWorkerSet gives, no Ray; a node's copies follow from its rank."""
    return (
        *("--distributed-executor-backend", "mp"),
        *("--nnodes", str(server.cut.nodes)),
        *("--node-rank", "$(LWS_WORKER_INDEX)"),
        *("--master-addr", "$(LWS_LEADER_ADDRESS)"),
        *("--master-port", str(RENDEZVOUS_PORT)),
    )
