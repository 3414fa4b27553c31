"""Rules about the engine: its image has kernels for the GPU's generation and the weights' precision, and the model."""

from collections.abc import Iterator, Mapping

from bedplate.catalog import models as catalog
from bedplate.catalog.engines import release, vllm
from bedplate.components.serving.room import Card
from bedplate.components.serving.server import DEFAULT_IMAGE, TRUST, Llm
from bedplate.stacks.profile.problem import Problem

METHODS: Mapping[str, tuple[str, ...]] = {
    "fp8": ("fp8",),
    "fp4": ("mxfp4", "modelopt_fp4"),
    "int4": ("awq", "gptq"),
}
"""vLLM's quantisations of each precision."""
NEW_FP4, CUDA = (10, 3), 13
"""Its FP4 kernels are built by that CUDA (NVIDIA/Model-Optimizer#2042)."""


def check_engine(server: Llm, at: Card, key: str) -> Iterator[Problem]:
    """Every fault of the image with the server's model on this GPU; of an image that nobody has read none."""
    yield from _precision(server, at, key)
    yield from _release(server, key)
    if needs_code(server) and not server.trusts:
        reason = f"the model starts with code of its repository alone, and vLLM runs none without {TRUST}"
        yield Problem(f"{key}.trustRemoteCode", server.trust_remote_code, reason, "read the code, and say true")


def needs_code(server: Llm) -> bool | None:
    """Whether it starts with the repository's own code alone; None where nobody has said so."""
    known, own = _listed(server), release(server.image)
    if known and known.code_before:
        return own < known.code_before if own else None
    return server.facts.remote_code if server.facts else None


def _precision(server: Llm, at: Card, key: str) -> Iterator[Problem]:
    engine = vllm(server.image)
    if engine is None or at.capability is None:
        return
    least = min((engine.capability.get(one, 0) for one in METHODS.get(server.precision, ())), default=0)
    own = 10 * at.capability[0] + at.capability[1]
    if own < least:
        reason = f"the GPU is of compute capability {own / 10}, and {engine.title} runs it from {least / 10} on"
        yield Problem(f"{key}.precision", server.precision, reason, "use a newer GPU, or weights in bf16 or int4")
    if server.precision == "fp4" and at.capability == NEW_FP4 and engine.cuda < CUDA:
        reason = f"an image of CUDA {engine.cuda} has no FP4 kernels for compute capability {own / 10}"
        fix = f"use a release that is of CUDA {CUDA}, such as {DEFAULT_IMAGE.rpartition(':')[2]}"
        yield Problem(f"{key}.image", server.image, reason, fix)


def _release(server: Llm, key: str) -> Iterator[Problem]:
    """A model may be younger than the engine."""
    known, own = _listed(server), release(server.image)
    if known and known.since and own and own < known.since:
        since = ".".join(map(str, known.since))
        reason = f"vLLM is known to run {known.name} from {since} on"
        yield Problem(f"{key}.image", server.image, reason, f"use vllm/vllm-openai:v{since} or later")


def _listed(server: Llm) -> catalog.Listed | None:
    return catalog.MODELS.get(server.model) if isinstance(server.model, str) else None
