"""Models as training needs them: the parameters that are stored, and those that a token passes through."""

from dataclasses import dataclass

from bedplate.catalog.models import MODELS as LISTED
from bedplate.catalog.training import EXPERTS
from bedplate.components.serving.models import MODELS
from bedplate.nearest import meant

FLOPS_PER_PARAMETER = 6
"""Of one token, forward and backward (arXiv 2001.08361, section 2.1); recomputation is overhead, not progress."""


@dataclass(frozen=True)
class Trained:
    """A decoder, from its `config.json` and its model card."""

    name: str
    billions: float
    """All parameters, in 10⁹."""
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    vocabulary: int
    expert_billions: float = 0
    """Those of the parameters that are experts."""
    active: float = 0
    """Parameters that one token passes through, in 10⁹; 0: all (a dense model)."""
    experts: int = 1
    """Into so many each layer's are divided."""
    head_dim: int = 128
    tied: bool = False
    """The output layer is the embedding."""
    stateful: int = 0
    """Layers that look at no earlier token: they keep a state, or nothing."""

    @property
    def passed(self) -> float:
        """Parameters, in 10⁹, that one token passes through."""
        return self.active or self.billions

    def flops(self, sequence: int) -> float:
        """Of one token in a sequence, forward and backward.

        Products with weights, of which an embedding is none, and attention to the tokens before (half of a sequence,
        two products: 6·L·s·heads·dim); NVIDIA's "Model TFLOP" and MaxText's are the same.
        """
        looked_up = 0 if self.tied else self.hidden * self.vocabulary
        attention = (self.layers - self.stateful) * sequence * self.heads * self.head_dim
        return FLOPS_PER_PARAMETER * (self.passed * 1e9 - looked_up + attention)


COMPRESSED = {"deepseek_v4"}
"""Types that attend to compressed tokens, whose work nothing here counts; their `layers` are those of two caches."""
SHORT = {"llama-8b": "llama-3.1-8b", "llama-70b": "llama-3.1-70b", "llama-405b": "llama-3.1-405b"}
"""Names that people use."""


def trained(name: str) -> Trained | None:
    """A known model, under its own or a short name; None also where not all that it takes has been said."""
    full = SHORT.get(name, name)
    model = MODELS.get(full)
    if model is None or not model.hidden or not model.vocabulary:
        return None
    experts, passed = EXPERTS.get(full, (1, 1))
    if (model.expert_billions and experts == 1) or LISTED[full].type in COMPRESSED:
        return None
    idle = model.expert_billions * (1 - passed / experts)
    sizes = (model.billions, model.layers, model.hidden, model.heads, model.kv_heads or 1, model.vocabulary)
    active = model.billions - idle if idle else 0
    stateful = model.linear + model.bare
    return Trained(full, *sizes, model.expert_billions, active, experts, model.head_dim, model.tied, stateful)


def known() -> list[str]:
    """Names that may be asked for."""
    return sorted(name for name in (*MODELS, *SHORT) if trained(name))


def unknown(name: str, names: list[str]) -> str:
    """One line, with what was probably meant."""
    return f"MODEL {name}: unknown; {meant(name, names) or 'docs/models.md has every name'}"
