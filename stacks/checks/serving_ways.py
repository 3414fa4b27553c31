"""Rules about how a server scales and how it is reached: somebody measures, and nobody refuses its requests."""

from collections.abc import Iterator, Mapping

from bedplate.components.serving.picker import picker
from bedplate.components.serving.routes import GatewayRoute, IngressRoute
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.server import Server
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import CUT_OFF, VllmStackServer
from bedplate.components.serving.ways_in import GOOGLE_RANGES, by_google
from bedplate.components.serving.weights import VolumeWeights
from bedplate.components.tenancy.teams import Team
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

VLLM = ("requests", "requests-waiting", "kv-cache", "gpu-utilisation")
METRICS_OF: Mapping[str, tuple[str, ...]] = {
    "vllm": VLLM,
    "vllm-stack": VLLM,
    "triton": ("requests-pending", "gpu-utilisation"),
}


def check_scaling(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """Somebody serves the metrics that the server scales on."""
    if server.most < server.replicas:
        yield Problem(f"{key}.maxReplicas", server.max_replicas, f"less than replicas {server.replicas}", "raise it")
    if (server.most > server.replicas) is not (server.scaling is not None):
        reason = "scaling and maxReplicas above replicas belong together"
        yield Problem(f"{key}.scaling", "present" if server.scaling else None, reason, "give both or neither")
    if server.replicas == 0:
        yield from _from_zero(profile, server, key)
    if server.scaling is None:
        return
    for at, goal in enumerate(server.scaling.goals):
        where = f"{key}.scaling" + (f".further[{at - 1}]" if at else "")
        if goal.metric not in METRICS_OF[server.kind]:
            fix = f"use {', '.join(METRICS_OF[server.kind])}"
            yield Problem(f"{where}.metric", goal.metric, f"{server.kind} does not emit it", fix)
        if goal.metric == "kv-cache" and goal.target > 1:
            yield Problem(f"{where}.target", goal.target, "the cache's usage is 0 to 1", "use 0.8 or the like")
    yield from _measured(profile, server, key)


def _from_zero(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    if profile.autoscaling is None or profile.autoscaling.kind != "keda":
        yield Problem(f"{key}.replicas", 0, "only KEDA brings a server back from none", "use keda, or 1")
    if server.scaling and server.scaling.wake is None:
        reason = "the server's own metrics are gone with its last replica, so nothing would bring one back"
        yield Problem(f"{key}.scaling.wake", None, reason, "add a query that is above 0 while requests come")


def _measured(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    if profile.monitoring is None:
        yield Problem("monitoring", None, f"{key} scales on a metric, and nobody scrapes", "add monitoring")
    if profile.autoscaling is None:
        reason = f"{key} scales on a metric, and nobody serves it to the autoscaler"
        yield Problem("autoscaling", None, reason, "add `autoscaling: {kind: keda}`")
    elif server.kind == "vllm-stack" and profile.autoscaling.kind != "keda":
        reason = "the production-stack chart scales by KEDA"
        yield Problem("autoscaling.kind", profile.autoscaling.kind, reason, "use keda, or kind vllm")


def check_ways(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """The namespace is closed by default: downloads must be let out, and a gateway's requests in."""
    yield from _picked(server, key)
    if isinstance(server, VllmStackServer):
        yield from _by_chart(server, key)
    for at, team in keyed("tenancy.teams", profile.teams):
        if team.name != server.namespace:
            continue
        where = at
        if not isinstance(server.weights, VolumeWeights) and not team.egress:
            reason = f"{key} downloads its weights, and the namespace's pods reach nothing outside the cluster"
            yield Problem(f"{where}.egress", None, reason, "add 0.0.0.0/0, or the addresses of hub or bucket")
        for missing, whose in callers(profile, server, team):
            reason = f"{key} is behind {whose}, whose requests the namespace refuses"
            yield Problem(f"{where}.ingressFrom", list(team.ingress_from), reason, f"add {missing}")


def _picked(server: AnyServer, key: str) -> Iterator[Problem]:
    """The picker asks vLLM's metrics, and chooses one pod for a request."""
    if picker(server) is None:
        return
    where = f"{key}.route.endpointPicker"
    if not isinstance(server, VllmServer):
        reason = "the chart has a router of its own" if server.kind == "vllm-stack" else "it asks metrics of vLLM"
        yield Problem(where, "present", reason, "use kind vllm, or remove it")
    elif server.kv_transfer and server.kv_transfer.role != "both":
        reason = "it chooses one pod for a request, and these need two: one that reads the prompt, one that answers"
        fix = "remove it: llm-d's picker, with its sidecar beside the answering server, is made for pairs"
        yield Problem(where, "present", reason, fix)


def _by_chart(server: VllmStackServer, key: str) -> Iterator[Problem]:
    if (server.routing == "session") is not (server.session_key is not None):
        reason = "routing: session and the header by which requests belong together go together"
        yield Problem(f"{key}.sessionKey", server.session_key, reason, "name the header, such as x-user-id, or neither")
    for field, asked in (("spread", server.spread is not None), ("grace", server.grace not in (None, CUT_OFF))):
        if asked:
            yield Problem(f"{key}.{field}", getattr(server, field), "the chart has no such setting", "use kind vllm")


def callers(profile: Profile, server: Server, team: Team) -> Iterator[tuple[str, str]]:
    """Who calls by the server's route and is not let in, and what it is.

    Google's load balancers and AWS's (`alb`) call pods by themselves, from outside the cluster; the others have pods in
    it, in a namespace that only the site knows.
    """
    addresses = [one for one in team.ingress_from if "/" in one]
    match server.route:
        case GatewayRoute() | IngressRoute() as way if by_google(way, profile.platform):
            yield from ((one, "Google's load balancers") for one in GOOGLE_RANGES if one not in addresses)
            if picker(server) and set(addresses) <= set(GOOGLE_RANGES):
                yield (
                    "the addresses of the proxy-only subnet",
                    "a regional gateway of Google's, the kind that has a picker",
                )
        case GatewayRoute(gateway_namespace=home) if home not in team.ingress_from:
            yield home, "a gateway there"
        case IngressRoute(class_name="alb") if not addresses:
            yield "the addresses of the load balancer's subnets", "an AWS load balancer"
        case IngressRoute() if not team.ingress_from:
            yield "the namespace of the ingress controller", "an Ingress"
        case _:
            return
