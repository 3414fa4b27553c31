"""Rules about how a server scales and how it is reached: somebody measures, and nobody refuses its requests."""

from collections.abc import Iterator, Mapping

from bedplate.components.serving.picker import picker
from bedplate.components.serving.routes import GatewayRoute, IngressRoute
from bedplate.components.serving.scale import Scaling
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.server import Server
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.vllm_stack import CUT_OFF, VllmStackServer
from bedplate.components.serving.ways_in import GOOGLE_RANGES, by_google
from bedplate.components.serving.weights import VolumeWeights
from bedplate.components.tenancy.teams import Team
from bedplate.stacks.profile.problem import Problem, keyed, problem
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
        yield problem("serving_ways.most-below-replicas", server.max_replicas, key, server=server)
    if (server.most > server.replicas) is not (server.scaling is not None):
        yield problem("serving_ways.scaling-by-half", "present" if server.scaling else None, key)
    scaler = profile.autoscaling.kind if profile.autoscaling else None
    if server.replicas == 0 and scaler != "keda":
        yield problem("serving_ways.zero-without-keda", 0, key)
    if server.scaling is None:
        return
    if server.replicas == 0 and server.scaling.wake is None:
        yield problem("serving_ways.wake-missing", None, key)
    if profile.monitoring is None:
        yield problem("serving_ways.nobody-scrapes", None, key)
    if scaler is None:
        yield problem("serving_ways.nobody-serves-metrics", None, key)
    elif server.kind == "vllm-stack" and scaler != "keda":
        yield problem("serving_ways.stack-without-keda", scaler)
    yield from _goals(server, server.scaling, f"{key}.scaling")


def _goals(server: AnyServer, scaling: Scaling, key: str) -> Iterator[Problem]:
    metrics = METRICS_OF[server.kind]
    for where, goal in ((key, scaling), *keyed(f"{key}.further", scaling.further)):
        if goal.metric not in metrics:
            yield problem("serving_ways.not-emitted", goal.metric, where, server=server, metrics=metrics)
        if goal.metric == "kv-cache" and goal.target > 1:
            yield problem("serving_ways.kv-cache-above-one", goal.target, where)


def check_ways(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """The namespace is closed by default: downloads must be let out, and a gateway's requests in."""
    yield from _picked(server, key)
    if isinstance(server, VllmStackServer):
        yield from _by_chart(server, key)
    for at, team in keyed("tenancy.teams", profile.teams):
        if team.name != server.namespace:
            continue
        if not isinstance(server.weights, VolumeWeights) and not team.egress:
            yield problem("serving_ways.no-way-out", None, key, at=at)
        for missing, whose in callers(profile, server, team):
            let_in = list(team.ingress_from)
            yield problem("serving_ways.no-way-in", let_in, key, at=at, whose=whose, missing=missing)


def _picked(server: AnyServer, key: str) -> Iterator[Problem]:
    """The picker asks vLLM's metrics, and chooses one pod for a request."""
    if picker(server) is None:
        return
    if not isinstance(server, VllmServer):
        reason = "the chart has a router of its own" if server.kind == "vllm-stack" else "it asks metrics of vLLM"
        yield problem("serving_ways.no-picker-of-kind", "present", key, reason=reason)
    elif server.kv_transfer and server.kv_transfer.role != "both" and not server.pair:
        yield problem("serving_ways.picker-of-a-pair", "present", key)


def _by_chart(server: VllmStackServer, key: str) -> Iterator[Problem]:
    if (server.routing == "session") is not (server.session_key is not None):
        yield problem("serving_ways.session-by-half", server.session_key, key)
    for field, is_set in (("spread", server.spread is not None), ("grace", server.grace not in (None, CUT_OFF))):
        if is_set:
            yield problem("serving_ways.no-such-setting", getattr(server, field), key, field=field)


def callers(profile: Profile, server: Server, team: Team) -> Iterator[tuple[str, str]]:
    """Who calls by the server's route and is not let in, and what it is.

    Google's load balancers and AWS's (`alb`) call pods by themselves, from outside the cluster; the others have pods in
    it, in a namespace that only the site knows.
    """
    addresses = [source for source in team.ingress_from if "/" in source]
    match server.route:
        case GatewayRoute() | IngressRoute() as way if by_google(way, profile.platform):
            yield from ((network, "Google's load balancers") for network in GOOGLE_RANGES if network not in addresses)
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
