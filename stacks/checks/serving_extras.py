"""Rules about what a server has besides its model: adapters, and a KV cache that it hands to another by the fabric."""

from collections.abc import Iterator
from itertools import chain

from components.serving.kv_transfer import BACKENDS
from components.serving.section import AnyServer
from components.serving.vllm import VllmServer
from components.serving.weights import VolumeWeights
from stacks.profile.problem import Problem
from stacks.profile.profile import Profile

NO_EFA = "vllm/vllm-openai"
WITH_EFA = "public.ecr.aws/deep-learning-containers/vllm"
"""AWS Deep Learning Containers: vLLM with EFA's libraries."""
ARGUMENT = "--kv-transfer-config"


def check_extras(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """Every fault of adapters and of the transfer of KV caches."""
    if any(one.startswith(ARGUMENT) for one in server.extra_args):
        reason = "nothing would show that the caches go by RDMA and not by TCP"
        yield Problem(f"{key}.extraArgs", ARGUMENT, reason, "use kvTransfer of a server of kind vllm")
    if isinstance(server, VllmServer):
        yield from chain(_adapters(server, key), _transfer(profile, server, f"{key}.kvTransfer"))


def _adapters(server: VllmServer, key: str) -> Iterator[Problem]:
    if server.adapters and not isinstance(server.weights, VolumeWeights):
        reason = f"adapters are on the volume of the weights, and these are of kind {server.weights.kind}"
        yield Problem(f"{key}.adapters", f"{len(server.adapters)} adapters", reason, "put the weights on a volume")
    taken = [server.served_model_name or server.name]
    for index, one in enumerate(server.adapters):
        if one.name in taken:
            reason = "the model or another adapter is called so already"
            yield Problem(f"{key}.adapters[{index}].name", one.name, reason, "give each its own")
        taken.append(one.name)


def _transfer(profile: Profile, server: VllmServer, key: str) -> Iterator[Problem]:
    """A cache of gigabytes for each long prompt, over TCP, takes longer than reading the prompt again."""
    if server.kv_transfer is None:
        return
    kind, role = profile.fabric.kind, server.kv_transfer.role
    rdma = {team.name for team in profile.tenancy.teams if team.rdma} if profile.tenancy else set[str]()
    outside = [pool.name for pool in profile.pools if not (pool.hardware and kind in pool.hardware.fabrics)]
    if kind not in BACKENDS or server.pool in outside:
        reason = f"the KV cache would go over TCP: NIXL has no RDMA on fabric {kind} of pool {server.pool}"
        yield Problem(key, role, reason, f"use a pool on {', '.join(BACKENDS)}, or one server for both")
    elif server.namespace not in rdma:
        reason = f"the KV cache would go over TCP: the team {server.namespace} has no fabric"
        yield Problem(key, role, reason, "remove `rdma: false` of the team, or use one server for both")
    elif kind == "efa" and server.image.rpartition(":")[0] == NO_EFA:
        reason = "the KV cache would go over TCP: the image has no libfabric of EFA"
        yield Problem(key, role, reason, f"use an image that has it, such as {WITH_EFA}")
