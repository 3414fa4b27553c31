"""Rules about a server's model: its GPUs can divide it, hold it and compute in its precision, and the engine runs it.

What vLLM refuses when it starts is refused here, with its arithmetic. A fact that nobody has said refuses nothing; the
plan names it (`bedplate/plan/fit.py`).
"""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.serving.fit import HEADROOM, runs_in, weights_gb
from bedplate.components.serving.model_source import ModelSource
from bedplate.components.serving.models import MODELS, Model
from bedplate.components.serving.room import Card, card
from bedplate.components.serving.server import Llm
from bedplate.components.serving.vllm import VllmServer
from bedplate.nearest import meant
from bedplate.stacks.checks.serving_engine import check_engine, check_task
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, problem

SHOWN = 3
"""So many models are named that are spelt like an unknown one."""
MOST = 16
"""GPUs of a node at the most."""
SCALED = ("--hf-overrides", "--rope-scaling")
"""Flags by which a site says that positions are scaled: a longer sequence is then its own word."""
ALLOWED = "VLLM_ALLOW_LONG_MAX_MODEL_LEN"


def check_model(server: Llm, pool: Pool, key: str) -> Iterator[Problem]:
    """Every fault of the model on the GPUs of its pool."""
    yield from check_copies(server, key)
    model = server.facts
    if isinstance(server.model, ModelSource):
        return
    if model is None:
        choices = meant(str(server.model), MODELS, SHOWN) or "use one of docs/models.md,"
        yield problem("serving_model.unknown", server.model, key, known=choices)
        return
    assert pool.gpu  # noqa: S101 - the caller has refused pools without
    yield from check_on(server, model, card(pool.gpu.product, pool.gpu.memory_gib, server.kind_of_slice), key)


def check_on(server: Llm, model: Model, at: Card, key: str) -> Iterator[Problem]:
    """Every fault of a model on such GPUs."""
    yield from chain(_length(server, model, key), check_engine(server, at, key), check_task(server, key))
    if faults := [*_heads(server, model, key), *_experts(server, model, key), *_blocks(server, model, key)]:
        yield from faults
    else:
        yield from _fits(server, model, at, key)


def check_copies(server: Llm, key: str) -> Iterator[Problem]:
    """Copies over nodes are as many on each, share experts, and are no stages of a pipeline."""
    if not isinstance(server, VllmServer):
        return
    copies, local, model = server.data_parallel, server.data_parallel_local, server.facts
    if copies > 1 and server.pipeline_parallel > 1:
        yield problem("serving_model.copies-and-stages", copies, key)
    if local and copies % local:
        yield problem("serving_model.copies-unevenly", copies, key, local=local)
    if server.cut.spread > 1 and model and not model.expert_billions:
        yield problem("serving_model.copies-share-nothing", copies, key)


def _length(server: Llm, model: Model, key: str) -> Iterator[Problem]:
    """VLLM refuses a longer one (v0.12.0 config/model.py `_get_and_verify_max_len`)."""
    most = model.max_length
    if most is None or server.longest <= most or server.env.get(ALLOWED) == "1" or any(map(server.asks, SCALED)):
        return
    yield problem("serving_model.too-long", server.longest, key, most=most, scaled=SCALED)


def _heads(server: Llm, model: Model, key: str) -> Iterator[Problem]:
    if model.divides(server.cut.tensor):
        return
    kv = model.kv_heads or 1
    good = ", ".join(str(n) for n in range(1, MOST + 1) if model.divides(n))
    yield problem("serving_model.heads-not-divided", server.cut.tensor, key, model=model, kv=kv, good=good)


def _experts(server: Llm, model: Model, key: str) -> Iterator[Problem]:
    """Whole experts need experts (v0.12.0 config/model.py `_verify_with_expert_parallelism`)."""
    if server.whole_experts and not model.expert_billions:
        yield problem("serving_model.no-experts", True, key)  # noqa: FBT003 - the value of the key


def _blocks(server: Llm, model: Model, key: str) -> Iterator[Problem]:
    """Each GPU's part is whole blocks of scales (v0.12.0 quantization/fp8.py, utils/fp8_utils.py)."""
    block = model.fp8_block
    if server.precision != "fp8" or not block:
        return
    # Copies share the experts (v0.12.0 fused_moe/config.py `flatten_tp_across_dp_and_pcp`).
    width, parts = model.expert_width, server.cut.tensor * server.cut.data
    if width and not server.whole_experts and width % (parts * block):
        data = server.cut.data
        field, value = ("dataParallel", data) if data > 1 else ("tensorParallel", server.cut.tensor)
        yield problem(
            "serving_model.expert-blocks",
            value,
            key,
            field=field,
            part=_part(width, parts),
            block=block,
            remedy=_cure(server, width // block),
        )
    tensor = server.cut.tensor
    for wide in (width for width in model.widths if width % (tensor * block)):
        yield problem(
            "serving_model.layer-blocks", tensor, key, part=_part(wide, tensor), block=block, blocks=wide // block
        )


def _part(width: int, parts: int) -> str:
    return f"{width} / {parts} = {width / parts:g}"


def _cure(server: Llm, blocks: int) -> str:
    """By a key where the kind of server has it."""
    whole = "expertParallel: true" if "expert_parallel" in type(server).model_fields else "--enable-expert-parallel"
    return f"set {whole}, or use one that divides {blocks}"


def _fits(server: Llm, model: Model, at: Card, key: str) -> Iterator[Problem]:
    precision = runs_in(model, server.precision, at)
    fit = server.fit(at)
    if fit.fits:
        return
    sizes = f"{weights_gb(model, precision):.0f} GB of weights are {fit.weights:.1f} GB on each GPU"
    most = f"of {fit.usable:.1f} GB that the server may take"
    if fit.loads:
        reason = (
            f"{sizes}, {most}; beside {fit.workspace:.1f} GB of workspace the rest holds {fit.tokens} tokens, and"
            f" one request of {fit.longest} wants a tenth more"
        )
    else:
        reason = f"{sizes}, {fit.weights * HEADROOM:.1f} GB while they load, {most}"
    fix = "use more GPUs, a smaller precision or maxModelLen, or fewer sequences a step (--max-num-seqs in extraArgs)"
    if precision != server.precision:
        reason = f"the GPU has no bf16, and the model bears no float16, so vLLM takes 32 bits: {reason}"
        fix = "use a GPU with bf16 (Ampere or later)"
    yield problem("serving_model.too-large", server.cut.tensor, key, reason=reason, fix=fix)
