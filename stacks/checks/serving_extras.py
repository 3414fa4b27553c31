"""Rules about what a server has besides its model: adapters, and a KV cache that it hands to another by the fabric."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from bedplate.catalog.engines import projects_own, vllm
from bedplate.components.serving.kv_transfer import BACKENDS, ROLE
from bedplate.components.serving.pair import LONGEST
from bedplate.components.serving.picker import picker
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.server import Llm
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.weights import BucketWeights, VolumeWeights
from bedplate.stacks.facts.fabric import interfaces
from bedplate.stacks.profile.problem import Problem, problem
from bedplate.stacks.profile.profile import Profile

WITH_EFA = "public.ecr.aws/deep-learning-containers/vllm"
"""AWS Deep Learning Containers: vLLM with EFA's libraries."""
ARGUMENT = "--kv-transfer-config"
OWN: Mapping[str, str] = {
    "--tensor-parallel-size": "tensorParallel",
    "--pipeline-parallel-size": "pipelineParallel (kind vllm)",
    "--data-parallel-size": "dataParallel (kind vllm)",
    "--max-model-len": "maxModelLen",
    "--gpu-memory-utilization": "gpuMemoryUtilization",
    "--served-model-name": "servedModelName",
    "--revision": "weights.revision",
}
"""Arguments of vLLM by which the plan reckons GPUs, memory and time, or finds the model, and the keys that say them."""
KEY = "--api-key"
"""An argument of which no message repeats the value."""
TAKEN: Mapping[str, tuple[str, str]] = {
    **{flag: (f"the server would go by it, and the plan goes by {key}", f"say {key}") for flag, key in OWN.items()},
    "--port": ("the Service, the probes and the monitor ask a port of their own", "leave the port to Bedplate"),
    KEY: ("whoever may read the pod or the plan would read the key", "say apiKey, and set servingApiKey"),
}
"""Arguments that Bedplate gives itself: why a second one is refused, and what to do instead."""
LOADED = "--load-format"
SHORT = {"-tp": "--tensor-parallel-size", "-pp": "--pipeline-parallel-size", "-dp": "--data-parallel-size"}
"""Their other names (vllm-project/vllm, vllm/engine/arg_utils.py at v0.32.0)."""


