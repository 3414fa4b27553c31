"""Whether a model fits its GPUs, and how long it takes to load: arithmetic over the model's facts.

An estimate on the safe side; it knows nothing of speculative decoding, adapters or images, which need more.
"""

from dataclasses import dataclass

from bedplate.catalog import gpus
from bedplate.components.serving.models import GIGA, Model

PLAIN = "bf16"
SINGLE = "fp32"
"""What vLLM falls back to where a GPU has no bf16 and the model bears no float16; no precision of a profile."""
WIDTH = {SINGLE: 4.0, PLAIN: 2.0, "fp8": 1.0, "int4": 0.52, "fp4": 0.5625}
"""Bytes a parameter; AWQ and GPTQ have 20 bits of scale and zero for every 128 numbers of 4 bits, NVFP4 a scale of 8
bits for every 16."""
VISIBLE = 0.99
"""Part of a GPU's nominal memory that CUDA sees, where nobody has published it."""
WORKSPACE_GB, SMALL_WORKSPACE_GB = 4.0, 2.0
"""Activations, CUDA graphs and NCCL buffers on each GPU; GPUs below `LARGE_GIB` take 2048 tokens a step instead of 8192
(vllm-project/vllm@v0.12.0 engine/arg_utils.py `get_batch_defaults`; logs of 24 and 48 GB cards have 0.3 to 1.6 GB)."""
LARGE_GIB = 70
HEADROOM = 1.1
"""Weights may take a tenth more while they load, and a cache that is a tenth larger than the longest request allows
for what an estimate leaves out."""
COMPILE_SECONDS = 180
"""torch.compile and CUDA graph capture, 1 to 3 minutes."""
SHORTEST_STARTUP = 600
MARGIN = 1.5
"""A file system that others use as well does not always give what it can."""


@dataclass(frozen=True)
class Fit:
    """One replica on its GPUs; sizes in GB (10⁹ bytes) on each of them."""

    weights: float
    usable: float
    """What the server may take of one GPU."""
    tokens: int
    """Tokens of KV cache that one replica holds."""
    longest: int
    """Tokens of the longest sequence it promises."""
    copies: int = 1
    """Data-parallel copies in it, each with a cache of its own."""

    @property
    def sequences(self) -> int:
        """How many of the longest sequences run at once; one is within one copy."""
        return self.tokens // self.copies // self.longest * self.copies

    @property
    def fits(self) -> bool:
        """The weights load, and at least one sequence has room, with some to spare."""
        return self.loads and self.tokens // self.copies >= self.longest * HEADROOM

    @property
    def loads(self) -> bool:
        """The weights have room while they load."""
        return self.weights * HEADROOM <= self.usable


@dataclass(frozen=True)
class Cut:
    """How one replica is spread: `tensor` GPUs share every layer, `pipeline` groups of them share the stack.

    `data` copies of that share the experts, and each answers requests of its own.
    """

    tensor: int
    pipeline: int = 1
    data: int = 1

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tensor * self.pipeline * self.data

    @property
    def node(self) -> int:
        """GPUs of one pod; only the pipeline spans nodes."""
        return self.tensor * self.data


@dataclass(frozen=True)
class Room:
    """What a server may take of one GPU, in GB."""

    usable: float
    workspace: float
    """The part of it that is neither weights nor cache."""


@dataclass(frozen=True)
class Card:
    """A GPU as its processes have it."""

    visible_gib: float
    capability: tuple[int, int] | None = None
    """CUDA compute capability; None: of a GPU that the catalogue has nothing like."""

    def room(self, utilisation: float) -> Room:
        """What a server may take, that part of it."""
        usable = self.visible_gib * 1024**3 / GIGA * utilisation
        return Room(usable, WORKSPACE_GB if self.visible_gib >= LARGE_GIB else SMALL_WORKSPACE_GB)


def card(product: str | None, memory_gib: int) -> Card:
    """A GPU by its label; `memory_gib` is what its data sheet promises."""
    exact, like = gpus.of_product(product or ""), gpus.near(product or "")
    seen = exact.visible_gib if exact and exact.memory_gib == memory_gib else None
    return Card(seen or memory_gib * VISIBLE, like.capability if like else None)


BF16_SINCE = (8, 0)
"""The first compute capability with bf16."""


def runs_in(model: Model, precision: str, at: Card) -> str:
    """The precision that vLLM gives the weights: without bf16 float16, and 32 bits to models that bear no float16.

    vllm-project/vllm@v0.12.0 config/model.py `_resolve_auto_dtype`, `_FLOAT16_NOT_SUPPORTED_MODELS`.
    """
    old = at.capability is not None and at.capability < BF16_SINCE
    return SINGLE if precision == PLAIN and model.float16 is False and old else precision


def weights_gb(model: Model, precision: str) -> float:
    """All of a model's parameters; embedding and output layer are at 16 bits where the others have fewer."""
    return _gb(model.billions, model, precision)


def share_gb(model: Model, precision: str, cut: Cut) -> float:
    """Weights on each GPU: copies repeat what is not expert (vLLM, data parallel deployment)."""
    held = model.billions - model.expert_billions * (1 - 1 / cut.data)
    return _gb(held, model, precision) / (cut.tensor * cut.pipeline)


def _gb(billions: float, model: Model, precision: str) -> float:
    width = WIDTH[precision]
    return billions * width + model.word_billions * max(0.0, WIDTH[PLAIN] - width)


def fit(model: Model, precision: str, cut: Cut, room: Room, longest: int) -> Fit:
    """Weights and KV cache on each GPU of a replica."""
    weights = share_gb(model, precision, cut)
    left = max(0.0, room.usable - weights - room.workspace) * GIGA
    # The cache is as wide as the activations, also beside smaller weights; a stage has its own layers' part of it.
    wide = max(WIDTH[PLAIN], WIDTH[precision])
    tokens = int(left * cut.pipeline / model.kv_bytes(cut.tensor, wide))
    return Fit(weights, room.usable, tokens * cut.data, longest, cut.data)


def load_seconds(gigabytes: float, read_gbs: float) -> int:
    """From the container's start to the first answer; the image is there by then."""
    return max(SHORTEST_STARTUP, int(MARGIN * (gigabytes / read_gbs + COMPILE_SECONDS)))
