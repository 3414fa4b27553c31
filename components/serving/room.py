"""What a server may take of one GPU, and the part of it that is neither weights nor cache.

Before vLLM hands out the cache it runs one step of the largest batch it allows, and keeps back what that took at its
peak (v1/worker/gpu_worker.py `determine_available_memory`). Figures in GB (10⁹ bytes).
"""

import re
from dataclasses import dataclass

from bedplate.catalog import gpus
from bedplate.components.serving.models import GIGA, Model

GIB = 1024**3
VISIBLE = 0.99
"""Part of a GPU's nominal memory that CUDA sees, where nobody has published it."""
SLICE_GIB, SLICE_VISIBLE = re.compile(r"\.(\d+)gb"), 0.95
"""A slice's memory as its name rounds it up, and the part of it that is there at the least: 4.75 GiB of 1g.5gb, 9.5 to
9.75 of 1g.10gb, 39.25 of 3g.40gb (NVIDIA MIG User Guide, listings of nvidia-smi)."""
SAMPLED = 9.7
"""Bytes at the peak for each byte of logits in fp32: their sorted copy, its indices and probabilities. Nine profiles
of vLLM 0.10 to 0.29 have 9.6 to 9.8 (llm-d-incubation/llm-d-planner docs/empirical-vllm-memory-results.md)."""
LOGIT, NUMBER = 4, 2
"""Bytes of a logit, and of a number between layers."""
ALONE_GB, JOINED_GB = 0.2, 1.1
"""CUDA's own part on one GPU, and with NCCL's and the all-reduce's buffers on several: logs have 0.13, and 0.2 to 1.4
GiB."""
GRAPHS_GB, GRAPHS_SINCE = 0.6, (0, 21)
"""CUDA graphs, which releases from then on keep back, too: logs of one GPU have 0.2 to 0.8 GiB."""
UNKNOWN_GB = 4.0
"""Of a model whose vocabulary nobody has said."""
LARGE_GIB, LARGEST_GIB = 70, 160
"""From here on a step is larger (engine/arg_utils.py `get_batch_defaults`)."""
SMALLER_STEPS = "ampere"
"""The architecture whose large GPUs take small steps all the same (there; vllm-project/vllm#17885)."""


@dataclass(frozen=True)
class Cut:
    """How one replica is spread: `tensor` GPUs share every layer, `pipeline` groups of them share the stack.

    `data` copies of that share the experts, on `spread` nodes, and each answers requests of its own.
    """

    tensor: int
    pipeline: int = 1
    data: int = 1
    spread: int = 1

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tensor * self.pipeline * self.data

    @property
    def node(self) -> int:
        """GPUs of one pod."""
        return self.tensor * -(-self.data // self.spread)

    @property
    def nodes(self) -> int:
        """Pods of one replica, each on a node of its own: stages of the pipeline, or parts of the copies."""
        return self.pipeline * self.spread


@dataclass(frozen=True)
class Batch:
    """The most that one step computes."""

    tokens: int
    """--max-num-batched-tokens."""
    sequences: int
    """--max-num-seqs."""


@dataclass(frozen=True)
class Room:
    """What a server may take of one GPU, in GB."""

    usable: float
    workspace: float
    """The part of it that is neither weights nor cache."""
    step: int = 16_384
    """Tokens of a step; the largest that vLLM takes by itself where nobody knows (`get_batch_defaults`: B200)."""


@dataclass(frozen=True)
class Card:
    """A GPU as its processes have it."""

    visible_gib: float
    capability: tuple[int, int] | None = None
    """CUDA compute capability; None: of a GPU that the catalogue has nothing like."""
    family: str = ""

    @property
    def batch(self) -> Batch:
        """What vLLM takes where nobody says it."""
        if self.visible_gib >= LARGEST_GIB:
            return Batch(16_384, 1024)
        large = self.visible_gib >= LARGE_GIB and self.family != SMALLER_STEPS
        return Batch(8192, 1024) if large else Batch(2048, 256)

    def room(
        self, utilisation: float, model: Model, cut: Cut, batch: Batch | None = None, *, graphs: bool = True
    ) -> Room:
        """What a server may take, that part of it; `graphs`: its release keeps back what CUDA graphs take."""
        chosen = batch or self.batch
        peak = workspace(model, cut, chosen) + (GRAPHS_GB if graphs else 0)
        return Room(self.visible_gib * GIB / GIGA * utilisation, peak, chosen.tokens)


def workspace(model: Model, cut: Cut, batch: Batch) -> float:
    """Peak of the largest step on each GPU: that of the sampler, which sees the whole vocabulary, or of a layer."""
    outside = ALONE_GB if cut.gpus == 1 else JOINED_GB
    if not model.vocabulary:
        return outside + UNKNOWN_GB
    sampler = SAMPLED * LOGIT * batch.sequences * model.vocabulary
    wide = max((*model.widths, model.expert_width or 0)) / cut.tensor
    layer = NUMBER * batch.tokens * (4 * (model.hidden or 0) + 3 * wide)
    return outside + max(sampler, layer) / GIGA


def card(product: str | None, memory_gib: int, slice_of: str | None = None) -> Card:
    """A GPU by its label, or a MIG slice of it; `memory_gib` is what its data sheet promises."""
    exact, like = gpus.of_product(product or ""), gpus.near(product or "")
    seen = exact.visible_gib if exact and exact.memory_gib == memory_gib else None
    if slice_of and (named := SLICE_GIB.search(slice_of)):
        seen = int(named[1]) * SLICE_VISIBLE
    return Card(seen or memory_gib * VISIBLE, like.capability if like else None, like.family if like else "")
