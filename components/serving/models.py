"""Models as data: what decides whether one fits a GPU, and how it can be divided.

The known ones are rows of `bedplate/catalog/data/models.csv`. A model that is not there is given by the same facts in
full.
"""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from bedplate.catalog import models as catalog
from bedplate.components.section import Section

GIGA = 1e9
STATES = 2
"""Of a sequence in a layer, as prefix caching keeps them (mamba_cache_mode `align`)."""


class Model(Section):
    """A decoder, with grouped-query attention or with a latent cache (DeepSeek's multi-head latent attention)."""

    billions: Annotated[float, Field(gt=0)]
    """Parameters, in 10⁹; all experts of a mixture count, because all are loaded."""
    layers: PositiveInt
    """Layers of any kind (num_hidden_layers); all but those that are named below keep every token."""
    heads: PositiveInt
    """Attention heads (num_attention_heads)."""
    kv_heads: PositiveInt | None = None
    """Key and value heads (num_key_value_heads)."""
    head_dim: PositiveInt = 128
    latent: PositiveInt | None = None
    """Instead of KV heads, the numbers that a token has in the cache of each layer (kv_lora_rank +
    qk_rope_head_dim)."""
    windowed: NonNegativeInt = 0
    """Layers that keep the last `window` tokens alone."""
    window: PositiveInt | None = None
    """Tokens that they keep (sliding_window, attention_chunk_size)."""
    window_kv_heads: PositiveInt | None = None
    """Key and value heads of such a layer, if not `kvHeads`."""
    window_head_dim: PositiveInt | None = None
    """Numbers of one head of such a layer, if not `headDim`; with a latent cache those of a token."""
    linear: NonNegativeInt = 0
    """Layers that keep a state of one size for a sequence instead of its tokens (Mamba, linear attention)."""
    state_bytes: PositiveInt | None = None
    """Of one such layer, for one sequence on all GPUs."""
    state_heads: PositiveInt | None = None
    """Heads of such a state: GPUs that share a layer divide them."""
    bare: NonNegativeInt = 0
    """Layers that keep nothing, such as experts or an MLP alone, or those of an encoder."""
    expert_billions: Annotated[float, Field(ge=0)] = 0
    """Those of its parameters that are routed experts, in 10⁹: data parallelism divides them and repeats the others."""
    expert_width: PositiveInt | None = None
    """Intermediate size of one routed expert (moe_intermediate_size): GPUs divide it unless experts stay whole."""
    widths: tuple[PositiveInt, ...] = ()
    """Intermediate sizes of its other layers and of shared experts, which GPUs always divide."""
    fp8_block: NonNegativeInt | None = None
    """Numbers that share a scale in its FP8 weights (weight_block_size); 0: they are not in blocks."""
    hidden: PositiveInt | None = None
    """Numbers of a token between layers (hidden_size)."""
    vocabulary: PositiveInt | None = None
    """Words that it knows (vocab_size): embedding and output layer stay at 16 bits in smaller precisions."""
    tied: bool = False
    """The output layer is the embedding (tie_word_embeddings)."""
    max_length: PositiveInt | None = None
    """Tokens of the longest sequence that it was made for (max_position_embeddings)."""
    remote_code: bool | None = None
    """It starts with code of its repository alone, which vLLM runs with `trustRemoteCode`."""
    float16: bool | None = None
    """vLLM runs it in float16; false: in 32 bits where a GPU has no bf16."""
    architecture: str | None = Field(default=None, min_length=1)
    """The engine's class that runs it (architectures of its config): what a server of it can answer follows."""
    source: str = Field(default="profile", min_length=1)
    """Where the figures come from."""

    @model_validator(mode="after")
    def _has_one_cache(self) -> Self:
        if (self.kv_heads is None) is (self.latent is None):
            raise ValueError("a model has either kvHeads or a latent cache: give one of the two")
        if self.expert_billions > self.billions:
            raise ValueError("expertBillions is a part of billions")
        if self.windowed + self.linear + self.bare > self.layers:
            raise ValueError("windowed, linear and bare are parts of layers")
        return self

    @property
    def word_billions(self) -> float:
        """Parameters of embedding and output layer, in 10⁹; 0 where nobody has said how large they are."""
        return (self.hidden or 0) * (self.vocabulary or 0) * (1 if self.tied else 2) / GIGA

    @property
    def full(self) -> int:
        """Layers that keep every token."""
        return self.layers - self.windowed - self.linear - self.bare

    def divides(self, tensor: int) -> bool:
        """Whether so many GPUs can share a layer.

        They divide the heads and those of a state, and divide the KV heads or are a multiple of them: vLLM then repeats
        them (vllm-project/vllm, ParallelConfig checks and QKVParallelLinear). A latent cache is the same on all.
        """
        kv, state = self.kv_heads or 1, self.state_heads or tensor
        return self.heads % tensor == 0 and state % tensor == 0 and (kv % tensor == 0 or tensor % kv == 0)

    def kv_bytes(self, tensor: int = 1, width: float = 2) -> float:
        """KV cache of one token in all layers that keep it, on each of `tensor` GPUs, at `width` bytes a number."""
        full, windowed = self._kept(tensor)
        return width * (self.full * full + self.windowed * windowed)

    def sequence_bytes(self, tokens: int, flying: int, tensor: int = 1, width: float = 2) -> float:
        """What one sequence keeps in all layers, on each of `tensor` GPUs.

        A window holds its own tokens and those in flight, and a state lies there twice, padded to groups as large as
        that of the other layers (vllm-project/vllm@v0.32.0 v1/kv_cache_interface.py `max_memory_usage_bytes`, v1/core/
        kv_cache_utils.py). `flying` are tokens of the steps that run at once.
        """
        full, windowed = self._kept(tensor)
        near = min(tokens, (self.window or tokens) + flying)
        group = self.full or 1
        states = STATES * -(-self.linear // group) * group * (self.state_bytes or 0) / tensor
        return width * (tokens * self.full * full + near * self.windowed * windowed) + states

    def _kept(self, tensor: int) -> tuple[int, int]:
        """Numbers of a token in a full and in a windowed layer.

        Never less than one head (vllm-project/vllm, ModelConfig.get_num_kv_heads), and never less than the latent.
        """
        if self.latent is not None:
            return self.latent, self.window_head_dim or self.latent
        heads, others = self.kv_heads or 1, self.window_kv_heads or self.kv_heads or 1
        dim = self.window_head_dim or self.head_dim
        return 2 * max(1, heads // tensor) * self.head_dim, 2 * max(1, others // tensor) * dim


def _model(one: catalog.Listed) -> Model:
    facts = {name: value for name, value in catalog.fact_names(one).items() if value is not None}
    return Model.model_validate({**facts, "source": one.source})


MODELS: Mapping[str, Model] = {name: _model(one) for name, one in catalog.MODELS.items()}