def check_extras(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """Every fault of adapters and of the transfer of KV caches."""
    if any(argument.startswith(ARGUMENT) for argument in server.extra_args):
        yield problem("serving_extras.transfer-by-argument", ARGUMENT, key)
    if isinstance(server, Llm):
        yield from _twice(server, f"{key}.extraArgs")
    if isinstance(server, VllmServer):
        yield from chain(_adapters(server, key), _transfer(profile, server, f"{key}.kvTransfer"))
        yield from _pair(profile, server, key)


def _twice(server: Llm, key: str) -> Iterator[Problem]:
    """The last one counts for vLLM, which takes `_` for `-` and the beginning of a name; the plan has its own."""
    bucket = ("a bucket's weights are streamed in a format of their own", "copy the weights to a volume")
    taken = {**TAKEN, LOADED: bucket} if isinstance(server.weights, BucketWeights) else TAKEN
    for word in server.extra_args:
        name = word.partition("=")[0].replace("_", "-")
        flag = SHORT.get(name, name)
        for own in (own for own in taken if len(flag) > len("--") and own.startswith(flag)):
            reason, fix = taken[own]
            yield problem("serving_extras.argument-twice", name if own == KEY else word, key, reason=reason, fix=fix)


def _adapters(server: VllmServer, key: str) -> Iterator[Problem]:
    if server.adapters and not isinstance(server.weights, VolumeWeights):
        yield problem("serving_extras.adapters-without-volume", f"{len(server.adapters)} adapters", key, server=server)
    taken = [server.served_model_name or server.name]
    for index, adapter in enumerate(server.adapters):
        if adapter.name in taken:
            yield problem("serving_extras.adapter-name-twice", adapter.name, key, index=index)
        taken.append(adapter.name)


def _transfer(profile: Profile, server: VllmServer, key: str) -> Iterator[Problem]:
    """A cache of gigabytes for each long prompt, over TCP, takes longer than reading the prompt again."""
    if server.kv_transfer is None:
        return
    kind, role = profile.fabric.kind, server.kv_transfer.role
    rdma = {team.name for team in profile.teams if team.rdma}
    outside = [pool.name for pool in profile.pools if not interfaces(profile, pool)]
    if kind not in BACKENDS or server.pool in outside:
        yield problem("serving_extras.no-rdma", role, key, kind=kind, server=server, backends=BACKENDS)
    elif server.namespace not in rdma:
        yield problem("serving_extras.team-without-rdma", role, key, server=server)
    elif kind == "efa" and projects_own(server.image):
        yield problem("serving_extras.no-libfabric", role, key, with_efa=WITH_EFA)


def _pair(profile: Profile, server: VllmServer, key: str) -> Iterator[Problem]:
    """Each half needs the other, and neither alone is a way in: vLLM itself asks nobody else.

    A request without the other's `kv_transfer_params` is answered by the half that gets it as if there were no other
    (vLLM documentation, "Disaggregated Prefilling").
    """
    role = server.kv_transfer.role if server.kv_transfer else "both"
    if server.pair:
        yield from _whole(profile, server, server.pair, key)
    if role == "both":
        return
    if server.route and not (server.pair and role == "decode" and picker(server)):
        yield problem("serving_extras.half-has-route", server.route.kind, key)
    other = "decode" if role == "prefill" else "prefill"
    others = profile.servers
    halves = [candidate for candidate in others if _halves(server, candidate, other)]
    if role == "decode":
        yield from _handed(server, halves, key)
    if not halves:
        yield problem("serving_extras.other-half-missing", role, key, other=other)


def _whole(profile: Profile, server: VllmServer, pair: str, key: str) -> Iterator[Problem]:
    """What LWS's controller and webhook ask of a DisaggregatedSet, and one half of each role."""
    others = [one for one in profile.servers if isinstance(one, VllmServer) and one is not server]
    alike = [one for one in others if one.belongs == server.belongs and one.namespace == server.namespace]
    key = f"{key}.kvTransfer.pair"
    if server.belongs[ROLE] == "both":
        yield problem("serving_extras.pair-of-both", pair, key)
    if alike:
        yield problem("serving_extras.half-twice", pair, key, one=alike[0])
    if len(pair) > LONGEST:
        yield problem("serving_extras.pair-name-too-long", pair, key, longest=LONGEST)
    if server.replicas == 0:
        yield problem("serving_extras.pair-from-zero", pair, key)
    if profile.training is None or profile.training.leader_worker_set is None:
        yield problem("serving_extras.pair-without-controller", None, key)


def _handed(server: VllmServer, others: Sequence[AnyServer], key: str) -> Iterator[Problem]:
    """Each GPU that answers reads the cache of one that read the prompt, or a part of it, or those of several.

    vllm-project/vllm distributed/kv_transfer/kv_connector: old releases say "Decode TP cannot be smaller than prefill
    TP", and all want a multiple.
    """
    engine, tensor = vllm(server.image), server.cut.tensor
    for other in others:
        prompts = other.cut.tensor
        joins = prompts % tensor == 0 and (engine is None or engine.narrower_decode)
        if tensor % prompts and not joins:
            yield problem("serving_extras.narrower-decode", tensor, key, one=other, prompts=prompts)


def _halves(server: VllmServer, candidate: AnyServer, role: str) -> bool:
    """Whether `one` is the other half: a router sends both the same request."""
    return (
        isinstance(candidate, VllmServer)
        and candidate.kv_transfer is not None
        and candidate.kv_transfer.role == role
        and (candidate.namespace, candidate.pair, candidate.facts or candidate.model)
        == (server.namespace, server.pair, server.facts or server.model)
        and (candidate.served_model_name or candidate.name) == (server.served_model_name or server.name)
    )
