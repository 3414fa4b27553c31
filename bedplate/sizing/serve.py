"""A server at a place: what fits beside the weights, how many answer at once, and how long one takes to start."""

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.components.serving.fit import HEADROOM, Cut, Fit, Room, card, fit, load_seconds, weights_gb
from bedplate.components.serving.models import Model
from bedplate.sizing.figures import Figure, ImpossibleError, short
from bedplate.sizing.place import Place

VLLM = "vllm-project/vllm v1/core/kv_cache_utils.py"
PARALLEL = "vLLM docs, parallelism and scaling: tp × pp GPUs a replica"
GB = 1e9


@dataclass(frozen=True)
class Server:
    """What is asked."""

    name: str
    model: Model
    place: Place
    cut: Cut
    precision: str = "bf16"
    longest: int = 8192
    """Tokens of the longest sequence."""
    utilisation: float = 0.9
    """Part of a GPU that the server may take (vLLM's --gpu-memory-utilization)."""
    read_gbs: float | None = None
    """What the weights' storage gives."""
    concurrency: int = 0
    """Sequences that must run at once; 0: not said."""

    @property
    def room(self) -> Room:
        """What it may take of one GPU."""
        return card(self.place.gpu, self.place.memory_gb).room(self.utilisation)


def size(server: Server) -> list[Figure]:
    """All figures; raises ImpossibleError with a line for each thing that cannot be."""
    found = fit(server.model, server.precision, server.cut, server.room, server.longest)
    if problems := list(_faults(server, found)):
        raise ImpossibleError(problems)
    return [*_memory(server, found), *_replicas(server, found), *_start(server)]


def _faults(server: Server, found: Fit) -> Iterator[str]:
    place, cut = server.place, server.cut
    if cut.tensor > place.nvlink:
        yield f"tp {cut.tensor} leaves NVLink, which joins {place.nvlink} GPUs of {place.name}: use --pp across nodes"
    if server.model.heads % cut.tensor:
        yield f"{server.model.heads} attention heads do not divide by tp {cut.tensor}"
    elif not server.model.divides(cut.tensor):
        yield f"{server.model.kv_heads} KV heads neither divide by tp {cut.tensor} nor divide it"
    if server.model.max_length and server.longest > server.model.max_length:
        yield f"--longest {server.longest}: {server.name} was made for {server.model.max_length} tokens"
    if cut.gpus > place.gpus:
        yield f"tp {cut.tensor} × pp {cut.pipeline} = {cut.gpus} GPUs, of which {place.name} has {place.gpus}"
    if not found.loads:
        loading = short(found.weights * HEADROOM)
        yield (
            f"weights {short(found.weights)} GB a GPU × {HEADROOM} while they load = {loading} GB, "
            f"of {short(found.usable)} usable: more --tp, or a smaller --precision"
        )
    elif not found.fits:
        cache = server.longest * HEADROOM * server.model.kv_bytes(cut.tensor) / cut.pipeline / GB
        workspace = server.room.workspace
        needed = found.weights + cache + workspace
        yield (
            f"weights {short(found.weights)} + cache of one sequence and a tenth {short(cache)} "
            f"+ workspace {short(workspace)} "
            f"= {short(needed)} GB a GPU, of {short(found.usable)} usable: more --tp, or a smaller --precision"
        )


def _memory(server: Server, found: Fit) -> Iterator[Figure]:
    whole = weights_gb(server.model, server.precision)
    cut = f"{short(whole)} GB / {server.cut.gpus} GPUs"
    yield Figure("memory", "weights a GPU", found.weights, "GB", cut, server.model.source)
    per_token = server.model.kv_bytes(server.cut.tensor) * server.cut.tensor / 1024
    yield Figure("memory", "cache a token", per_token, "KiB", "all layers, all GPUs together", server.model.source)
    room = f"({short(found.usable)} - {short(found.weights)} - {short(server.room.workspace)}) GB × {server.cut.gpus}"
    yield Figure("memory", "tokens in the cache", found.tokens, "", f"{room} / {short(per_token)} KiB", VLLM)
    longest = f"{found.tokens} / {server.longest}"
    yield Figure("memory", "longest sequences at once", found.sequences, "a replica", longest, VLLM)


def _replicas(server: Server, found: Fit) -> Iterator[Figure]:
    most = server.place.gpus // server.cut.gpus
    gpus = f"{server.place.gpus} GPUs / {server.cut.gpus}"
    yield Figure("replicas", "most", most, "", gpus, PARALLEL)
    if server.concurrency:
        needed = -(-server.concurrency // found.sequences)
        words = f"{server.concurrency} sequences / {found.sequences}"
        if needed > most:
            raise ImpossibleError([f"{words} = {needed} replicas, of which {server.place.name} holds {most} ({gpus})"])
        yield Figure("replicas", "needed", needed, "", words, VLLM)


def _start(server: Server) -> Iterator[Figure]:
    if server.read_gbs is None:
        return
    whole = weights_gb(server.model, server.precision)
    seconds = load_seconds(whole, server.read_gbs)
    words = f"{short(whole)} GB / {short(server.read_gbs)} GB/s and compilation, with a margin"
    yield Figure("start", "to the first answer", seconds, "s", words, "startupProbe of this stack's servers")
