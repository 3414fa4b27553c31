"""What every kind of server has: where its weights are, how it scales, and how it is reached."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, PositiveInt

from components.section import DnsLabel, Seconds, Section
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


class Llm(Server):
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
