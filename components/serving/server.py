"""What every kind of server has: where it runs, how it scales, and how it is reached."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, NonNegativeInt, PositiveInt, Tag

from bedplate.catalog.engines import IMAGE, vllm
from bedplate.charts import sets
from bedplate.components.facts import Volume
from bedplate.components.section import DnsLabel, Quantity, Seconds, Section, Size
from bedplate.components.serving.fit import Fit, fit, load_seconds, runs_in, weights_gb
from bedplate.components.serving.model_source import ModelSource, form
from bedplate.components.serving.models import MODELS, Model
from bedplate.components.serving.room import GRAPHS_SINCE, Batch, Card, Cut, Room
from bedplate.components.serving.routes import Route
from bedplate.components.serving.scale import Scaling
from bedplate.components.serving.weights import BucketWeights, HubWeights, LlmWeights
from bedplate.components.workload.identity import AnyAccount

HUGGING_FACE_TOKEN = "huggingFaceToken"  # noqa: S105 - the name of a configuration key
SERVING_API_KEY = "servingApiKey"
GRACE, SETTLING, DAY = 120, 10, 86_400
"""Seconds to go without knowing the answers; until no new request comes; and the most of `grace`."""
LONGEST = 8192
"""Tokens, where a profile says nothing."""
TRUST, WHOLE_EXPERTS = "--trust-remote-code", "--enable-expert-parallel"
Task = Literal["generate", "embed", "classify", "transcribe"]
POOLED = ("embed", "classify")
"""Tasks that are answered in one step."""
ONE_KIND = "--disable-hybrid-kv-cache-manager"
LARGEST_GB = 1200.0
"""Weights of a model of which nothing is known: a patient start, as the largest that are served take it in 8 bits."""
DEFAULT_IMAGE = sets.image("vllm/vllm-openai")
"""No release before v0.24: GHSA-4r2x-xpjr-7cvv (critical, before v0.14.1), CVE-2026-41523 (before v0.22.0) and
GHSA-hgg8-fqqc-vfmw (up to v0.23.0) are open in them."""
EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Server(Section):
    """What all servers have in common."""

    name: DnsLabel
    """Also the name of its Deployment, Service and autoscaler."""
    namespace: DnsLabel
    """A team's."""
    pool: DnsLabel
    """The pool whose GPUs it takes."""
    replicas: NonNegativeInt = 1
    """The fewest; 0 with KEDA and `scaling.wake`."""
    max_replicas: PositiveInt | None = None
    """The most; absent: as many as `replicas`, always."""
    scaling: Scaling | None = None
    """Needed where `maxReplicas` is more than `replicas`."""
    route: Route | None = None
    """The way in from outside the cluster."""
    env: Mapping[EnvName, str] = Field(default_factory=dict)
    """Further environment of the server, over ours; no secrets."""
    cpu: Quantity | None = None
    """Processors of one pod; absent: its GPUs' part of the node."""
    memory: Size | None = None
    """Memory of one pod; absent: its GPUs' part of the node."""
    grace: Seconds | None = None
    """How long a pod that must go may take to finish its answers; absent: of vLLM computed from the longest answer
    (`maxModelLen` / `answerSpeed`, or the route's `timeout` if that is less, and 10 s before), else 120."""
    spread: Literal["host", "zone"] | None = None
    """Keep replicas on different nodes or in different zones where there is room."""
    extra_args: tuple[str, ...] = ()
    """Further arguments of the server, after ours."""

    @property
    def kind_of_slice(self) -> str | None:
        """The MIG slice that one pod takes; None: whole GPUs."""
        return None

    @property
    def belongs(self) -> Mapping[str, str]:
        """Labels of the pair that it is a half of."""
        return {}

    @property
    def patience(self) -> int:
        """Seconds that a pod that must go has."""
        return self.grace or GRACE

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

    model: Annotated[
        Annotated[str, Tag("str")] | Annotated[Model, Tag("Model")] | Annotated[ModelSource, Tag("ModelSource")],
        Discriminator(form),
    ]
    """A model of docs/models.md by name, its `config.json`, or the same facts in full."""
    weights: LlmWeights
    task: Task | None = None
    """What it is asked for; absent: what the model was made for. A model that writes text gives vectors (`embed`) or
    classes and scores (`classify`) as well."""
    precision: Literal["bf16", "fp8", "int4", "fp4"] = "bf16"
    """Of the weights as they are stored; fp4 is NVFP4 or MXFP4."""
    tensor_parallel: PositiveInt = 1
    """GPUs that share every layer, in one node."""
    max_model_len: PositiveInt | None = None
    """Tokens of the longest request and its answer (--max-model-len); absent: 8192, or the model's own length if that
    is less."""
    trust_remote_code: bool = False
    """Run the code that comes with the weights (--trust-remote-code); some models start with it alone."""
    answer_speed: PositiveInt = 20
    """Tokens a second of one answer under full load, the slowest that you promise: how long a pod may take to go
    follows from it. 20 are 50 ms a token, a usual bound where somebody reads along."""
    gpu_memory_utilization: Annotated[float, Field(gt=0.1, le=0.98)] = 0.9
    """Part of the GPU's memory that the server takes."""
    served_model_name: str | None = Field(default=None, min_length=1)
    """What clients ask for; by default the server's name."""
    image: Annotated[str, Field(pattern=r"^\S+$")] = DEFAULT_IMAGE
    """v0.12 or later: `--nnodes` runs groups without Ray. Since v0.23 it is of CUDA 13: driver 580 or later, no Volta;
    with `-cu129` behind it an older driver does."""
    api_key: bool = False
    """Clients must send the secret `servingApiKey` as their bearer token."""

    @property
    def facts(self) -> Model | None:
        """The model's facts, or None for a name that we do not know, or a repository that nobody could ask."""
        if isinstance(self.model, ModelSource):
            return None
        return self.model if isinstance(self.model, Model) else MODELS.get(self.model)

    @property
    def kept(self) -> Model | None:
        """Its facts as this server's cache has them: without a manager of several kinds every layer keeps all."""
        return self.facts.model_copy(update={"window": None}) if self.facts and self.one_kind else self.facts

    @property
    def one_kind(self) -> bool:
        """Its caches are of one kind."""
        return self.asks(ONE_KIND)

    @property
    def able(self) -> tuple[str, ...]:
        """What the engine's class of the model was made for; empty: nobody has said it."""
        engine, model = vllm(self.image), self.facts
        return engine.architectures.get(model.architecture or "", ()) if engine and model else ()

    @property
    def does(self) -> str:
        """What it is asked for: text where the model writes any, and nobody says otherwise."""
        return self.task or ("generate" if "generate" in self.able or not self.able else self.able[0])

    @property
    def longest(self) -> int:
        """Tokens of the longest request and its answer."""
        own = self.facts.max_length if self.facts else None
        return self.max_model_len or min(LONGEST, own or LONGEST)

    def asks(self, flag: str) -> bool:
        """Whether `extraArgs` have a flag of vLLM, which takes `_` for `-`."""
        return any(argument.partition("=")[0].replace("_", "-") == flag for argument in self.extra_args)

    def number(self, flag: str, default: int) -> int:
        """What `extraArgs` say of a flag, as `--flag=8` or as `--flag`, `8`."""
        words = [word for argument in self.extra_args for word in argument.split("=", 1)]
        said = [after for name, after in pairwise(words) if name.replace("_", "-") == flag and after.isdecimal()]
        return int(said[-1]) if said else default

    @property
    def trusts(self) -> bool:
        """The code that comes with the weights may run."""
        return self.trust_remote_code or self.asks(TRUST)

    @property
    def whole_experts(self) -> bool:
        """Each expert is on one GPU, not a part of it on each."""
        return self.asks(WHOLE_EXPERTS)

    @property
    def patience(self) -> int:
        """As long as the longest answer takes that the way in lets through, after new requests stop coming."""
        if self.does in POOLED:
            return super().patience
        longest = math.ceil(self.longest / self.answer_speed)
        return self.grace or min(DAY, SETTLING + min(longest, self.route.timeout if self.route else longest))

    @property
    def cut(self) -> Cut:
        """How one replica is spread over GPUs."""
        return Cut(self.tensor_parallel)

    def room(self, at: Card) -> Room:
        """What it may take of one GPU."""
        assert self.facts is not None  # noqa: S101 - stacks/checks/serving.py refuses unknown models
        named = IMAGE.fullmatch(self.image)
        graphs = named is None or tuple(map(int, named["release"].split("."))) >= GRAPHS_SINCE
        return at.room(self.gpu_memory_utilization, self.facts, self.cut, self.batch(at), graphs=graphs)

    def batch(self, at: Card) -> Batch:
        """The most that one step computes on such GPUs: vLLM's own choice, or what `extraArgs` say."""
        usual = at.batch
        tokens = self.number("--max-num-batched-tokens", usual.tokens)
        return Batch(tokens, self.number("--max-num-seqs", usual.sequences))

    def fit(self, at: Card) -> Fit:
        """One replica on such GPUs."""
        assert self.facts is not None  # noqa: S101 - stacks/checks/serving.py refuses unknown models
        return fit(
            self.kept or self.facts, runs_in(self.facts, self.precision, at), self.cut, self.room(at), self.longest
        )

    def start_seconds(self, volumes: Mapping[str, Volume]) -> int:
        """Every node of a replica reads its own part, side by side; the safe guess is a node that reads all."""
        weights = weights_gb(self.facts, self.precision) if self.facts else LARGEST_GB
        return load_seconds(weights, self.weights.speed(volumes))

    @property
    def gated(self) -> bool:
        """The hub asks for a token."""
        return isinstance(self.weights, HubWeights) and self.weights.gated

    @property
    def account(self) -> AnyAccount | None:
        """Whose rights its pods have; None: nobody's, or those of whoever reads its volume."""
        return self.weights.service_account if isinstance(self.weights, BucketWeights) else None

    @property
    def keys(self) -> dict[str, tuple[str, str]]:
        """Secrets that others make, and their keys, by variable."""
        return self.weights.keys if isinstance(self.weights, BucketWeights) else {}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Configuration keys that must be set beside the profile."""
        asked = ((HUGGING_FACE_TOKEN, self.gated), (SERVING_API_KEY, self.api_key))
        return tuple(key for key, needed in asked if needed)
