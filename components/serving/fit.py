"""Whether a model fits its GPUs, and how long it takes to load: arithmetic over the model's facts.

An estimate on the safe side; it knows nothing of speculative decoding, adapters or images, which need more.
"""

from dataclasses import dataclass

from bedplate.components.serving.models import GIGA, Model
from bedplate.components.serving.room import Card, Cut, Room

PLAIN = "bf16"
SINGLE = "fp32"
"""What vLLM falls back to where a GPU has no bf16 and the model bears no float16; no precision of a profile."""
WIDTH = {SINGLE: 4.0, PLAIN: 2.0, "fp8": 1.0, "int4": 0.52, "fp4": 0.5625}
"""Bytes a parameter; AWQ and GPTQ have 20 bits of scale and zero for every 128 numbers of 4 bits, NVFP4 a scale of 8
bits for every 16."""
EXPERT = {**WIDTH, "int4": 0.5625}
"""Of routed experts; 4 bits with 16 bits of scale for every 32 numbers (quantization_config of
moonshotai/Kimi-K2-Thinking, whose 594 GB this gives)."""
HEADROOM = 1.1
"""Weights may take a tenth more while they load, and a cache that is a tenth larger than the longest request allows
for what an estimate leaves out."""
ENDLESS = 10**9
"""Tokens that a model holds which keeps nothing of them."""
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
    workspace: float = 0
    """What is neither weights nor cache."""
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


BF16_SINCE = (8, 0)
"""The first compute capability with bf16."""


def runs_in(model: Model, precision: str, at: Card) -> str:
    """The precision that vLLM gives the weights: without bf16 float16, and 32 bits to models that bear no float16.

    vllm-project/vllm@v0.12.0 config/model.py `_resolve_auto_dtype`, `_FLOAT16_NOT_SUPPORTED_MODELS`.
    """
    old = at.capability is not None and at.capability < BF16_SINCE
    return SINGLE if precision == PLAIN and model.float16 is False and old else precision


def weights_gb(model: Model, precision: str) -> float:
    """All of a model's parameters; what quantisation leaves alone is at 16 bits."""
    return _common_gb(model, precision) + _experts_gb(model, precision)


def share_gb(model: Model, precision: str, cut: Cut) -> float:
    """Weights on each GPU: copies repeat what is not expert (vLLM, data parallel deployment)."""
    held = _common_gb(model, precision) + _experts_gb(model, precision) / cut.data
    return held / (cut.tensor * cut.pipeline)


def _common_gb(model: Model, precision: str) -> float:
    """Embedding and output layer keep 16 bits, and beside quantised experts all the rest.

    So do gpt-oss, Kimi K2 in 4 bits and FP8 of Llama 4; DeepSeek's and Qwen's own FP8 have the rest in 8 bits, too,
    and then this is 2 to 4 % too much.
    """
    width, plain = WIDTH[precision], WIDTH[PLAIN]
    rest = max(width, plain) if model.expert_billions else width
    return (model.billions - model.expert_billions) * rest + model.word_billions * max(0.0, plain - rest)


def _experts_gb(model: Model, precision: str) -> float:
    return model.expert_billions * EXPERT[precision]


def fit(model: Model, precision: str, cut: Cut, room: Room, longest: int) -> Fit:
    """Weights and KV cache on each GPU of a replica."""
    weights = share_gb(model, precision, cut)
    left = max(0.0, room.usable - weights - room.workspace) * GIGA
    # The cache is as wide as the activations, also beside smaller weights; a stage has its own layers' part of it.
    wide = max(WIDTH[PLAIN], WIDTH[precision])
    # One step more than stages runs at once (v0.32.0 config/vllm.py `max_concurrent_batches`).
    each = model.sequence_bytes(longest, room.step * (cut.pipeline + 1), cut.tensor, wide) / longest
    tokens = int(left * cut.pipeline / each) if each else ENDLESS
    return Fit(weights, room.usable, tokens * cut.data, longest, room.workspace, cut.data)


def load_seconds(gigabytes: float, read_gbs: float) -> int:
    """From the container's start to the first answer; the image is there by then."""
    return max(SHORTEST_STARTUP, int(MARGIN * (gigabytes / read_gbs + COMPILE_SECONDS)))
