"""The `serving` section: servers, what they load, how they scale and how they are reached."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, PositiveInt

from components.section import DnsLabel, HelmSection, Seconds, Section
from components.serving.fit import Cut
from components.serving.models import MODELS, Model
from components.storage.section import Directory

HUGGING_FACE_TOKEN = "huggingFaceToken"  # noqa: S105 - the name of a configuration key
Hostname = Annotated[str, Field(pattern=r"^[a-z0-9*]([a-z0-9.-]*[a-z0-9])?$")]


class VolumeWeights(Section):
    """Weights that are on a shared volume."""

    kind: Literal["volume"]
    volume: DnsLabel
    """One of `storage.volumes`, in the server's namespace."""
    directory: Directory
    """Below the volume's root."""


class HubWeights(Section):
    """Weights that the first replica fetches from the Hugging Face hub; its namespace must be allowed to."""

    kind: Literal["hugging-face"]
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    """Such as `meta-llama/Llama-3.1-8B-Instruct`."""
    revision: str | None = None
    """A commit, so that tomorrow's replicas load what today's did."""
    gated: bool = False
    """The licence must be accepted: uses the secret `huggingFaceToken`."""
    cache: DnsLabel | None = None
    """A writable volume of `storage.volumes` for the download; absent: the nodes' own disks (`storage.cache`)."""


class Scaling(Section):
    """When replicas come and go, between `replicas` and `maxReplicas`."""

    metric: Literal["requests-waiting", "kv-cache", "requests-pending", "gpu-utilisation"] = "requests-waiting"
    """requests-waiting and kv-cache are vLLM's, requests-pending Triton's. gpu-utilisation is near 100 for a busy
    server at any load, so it scales to the maximum and stays there: a choice to regret (policy INF-604)."""
    target: Annotated[float, Field(gt=0)]
    """What one replica may have: requests, a part of the cache (0 to 1), or percent."""
    up_window: Seconds = 120
    """How long the need must last before replicas are added."""
    down_window: Seconds = 300
    """And before they are removed: loading weights again is expensive."""


class GatewayRoute(Section):
    """An HTTPRoute of the Gateway API; the gateway and its CRDs are the site's."""

    kind: Literal["gateway"]
    gateway: DnsLabel
    gateway_namespace: DnsLabel
    hostnames: tuple[Hostname, ...] = Field(min_length=1)


class IngressRoute(Section):
    """An Ingress. ingress-nginx was retired in March 2026: prefer a gateway."""

    kind: Literal["ingress"]
    class_name: DnsLabel
    hostname: Hostname


class Server(Section):
    """What all servers have in common."""

    name: DnsLabel
    """Also the name of its Deployment, Service and autoscaler."""
    namespace: DnsLabel
    """A team's."""
    pool: DnsLabel
    """The pool whose GPUs it takes."""
    replicas: PositiveInt = 1
    """The fewest."""
    max_replicas: PositiveInt | None = None
    """The most; absent: as many as `replicas`, always."""
    scaling: Scaling | None = None
    """Needed where `maxReplicas` is more than `replicas`."""
    route: Annotated[GatewayRoute | IngressRoute, Field(discriminator="kind")] | None = None
    """The way in from outside the cluster."""
    extra_args: tuple[str, ...] = ()
    """Further arguments of the server, after ours."""

    @property
    def most(self) -> int:
        """Replicas at the highest load."""
        return self.max_replicas or self.replicas

    @property
    def cut(self) -> Cut:
        """How one replica is spread over GPUs."""
        return Cut(1)


class _Llm(Server):
    """What both ways to deploy vLLM share."""

    exporter: ClassVar[str] = "vllm"

    model: str | Model
    """A model of `components/serving/models.py` by name, or the same facts in full."""
    weights: Annotated[VolumeWeights | HubWeights, Field(discriminator="kind")]
    precision: Literal["bf16", "fp8", "int4"] = "bf16"
    """Of the weights as they are stored."""
    tensor_parallel: PositiveInt = 1
    """GPUs that share every layer, in one node."""
    longest: PositiveInt = Field(default=8192, alias="maxModelLen")
    """Tokens of the longest request and its answer (--max-model-len)."""
    gpu_memory_utilization: Annotated[float, Field(gt=0.1, le=0.98)] = 0.9
    """Part of the GPU's memory that the server takes."""
    served_model_name: str | None = Field(default=None, min_length=1)
    """What clients ask for; by default the server's name."""

    @property
    def facts(self) -> Model | None:
        """The model's facts, or None for a name that we do not know."""
        return self.model if isinstance(self.model, Model) else MODELS.get(self.model)

    @property
    def cut(self) -> Cut:
        """How one replica is spread over GPUs."""
        return Cut(self.tensor_parallel)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Configuration keys that must be set beside the profile."""
        gated = isinstance(self.weights, HubWeights) and self.weights.gated
        return (HUGGING_FACE_TOKEN,) if gated else ()


class VllmServer(_Llm):
    """vLLM as a Deployment, or as a LeaderWorkerSet where a replica spans nodes."""

    kind: Literal["vllm"]
    image: str = "vllm/vllm-openai:v0.12.0"
    """v0.12 or later: `--nnodes` runs groups without Ray."""
    pipeline_parallel: PositiveInt = 1
    """Nodes that share the layers; more than one makes a group, with `tensorParallel` GPUs on each node."""

    @property
    def cut(self) -> Cut:
        """How one replica is spread over GPUs."""
        return Cut(self.tensor_parallel, self.pipeline_parallel)


class VllmStackServer(_Llm, HelmSection):
    """vLLM by the production-stack chart, which brings a router with prefix and session affinity."""

    kind: Literal["vllm-stack"]
    image: str = "vllm/vllm-openai:v0.12.0"
    routing: Literal["roundrobin", "session", "prefixaware", "kvaware"] = "roundrobin"
    """How the router picks a replica."""


class TritonServer(Server):
    """NVIDIA Triton with a model repository on a shared volume; says nothing about what the models need."""

    exporter: ClassVar[str] = "triton"

    kind: Literal["triton"]
    image: str = "nvcr.io/nvidia/tritonserver:25.08-py3"
    weights: VolumeWeights
    """The model repository."""
    gpus: PositiveInt = 1
    """GPUs of one replica."""
    startup: Seconds = 600
    """How long loading all models may take."""

    @property
    def cut(self) -> Cut:
        """All its GPUs are in one node."""
        return Cut(self.gpus)


AnyServer = Annotated[VllmServer | VllmStackServer | TritonServer, Field(discriminator="kind")]


class ServingSection(Section):
    """Model servers."""

    servers: tuple[AnyServer, ...] = Field(min_length=1)

    def demand(self, pool: str, namespace: str | None = None) -> int:
        """GPUs of a pool that its servers (or those of one team) take at the highest load."""
        here = [one for one in self.servers if one.pool == pool and namespace in (None, one.namespace)]
        return sum(one.most * one.cut.gpus for one in here)
