"""A server at a place: what fits beside the weights, how many answer at once, and how long one takes to start.

It is the plan's own server under the plan's own checks, so that what is refused here is refused there, and for the
same reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from bedplate.components.serving.fit import Fit, load_seconds, runs_in, weights_gb
from bedplate.components.serving.models import Model
from bedplate.components.serving.room import Card, card
from bedplate.components.serving.vllm import VllmServer
from bedplate.sizing.figures import Figure, ImpossibleError, short
from bedplate.sizing.place import Place
from bedplate.stacks.checks.serving_model import check_copies, check_on
from bedplate.stacks.profile.problem import Problem

VLLM = "vllm-project/vllm v1/core/kv_cache_utils.py"
PARALLEL = "vLLM docs, parallelism and scaling: tp × pp × dp GPUs a replica"
OPTIONS = {
    "tensorParallel": "--tp",
    "pipelineParallel": "--pp",
    "dataParallel": "--dp",
    "expertParallel": "--ep",
    "maxModelLen": "--longest",
    "gpuMemoryUtilization": "--utilisation",
}
"""Options by the profile's keys, where they are called otherwise."""
NOT_ASKED = ("trustRemoteCode", "image")
"""What a size does not depend on."""


@dataclass(frozen=True)
class Server:
    """What is asked."""

    vllm: VllmServer
    model: Model
    place: Place
    read_gbs: float | None = None
    """What the weights' storage gives."""
    concurrency: int = 0
    """Sequences that must run at once; 0: not said."""

    @property
    def card(self) -> Card:
        """One GPU of the place."""
        return card(self.place.gpu, self.place.memory_gb)

    @cached_property
    def found(self) -> Fit:
        """One replica on its GPUs."""
        return self.vllm.fit(self.card)

    @property
    def whole_gb(self) -> float:
        """All weights, in the precision that they run in."""
        return weights_gb(self.model, runs_in(self.model, self.vllm.precision, self.card))


def size(server: Server) -> list[Figure]:
    """All figures; raises ImpossibleError with a line for each thing that cannot be."""
    if problems := list(_faults(server)):
        raise ImpossibleError(problems)
    return [*_memory(server), *_replicas(server), *_start(server)]


def _faults(server: Server) -> Iterator[str]:
    place, cut = server.place, server.vllm.cut
    if cut.tensor > place.nvlink:
        yield f"--tp {cut.tensor} leaves NVLink, which joins {place.nvlink} GPUs of {place.name}: use --pp across nodes"
    elif cut.tensor > place.gpus_per_node:
        yield f"--tp {cut.tensor}: a node of {place.name} has {place.gpus_per_node} GPUs: use --pp across nodes"
    if cut.gpus > place.gpus:
        yield f"{_product(server)} = {cut.gpus} GPUs, of which {place.name} has {place.gpus}"
    found = chain(check_copies(server.vllm, ""), check_on(server.vllm, server.model, server.card, ""))
    yield from (_said(problem) for problem in found if _asked(problem))


def _asked(problem: Problem) -> bool:
    return problem.key.removeprefix(".") not in NOT_ASKED


def _said(problem: Problem) -> str:
    """By the option that stands for the profile's key."""
    key = problem.key.removeprefix(".")
    option = OPTIONS.get(key, f"--{key}")
    value = "" if problem.value is True else f" {problem.value}"
    return f"{option}{value}: {problem.reason}; {problem.fix}"


def _product(server: Server) -> str:
    cut = server.vllm.cut
    return f"tp {cut.tensor} × pp {cut.pipeline}" + (f" × dp {cut.data}" if cut.data > 1 else "")


def _memory(server: Server) -> Iterator[Figure]:
    cut, fit, model = server.vllm.cut, server.found, server.model
    shared = f"{short(server.whole_gb)} GB / {cut.tensor * cut.pipeline} GPUs"
    if cut.data > 1:
        shared += f", experts / {cut.gpus} GPUs" if model.expert_billions else " of each copy"
    yield Figure("memory", "weights a GPU", fit.weights, "GB", shared, model.source)
    batch = server.vllm.batch(server.card)
    step = f"a step of {batch.tokens} tokens, {batch.sequences} sequences; CUDA, graphs"
    yield Figure("memory", "workspace a GPU", fit.workspace, "GB", step, "vllm-project/vllm v1/worker/gpu_worker.py")
    per_token = model.kv_bytes(cut.tensor) * cut.tensor / 1024
    yield Figure("memory", "cache a token", per_token, "KiB", "all layers, all GPUs of a copy together", model.source)
    room = f"({short(fit.usable)} - {short(fit.weights)} - {short(fit.workspace)}) GB × {cut.gpus}"
    yield Figure("memory", "tokens in the cache", fit.tokens, "", f"{room} / {short(per_token)} KiB", VLLM)
    longest = f"{fit.tokens} / {fit.longest}" + (f", in each of {fit.copies} copies" if fit.copies > 1 else "")
    yield Figure("memory", "longest sequences at once", fit.sequences, "a replica", longest, VLLM)


def _replicas(server: Server) -> Iterator[Figure]:
    cut, fit, place = server.vllm.cut, server.found, server.place
    most = place.gpus // cut.gpus
    gpus = f"{place.gpus} GPUs / {cut.gpus}"
    yield Figure("replicas", "most", most, "", gpus, PARALLEL)
    if server.concurrency:
        needed = -(-server.concurrency // fit.sequences)
        words = f"{server.concurrency} sequences / {fit.sequences}"
        if needed > most:
            raise ImpossibleError([f"{words} = {needed} replicas, of which {place.name} holds {most} ({gpus})"])
        yield Figure("replicas", "needed", needed, "", words, VLLM)


def _start(server: Server) -> Iterator[Figure]:
    if server.read_gbs is None:
        return
    seconds = load_seconds(server.whole_gb, server.read_gbs)
    words = f"{short(server.whole_gb)} GB / {short(server.read_gbs)} GB/s and compilation, with a margin"
    yield Figure("start", "to the first answer", seconds, "s", words, "startupProbe of this stack's servers")
