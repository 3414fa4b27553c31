"""Model servers, each with its Service, budget, monitor and autoscaler."""

from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.image_digests import of_object
from bedplate.components.manifest import declare as declared
from bedplate.components.manifest import typed
from bedplate.components.names import scoped
from bedplate.components.readiness import timeouts
from bedplate.components.secret import secret
from bedplate.components.serving import picker, triton, vllm, vllm_stack
from bedplate.components.serving.kv_transfer import PAIR
from bedplate.components.serving.packing import packed
from bedplate.components.serving.pair import Timed, joined
from bedplate.components.serving.pod import COMPONENT, MODEL_SERVER, labels, loading, secret_name
from bedplate.components.serving.queue import queued
from bedplate.components.serving.section import AnyServer, ServingSection
from bedplate.components.serving.shape import LEADER, patience
from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import VllmStackServer
from bedplate.components.workload.accounts import declare_accounts
from bedplate.components.workload.identity import AnyAccount, name_of


class Servers(Component[ServingSection], token="bedplate:serving:Servers"):
    """Serves models; done when every server answers."""

    def _declare(self, args: Args[ServingSection], child: pulumi.ResourceOptions) -> None:
        declare_accounts(used(args.section, args.facts), self)
        for server in args.section.servers:
            seconds = patience(server, server.start_seconds(args.facts.volumes))
            child = pulumi.ResourceOptions(parent=self, custom_timeouts=timeouts(seconds))
            for key in () if isinstance(server, TritonServer) else server.secrets:
                held(server, key, child)
            if isinstance(server, VllmStackServer):
                release(server, args.facts, seconds, child)
        for manifest, seconds in made(args):
            declare(manifest, pulumi.ResourceOptions(parent=self, custom_timeouts=timeouts(seconds)))


def made(args: Args[ServingSection]) -> Iterator[Timed]:
    """All that no chart makes, and how long each may take."""
    every = ((one, patience(one, one.start_seconds(args.facts.volumes))) for one in args.section.servers)
    return joined(
        (of_object(manifest, args.facts.digests), seconds)
        for server, seconds in every
        for manifest in manifests(server, args)
    )


def used(section: ServingSection, facts: Facts) -> Iterator[tuple[str, AnyAccount | None]]:
    """Namespace and service account of every server that reads a bucket, but for those that volumes have already."""
    there = {(home, volume.service_account) for volume in facts.volumes.values() for home in volume.namespaces}
    servers = (server for server in section.servers if not isinstance(server, TritonServer))
    return ((one.namespace, one.account) for one in servers if (one.namespace, name_of(one.account)) not in there)


def manifests(server: AnyServer, args: Args[ServingSection]) -> list[dict[str, Any]]:
    """The Kubernetes objects of a server that no chart makes."""
    if isinstance(server, VllmStackServer):
        return list(vllm_stack.manifests(server, args.facts))
    room = spare_gpus(args, server.pool, server.namespace) >= renewed(server, args.section)
    surge = room and moves(server, args.facts)
    if isinstance(server, TritonServer):
        own = triton.manifests(server, args.facts, surge=surge)
    else:
        own = vllm.manifests(server, args.facts, surge=surge)
    waiting = (queued(manifest, args.facts, server.namespace) for manifest in own)
    return [*(packed(manifest, server, args.facts) for manifest in waiting), *chosen(server, args.facts.cluster_domain)]


def chosen(server: AnyServer, domain: str) -> Iterator[dict[str, Any]]:
    """Its endpoint picker, which takes no GPUs and so waits in no queue."""
    if isinstance(server, VllmServer):
        leaders = LEADER if server.grouped else {}
        pods = {PAIR: server.pair, COMPONENT: MODEL_SERVER} if server.pair else labels(server)
        yield from picker.manifests(server, vllm.PORT, pods | leaders, domain)


def renewed(server: TritonServer | VllmServer, section: ServingSection) -> int:
    """GPUs of its pool that a rollout takes besides: one replica's, of a pair one of each half there."""
    if not isinstance(server, VllmServer) or server.pair is None:
        return server.cut.gpus
    others = (one for one in section.servers if isinstance(one, VllmServer) and one.pair == server.pair)
    return sum(one.cut.gpus for one in others if (one.namespace, one.pool) == (server.namespace, server.pool))


def spare_gpus(args: Args[ServingSection], pool: str, namespace: str) -> int:
    """What a rollout may take besides: the team's own part of the pool, less what its servers need at the most."""
    place = args.facts.pool(pool)
    part = args.facts.team(namespace).nominal.get(pool, {}).get(place.resource, place.total_gpus)
    return part - args.section.demand(pool, namespace)


def moves(server: TritonServer | VllmServer, facts: Facts) -> bool:
    """Whether a second pod may run on another node: a volume that one node mounts waits for the first to go."""
    store = loading(server.weights, facts).shared
    return store is None or store.shared


def held(server: AnyServer, key: str, opts: pulumi.ResourceOptions) -> None:
    """A secret of the server in its namespace; from a Pulumi secret, so it is encrypted in the state."""
    name = secret_name(server, key)
    k8s.core.v1.Secret(
        scoped(server.namespace, name),
        metadata={"name": name, "namespace": server.namespace},
        string_data={key: secret(key)},
        opts=opts,
    )


def release(server: VllmStackServer, facts: Facts, timeout: int, opts: pulumi.ResourceOptions) -> None:
    """The chart into the team's namespace."""
    args = Args(server, facts)
    values = vllm_stack.helm_values(args)
    vllm_stack.CHART.release(server.name, args, namespace=server.namespace, values=values, opts=opts, timeout=timeout)


def declare(manifest: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
    """A typed resource under the server's name, or a custom resource under its name and kind."""
    name = scoped(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
    title = name if typed(manifest["kind"]) else f"{name}-{manifest['kind'].lower()}"
    declared(title, manifest, opts)
