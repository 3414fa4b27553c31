"""Whether a model fits its GPUs, and how long it takes to load: arithmetic over the model's facts.

An estimate on the safe side; it knows nothing of speculative decoding, adapters or images, which need more.
"""

from dataclasses import dataclass

from bedplate.components.serving.models import Model

WIDTH = {"bf16": 2.0, "fp8": 1.0, "int4": 0.5, "fp4": 0.5625}
"""Bytes a parameter; NVFP4 has a scale of 8 bits for every 16 numbers."""
VISIBLE = 0.99
"""Part of a GPU's nominal memory that CUDA sees (H100 80 GB: 79.1 of 80 GiB)."""
WORKSPACE_GB = 4.0
"""Activations, CUDA graphs and NCCL buffers on each GPU."""
HEADROOM = 1.1
"""Weights may take a tenth more while they load."""
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
        """The weights load, and at least one sequence has room."""
        return self.weights * HEADROOM <= self.usable and self.sequences >= 1


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


def weights_gb(model: Model, precision: str) -> float:
    """All of a model's parameters."""
    return model.billions * WIDTH[precision]


def share_gb(model: Model, precision: str, cut: Cut) -> float:
    """Weights on each GPU: copies repeat what is not expert (vLLM, data parallel deployment)."""
    repeated = model.billions - model.expert_billions
    return (repeated + model.expert_billions / cut.data) * WIDTH[precision] / (cut.tensor * cut.pipeline)


def usable_gb(gpu_gib: int, utilisation: float) -> float:
    """What a server may take of one GPU, of the memory that its data sheet promises."""
    return gpu_gib * 1024**3 / 1e9 * VISIBLE * utilisation


def fit(model: Model, precision: str, cut: Cut, usable: float, longest: int) -> Fit:
    """Weights and KV cache on each GPU of a replica."""
    weights = share_gb(model, precision, cut)
    room = max(0.0, usable - weights - WORKSPACE_GB) * 1e9
    # The cache is as wide as the activations, also beside smaller weights; a stage has its own layers' part of it.
    tokens = int(room * cut.pipeline / model.kv_bytes(cut.tensor))
    return Fit(weights, usable, tokens * cut.data, longest, cut.data)


def load_seconds(gigabytes: float, read_gbs: float) -> int:
    """From the container's start to the first answer; the image is there by then."""
    return max(SHORTEST_STARTUP, int(MARGIN * (gigabytes / read_gbs + COMPILE_SECONDS)))
