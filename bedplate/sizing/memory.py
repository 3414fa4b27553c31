"""Memory of one GPU while it trains, and the fewest GPUs that hold a model.

States after ZeRO (arXiv 1910.02054, table 1), activations after Megatron (arXiv 2205.05198, "Reducing Activation
Recomputation"); pipeline's first stage holds as many microbatches as there are stages (1F1B), so that its part of the
activations is that of all layers.
"""

from dataclasses import dataclass
from math import ceil

from bedplate.sizing.model import Trained
from bedplate.sizing.spread import FULL_SHARD, Spread

WEIGHT, GRADIENT, OPTIMIZER = 2, 2, 12
"""Bytes a parameter: bf16 weight and gradient; fp32 copy, first and second moment of Adam."""
STATES = WEIGHT + GRADIENT + OPTIMIZER
USABLE = 0.75
"""Part of a GPU that states may fill where activations are not counted: the rest is theirs, NCCL's and fragments'."""
RESERVE = 0.1
"""Part of a GPU that fragments are left, where activations are counted."""
WORKSPACE_GB = 4.0
"""CUDA context and NCCL's buffers."""
RECOMPUTED, KEPT, LOGITS = 2, 34, 4
"""Bytes a token and hidden unit of a layer's input; of all it keeps; and of one logit in fp32."""
ZERO = "arXiv 1910.02054 (ZeRO), table 1"
MEGATRON = "arXiv 2205.05198 (Megatron), section 4"


@dataclass(frozen=True)
class Memory:
    """GB on the fullest GPU."""

    states: float
    activations: float
    logits: float
    gathered: float
    """A layer and the next that ZeRO-3 gathers to compute with."""

    @property
    def total(self) -> float:
        """Everything, without the reserve."""
        return self.states + self.activations + self.logits + self.gathered + WORKSPACE_GB


@dataclass(frozen=True)
class Work:
    """What each rank computes at a time."""

    sequence: int
    micro: int
    recompute: bool = True


def states_per_parameter(stage: int, ranks: int) -> float:
    """Bytes that one rank of so many holds of each parameter: 16, and less as ZeRO shards more of it."""
    whole = {0: STATES, 1: WEIGHT + GRADIENT, 2: WEIGHT, 3: 0}[stage]
    return whole + (STATES - whole) / ranks


def shards(model: Trained, spread: Spread) -> list[tuple[float, int]]:
    """Parameters (10⁹) of one GPU before ZeRO, and how many ranks have the same: the common ones, and its experts'."""
    cut = spread.share(model.layers) / spread.tensor
    common = (model.billions - model.expert_billions) * cut, spread.replicas
    experts = model.expert_billions * cut / spread.expert, max(1, spread.replicas // spread.expert)
    return [common, experts] if model.expert_billions else [common]


def memory(model: Trained, spread: Spread, work: Work) -> Memory:
    """The fullest GPU: the first stage of the pipeline, the last for the logits."""
    held = shards(model, spread)
    parameters = sum(billions for billions, _ in held)
    states = sum(billions * states_per_parameter(spread.stage, ranks) for billions, ranks in held)
    tokens = work.sequence * work.micro / spread.context / spread.tensor
    layer = tokens * model.hidden / 1e9
    activations = (RECOMPUTED * model.layers + KEPT if work.recompute else KEPT * model.layers) * layer
    gathered = 2 * WEIGHT * parameters / spread.longest(model.layers) if spread.stage == FULL_SHARD else 0.0
    return Memory(states, activations, LOGITS * tokens * model.vocabulary / 1e9, gathered)


def limit(memory_gb: float) -> float:
    """GB of one GPU that training may fill."""
    return memory_gb * (1 - RESERVE)


def least(billions: float, memory_gb: float) -> int:
    """Fewest GPUs whose usable part holds a full fine-tune's states, fully sharded."""
    return ceil(billions * STATES / (memory_gb * USABLE))


def rounded(gpus: int) -> int:
    """The power of two at or above: what nodes and collectives are made for."""
    return 1 << (gpus - 1).bit_length()
