"""Rules about the engine: what its release refuses, and what its image computes with this GPU, model and task."""

import re
from collections.abc import Iterator, Mapping

from bedplate.catalog import models as catalog
from bedplate.catalog.engines import OLDEST_CAPABILITY, OLDEST_DRIVER, Engine, older, release, vllm
from bedplate.catalog.gpus import of_product
from bedplate.components.serving.picker import picker
from bedplate.components.serving.room import Card
from bedplate.components.serving.server import DEFAULT_IMAGE, POOLED, TRUST, Llm
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.components.serving.weights import BucketWeights
from bedplate.components.version import numbers
from bedplate.nearest import meant
from bedplate.stacks.checks.machines import driver_of
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

METHODS: Mapping[str, tuple[str, ...]] = {
    "fp8": ("fp8",),
    "fp4": ("mxfp4", "modelopt_fp4"),
    "int4": ("awq", "gptq"),
}
"""vLLM's quantisations of each precision."""
NEW_FP4, CUDA = (10, 3), 13
"""Its FP4 kernels are built by that CUDA (NVIDIA/Model-Optimizer#2042)."""


def check_engine(server: Llm, at: Card, key: str) -> Iterator[Problem]:
    """Every fault of the image with the server's model on this GPU, and of a model that is younger than the engine.

    Of an image that nobody has read none.
    """
    yield from _precision(server, at, key)
    listed, own = _listed(server), release(server.image)
    if listed and listed.since and own and own < listed.since:
        since = ".".join(map(str, listed.since))
        yield problem("serving_engine.engine-too-old", server.image, key, known=listed, since=since)
    if needs_code(server) and not server.trusts:
        yield problem("serving_engine.needs-code", server.trust_remote_code, key, trust=TRUST)


def needs_code(server: Llm) -> bool | None:
    """Whether it starts with the repository's own code alone; None where nobody has said so."""
    listed, own = _listed(server), release(server.image)
    if listed and listed.code_before:
        return own < listed.code_before if own else None
    return server.facts.remote_code if server.facts else None


def _precision(server: Llm, at: Card, key: str) -> Iterator[Problem]:
    engine = vllm(server.image)
    if engine is None or at.capability is None:
        return
    least = min((engine.capability.get(method, 0) for method in METHODS.get(server.precision, ())), default=0)
    own = 10 * at.capability[0] + at.capability[1]
    if own < least:
        yield problem(
            "serving_engine.precision-too-new", server.precision, key, own=own / 10, engine=engine, least=least / 10
        )
    if server.precision == "fp4" and at.capability == NEW_FP4 and engine.cuda < CUDA:
        yield problem(
            "serving_engine.no-fp4-kernels",
            server.image,
            key,
            engine=engine,
            own=own / 10,
            cuda=CUDA,
            release=DEFAULT_IMAGE.rpartition(":")[2],
        )


def _listed(server: Llm) -> catalog.Listed | None:
    return catalog.MODELS.get(server.model) if isinstance(server.model, str) else None


TALKS = ("--enable-auto-tool-choice", "--tool-call-parser", "--reasoning-parser")
"""Flags that only answers in words have a use for."""
WORDS = {"embed": "vectors", "classify": "classes and scores", "transcribe": "the words of a sound"}


def check_task(server: Llm, key: str) -> Iterator[Problem]:
    """Every fault; none of an architecture that the release does not list, or of an image that nobody has read."""
    if server.able and not _can(server):
        made = " and ".join(WORDS.get(task, "text") for task in server.able)
        model = server.facts.architecture if server.facts else None
        yield problem("serving_engine.other-task", server.does, key, model=model, made=made, server=server)
    elif server.does != "generate":
        yield from _beside(server, key)


def _can(server: Llm) -> bool:
    """A model that writes text has vectors inside; one that gives vectors writes no text."""
    return server.does in server.able or ("generate" in server.able and server.does in POOLED)


def _beside(server: Llm, key: str) -> Iterator[Problem]:
    for flag in filter(server.asks, TALKS):
        yield problem("serving_engine.no-words", flag, key, words=WORDS[server.does])
    if server.does not in POOLED:
        return
    if server.scaling and any(goal.metric == "kv-cache" for goal in server.scaling.goals):
        yield problem("serving_engine.no-kv-cache", "kv-cache", key, words=WORDS[server.does])
    if isinstance(server, VllmServer) and server.kv_transfer:
        yield problem("serving_engine.kv-transfer", server.kv_transfer.role, key, words=WORDS[server.does])
    if picker(server):
        yield problem("serving_engine.picker", "present", key, words=WORDS[server.does])


TAG = re.compile(r":[^/]+$")
"""Of an image, or its digest."""


def engines_take_it(profile: Profile) -> Iterator[Problem]:
    """Every server of vLLM whose release was read (`bedplate/catalog/engines.py`)."""
    pools = {pool.name: pool for pool in profile.pools}
    for key, server in keyed("serving.servers", profile.servers):
        if not isinstance(server, VllmServer | VllmStackServer):
            continue
        if isinstance(server, VllmStackServer) and not TAG.search(server.image):
            yield problem("serving_engine.tag-missing", server.image, key)
        if (engine := vllm(server.image)) is None:
            continue
        for word in engine.unknown(server.extra_args):
            fix = meant(word, engine.arguments) or "see `vllm serve --help` of that release"
            yield problem("serving_engine.unknown-argument", word, key, engine=engine, fix=fix)
        if isinstance(server.weights, BucketWeights) and server.weights.scheme not in engine.schemes:
            schemes = sorted(engine.schemes)
            yield problem("serving_engine.unknown-scheme", server.weights.url, key, engine=engine, schemes=schemes)
        if server.pool in pools:
            yield from _cuda(profile, pools[server.pool], engine, f"{key}.image", server.image)


def _cuda(profile: Profile, pool: Pool, engine: Engine, key: str, image: str) -> Iterator[Problem]:
    """Kernels of a CUDA release run on the GPUs and drivers that it knows."""
    model, other, cuda = of_product(pool.gpu.product) if pool.gpu else None, older(image), engine.cuda
    if model and model.capability < OLDEST_CAPABILITY[cuda]:
        yield problem("serving_engine.gpu-too-old", image, key, cuda=cuda, model=model, pool=pool, older=other)
    needed, (owner, version_there) = OLDEST_DRIVER[cuda], _driver(profile)
    if numbers(version_there) and numbers(version_there)[:1] < (needed,):
        driver = f"driver {needed} or later, and {owner} has {version_there}"
        yield problem("serving_engine.driver-too-old", image, key, cuda=cuda, driver=driver, older=other)


def _driver(profile: Profile) -> tuple[str, str]:
    """Whose driver the nodes have, and its version; empty: it is the nodes' own, and nobody has said it."""
    if profile.gpu_operator and profile.driver_owner == "operator":
        return "gpuOperator", driver_of(profile.gpu_operator)
    site = profile.existing.driver if profile.existing else None
    return "existing.driver", (site.version or "") if site else ""
