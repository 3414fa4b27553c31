"""What a release of the engine refuses: arguments that it does not have, drivers and GPUs that its CUDA left behind."""

from collections.abc import Iterator

from bedplate.catalog.engines import OLDEST_CAPABILITY, OLDEST_DRIVER, Engine, older, vllm
from bedplate.catalog.gpus import GPUS
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.components.version import numbers
from bedplate.stacks.profile.nearest import meant
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile


def engines_take_it(profile: Profile) -> Iterator[Problem]:
    """Every server of vLLM whose release was read (`bedplate/catalog/engines.py`)."""
    pools = {pool.name: pool for pool in profile.pools}
    for index, server in enumerate(profile.serving.servers if profile.serving else ()):
        if not isinstance(server, VllmServer | VllmStackServer) or (engine := vllm(server.image)) is None:
            continue
        key = f"serving.servers[{index}]"
        for word in engine.unknown(server.extra_args):
            fix = meant(word, engine.arguments) or "see `vllm serve --help` of that release"
            yield Problem(f"{key}.extraArgs", word, f"{engine.title} has no such argument, and ends at once", fix)
        if server.pool in pools:
            yield from _cuda(profile, pools[server.pool], engine, f"{key}.image", server.image)


def _cuda(profile: Profile, pool: Pool, engine: Engine, key: str, image: str) -> Iterator[Problem]:
    """Kernels of a CUDA release run on the GPUs and drivers that it knows."""
    model = next((gpu for gpu in GPUS.values() if pool.gpu and gpu.product == pool.gpu.product), None)
    oldest = OLDEST_CAPABILITY[engine.cuda]
    if model and model.capability and model.capability < oldest:
        reason = f"it is of CUDA {engine.cuda}, which has no code for {model.product} of pool {pool.name}"
        yield Problem(key, image, reason, f"use {older(image)}")
    section, needed = profile.gpu_operator, OLDEST_DRIVER[engine.cuda]
    stated = section.driver_version if section and profile.driver_owner == "operator" else None
    if stated and numbers(stated)[:1] < (needed,):
        reason = f"it is of CUDA {engine.cuda}, which needs driver {needed} or later, and gpuOperator has {stated}"
        yield Problem(key, image, reason, f"raise it, or use {older(image)}")
