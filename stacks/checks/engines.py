"""What a release of the engine refuses: arguments that it does not have, drivers and GPUs that its CUDA left behind."""

import re
from collections.abc import Iterator

from bedplate.catalog.engines import OLDEST_CAPABILITY, OLDEST_DRIVER, Engine, older, vllm
from bedplate.catalog.gpus import of_product
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.components.serving.weights import BucketWeights
from bedplate.components.version import numbers
from bedplate.nearest import meant
from bedplate.stacks.checks.machines import driver_of
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

TAG = re.compile(r":[^/]+$")
"""Of an image, or its digest."""


def engines_take_it(profile: Profile) -> Iterator[Problem]:
    """Every server of vLLM whose release was read (`bedplate/catalog/engines.py`)."""
    pools = {pool.name: pool for pool in profile.pools}
    for index, server in enumerate(profile.serving.servers if profile.serving else ()):
        if not isinstance(server, VllmServer | VllmStackServer):
            continue
        key = f"serving.servers[{index}]"
        if isinstance(server, VllmStackServer) and not TAG.search(server.image):
            yield Problem(f"{key}.image", server.image, "the chart writes a tag behind it, and it has none", "add one")
        if (engine := vllm(server.image)) is None:
            continue
        for word in engine.unknown(server.extra_args):
            fix = meant(word, engine.arguments) or "see `vllm serve --help` of that release"
            yield Problem(f"{key}.extraArgs", word, f"{engine.title} has no such argument, and ends at once", fix)
        if isinstance(server.weights, BucketWeights) and server.weights.scheme not in engine.schemes:
            reason = f"{engine.title} streams from {', '.join(sorted(engine.schemes))} alone"
            yield Problem(
                f"{key}.weights.url", server.weights.url, reason, "use a later release, or copy it to a volume"
            )
        if server.pool in pools:
            yield from _cuda(profile, pools[server.pool], engine, f"{key}.image", server.image)


def _cuda(profile: Profile, pool: Pool, engine: Engine, key: str, image: str) -> Iterator[Problem]:
    """Kernels of a CUDA release run on the GPUs and drivers that it knows."""
    model = of_product(pool.gpu.product) if pool.gpu else None
    if model and model.capability < OLDEST_CAPABILITY[engine.cuda]:
        reason = f"it is of CUDA {engine.cuda}, which has no code for {model.product} of pool {pool.name}"
        yield Problem(key, image, reason, f"use {older(image)}")
    needed, (owner, stated) = OLDEST_DRIVER[engine.cuda], _driver(profile)
    if numbers(stated) and numbers(stated)[:1] < (needed,):
        reason = f"it is of CUDA {engine.cuda}, which needs driver {needed} or later, and {owner} has {stated}"
        yield Problem(key, image, reason, f"raise it, or use {older(image)}")


def _driver(profile: Profile) -> tuple[str, str]:
    """Whose driver the nodes have, and its version; empty: it is the nodes' own, and nobody has said it."""
    if profile.gpu_operator and profile.driver_owner == "operator":
        return "gpuOperator", driver_of(profile.gpu_operator)
    site = profile.existing.driver if profile.existing else None
    return "existing.driver", (site.version or "") if site else ""
