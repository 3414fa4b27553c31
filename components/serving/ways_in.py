"""The objects of a way in from outside: HTTPRoute or Ingress, and what the load balancer behind it must be told.

Sources: GKE documentation, "Configure Gateway resources using Policies" and "Ingress configuration"; AWS Load Balancer
Controller, Ingress annotations (target-type; kubernetes-sigs/aws-load-balancer-controller#1695).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.serving.picker import API as POOL_API
from bedplate.components.serving.routes import GatewayRoute, IngressRoute, Route
from bedplate.components.serving.server import Server
from bedplate.components.serving.shape import whole

GOOGLE_RANGES = ("35.191.0.0/16", "130.211.0.0/22")
"""Where Google's load balancers and their health checks come from (GKE documentation, firewall rules)."""
GOOGLE_CLASSES = ("gce", "gce-internal")
BODY = "64m"
"""Images and sound in a request: nginx refuses more than 1 MB by itself, and vLLM takes 25 MB of sound
(vllm-project/vllm@v0.12.0 envs.py `VLLM_MAX_AUDIO_CLIP_FILESIZE_MB`)."""
NGINX_CLASSES = ("nginx", "webapprouting.kubernetes.azure.com")


@dataclass(frozen=True)
class Backend:
    """The Service that requests go to, and the port and path of its pods that say it is alive."""

    service: str
    port: int
    pod_port: int
    health: str


def by_google(way: Route, platform: str) -> bool:
    """Whether Google's load balancers ask the pods themselves."""
    if isinstance(way, IngressRoute):
        return way.class_name in GOOGLE_CLASSES
    return (way.implementation or ("gke" if platform == "gke" else "conformant")) == "gke"


def ways_in(server: Server, facts: Facts, backend: Backend) -> Iterator[dict[str, Any]]:
    """Everything of the server's route, if it has one."""
    match server.route:
        case GatewayRoute() as way:
            google = by_google(way, facts.platform)
            yield _http_route(server, way, backend, timeouts=not google)
            yield from _gateway_policies(server, way, backend) if google else ()
        case IngressRoute() as way:
            yield _ingress(server, way, backend)
            if way.class_name in GOOGLE_CLASSES:
                yield _backend_config(server, way, backend)
        case None:
            return


def service_annotations(server: Server) -> dict[str, str]:
    """Of the Service: where Google's Ingress finds health check and timeout."""
    route = server.route
    if not isinstance(route, IngressRoute) or route.class_name not in GOOGLE_CLASSES:
        return {}
    return {"cloud.google.com/backend-config": f'{{"default": "{server.name}"}}'}


def _http_route(server: Server, way: GatewayRoute, backend: Backend, *, timeouts: bool) -> dict[str, Any]:
    """Google's gateways refuse timeouts of an HTTPRoute; theirs is in a policy."""
    limit = {"timeouts": {"request": f"{way.timeout}s"}} if timeouts else {}
    to = _target(server, way, backend) if way.endpoint_picker else {"name": backend.service, "port": backend.port}
    spec = {
        "parentRefs": [{"name": way.gateway, "namespace": way.gateway_namespace}],
        "hostnames": list(way.hostnames),
        "rules": [{"backendRefs": [to], **limit}],
    }
    return whole(server, "gateway.networking.k8s.io/v1", "HTTPRoute", spec, way.annotations)


def _target(server: Server, way: GatewayRoute, backend: Backend) -> dict[str, Any]:
    """Whom the gateway sends requests to: the pool of a picker, or the Service."""
    if way.endpoint_picker:
        return {"group": POOL_API, "kind": "InferencePool", "name": server.name}
    return {"group": "", "kind": "Service", "name": backend.service}


def _gateway_policies(server: Server, way: GatewayRoute, backend: Backend) -> Iterator[dict[str, Any]]:
    """By default Google asks for `/`, which a model server does not know, and cuts answers off after 30 seconds."""
    target = {"targetRef": _target(server, way, backend)}
    probe = {"port": backend.pod_port, "requestPath": backend.health}
    health = {"default": {"config": {"type": "HTTP", "httpHealthCheck": probe}}, **target}
    yield whole(server, "networking.gke.io/v1", "HealthCheckPolicy", health, {})
    limit = {"default": {"timeoutSec": way.timeout}, **target}
    yield whole(server, "networking.gke.io/v1", "GCPBackendPolicy", limit, {})


def _backend_config(server: Server, way: IngressRoute, backend: Backend) -> dict[str, Any]:
    check = {"type": "HTTP", "port": backend.pod_port, "requestPath": backend.health}
    return whole(server, "cloud.google.com/v1", "BackendConfig", {"timeoutSec": way.timeout, "healthCheck": check}, {})


def _ingress(server: Server, way: IngressRoute, backend: Backend) -> dict[str, Any]:
    to = {"service": {"name": backend.service, "port": {"number": backend.port}}}
    path = {"path": "/", "pathType": "Prefix", "backend": to}
    tls = {"tls": [{"hosts": [way.hostname], "secretName": way.tls_secret}]} if way.tls_secret else {}
    spec = {
        "ingressClassName": way.class_name,
        "rules": [{"host": way.hostname, "http": {"paths": [path]}}],
        **tls,
    }
    return whole(
        server, "networking.k8s.io/v1", "Ingress", spec, _controllers_own(way, backend) | dict(way.annotations)
    )


def _controllers_own(way: IngressRoute, backend: Backend) -> dict[str, str]:
    """What the controllers that we know need for a ClusterIP Service whose answers take minutes."""
    if way.class_name == "alb":
        own, idle = "alb.ingress.kubernetes.io", min(way.timeout, 4000)
        return {
            f"{own}/target-type": "ip",
            f"{own}/healthcheck-path": backend.health,
            f"{own}/load-balancer-attributes": f"idle_timeout.timeout_seconds={idle}",
        }
    if way.class_name in NGINX_CLASSES:
        own = "nginx.ingress.kubernetes.io"
        return {
            **{f"{own}/proxy-{way_}-timeout": str(way.timeout) for way_ in ("read", "send")},
            f"{own}/proxy-body-size": BODY,
        }
    return {}
