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


class Model(Section):
    """A decoder, with grouped-query attention or with a latent cache (DeepSeek's multi-head latent attention)."""

    billions: Annotated[float, Field(gt=0)]
    """Parameters, in 10⁹; all experts of a mixture count, because all are loaded."""
    layers: PositiveInt
    """Layers with a KV cache (num_hidden_layers)."""
    heads: PositiveInt
    """Attention heads (num_attention_heads)."""
    kv_heads: PositiveInt | None = None
    """Key and value heads (num_key_value_heads)."""
    head_dim: PositiveInt = 128
    latent: PositiveInt | None = None
    """Instead of KV heads, the numbers that a token has in the cache of each layer (kv_lora_rank +
    qk_rope_head_dim)."""
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
    source: str = Field(default="profile", min_length=1)
    """Where the figures come from."""

    @model_validator(mode="after")
    def _has_one_cache(self) -> Self:
        if (self.kv_heads is None) is (self.latent is None):
            raise ValueError("a model has either kvHeads or a latent cache: give one of the two")
        if self.expert_billions > self.billions:
            raise ValueError("expertBillions is a part of billions")
        return self

    @property
    def word_billions(self) -> float:
        """Parameters of embedding and output layer, in 10⁹; 0 where nobody has said how large they are."""
        return (self.hidden or 0) * (self.vocabulary or 0) * (1 if self.tied else 2) / GIGA

    def divides(self, tensor: int) -> bool:
        """Whether so many GPUs can share a layer.

        They divide the heads, and divide the KV heads or are a multiple of them: vLLM then repeats them
        (vllm-project/vllm, ParallelConfig checks and QKVParallelLinear). A latent cache is the same on all.
        """
        kv = self.kv_heads or 1
        return self.heads % tensor == 0 and (kv % tensor == 0 or tensor % kv == 0)

    def kv_bytes(self, tensor: int = 1, width: float = 2) -> float:
        """KV cache of one token in all layers on each of `tensor` GPUs, at `width` bytes a number.

        Never less than one head (vllm-project/vllm, ModelConfig.get_num_kv_heads), and never less than the latent.
        """
        if self.latent is not None:
            return self.layers * self.latent * width
        return 2 * self.layers * max(1, (self.kv_heads or 1) // tensor) * self.head_dim * width


SAME = (
    *("billions", "layers", "heads", "kv_heads", "latent", "expert_billions", "expert_width", "widths", "fp8_block"),
    *("hidden", "vocabulary", "max_length", "remote_code", "float16", "source"),
)
"""Facts that catalogue and profile call alike."""


def _model(one: catalog.Listed) -> Model:
    facts = {name: getattr(one, name) for name in SAME}
    dim = {"head_dim": one.head_dim} if one.head_dim else {}
    return Model.model_validate({**facts, **dim, "tied": bool(one.tied)})


MODELS: Mapping[str, Model] = {name: _model(one) for name, one in catalog.MODELS.items()}
