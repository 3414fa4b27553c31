"""A gateway's endpoint picker: each request goes to the replica with room for it and with its prompt in the cache.

The Gateway API inference extension: an InferencePool in the place of the Service, and beside it the picker that the
gateway asks by Envoy's external processing. As llm-d's own chart has it, without that chart's metrics reader, tokenizer
and latency predictor (llm-d/llm-d-router config/charts/{routerlib,llm-d-router-gateway} at v0.10.0; it goes on with
what kubernetes-sigs/gateway-api-inference-extension had up to v1.5.0).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bedplate.components.marks import marks
from bedplate.components.serving.kv_transfer import PAIR
from bedplate.components.serving.pod import COMPONENT
from bedplate.components.serving.routes import EndpointPicker, GatewayRoute
from bedplate.components.serving.server import Server

API = "inference.networking.k8s.io"
PORT, HEALTH_PORT = 9002, 9003
CONFIG = "plugins.yaml"
SIZE = {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "4", "memory": "8Gi"}}
"""A quarter of what the chart asks for, which is for thousands of requests a second."""
PLUGINS = Path(__file__).with_suffix(".yaml")
"""Who waits least, has the most room, and knows the beginning of the prompt; weights are the chart's."""
OF_A_PAIR = Path(__file__).with_name("picker_of_a_pair.yaml")
"""Who reads the prompt and who answers, both of one revision; scorers are llm-d's own (deploy/config/pd-epp-config.yaml
there), and who decides is that of its guide (llm-d/llm-d, guides/pd-disaggregation/router)."""
OPTIONAL = ["inferenceobjectives", "inferencemodelrewrites"]
LEAVE = 130
"""Seconds in which requests that it is asked about are finished (the chart's)."""
SECURE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def picker(server: Server) -> EndpointPicker | None:
    """Of the server's route, if it has one."""
    return server.route.endpoint_picker if isinstance(server.route, GatewayRoute) else None


def manifests(server: Server, port: int, pods: dict[str, str], domain: str) -> Iterator[dict[str, Any]]:
    """The pool of these pods, and its picker; nothing without one. The domain is the cluster's own."""
    asked = picker(server)
    if asked is None:
        return
    yield _made(server, f"{API}/v1", "InferencePool", {"spec": pool(server, asked, port, pods)}, name=server.name)
    yield _made(server, "v1", "ServiceAccount", {})
    yield _made(server, "v1", "ConfigMap", {"data": {CONFIG: plugins(server)}})
    yield from _rights(server)
    # No appProtocol: the picker speaks TLS with a certificate of its own, and a gateway that is told h2c would not.
    ports = [{"name": "grpc-ext-proc", "port": PORT, "targetPort": PORT}]
    yield _made(server, "v1", "Service", {"spec": {"selector": _labels(server), "ports": ports}})
    yield _made(server, "apps/v1", "Deployment", {"spec": _deployment(server, asked)})
    yield _made(server, "networking.k8s.io/v1", "NetworkPolicy", {"spec": _egress(server)})
    if isinstance(server.route, GatewayRoute) and server.route.implementation == "istio":
        yield _made(server, "networking.istio.io/v1", "DestinationRule", {"spec": _trusted(server, domain)})


def plugins(server: Server) -> str:
    """Its configuration."""
    pair = server.belongs.get(PAIR)
    if pair is None:
        return PLUGINS.read_text(encoding="utf-8")
    return OF_A_PAIR.read_text(encoding="utf-8").replace("$pair", pair)


def pool(server: Server, asked: EndpointPicker, port: int, pods: dict[str, str]) -> dict[str, Any]:
    """The pods that answer, and whom the gateway asks which of them shall.

    Without a picker nobody writes over the header that the routing sidecar of a pair obeys.
    """
    mode = asked.failure_mode or ("FailClose" if server.belongs else "FailOpen")
    return {
        "selector": {"matchLabels": pods},
        "targetPorts": [{"number": port}],
        "endpointPickerRef": {"name": _name(server), "port": {"number": PORT}, "failureMode": mode},
    }


def _name(server: Server) -> str:
    return f"{server.name}-picker"


def _labels(server: Server) -> dict[str, str]:
    """Not the server's: its Service, budget and pool must not take the picker for a replica."""
    return {"app.kubernetes.io/name": _name(server), COMPONENT: "endpoint-picker"}


def _made(server: Server, api: str, kind: str, rest: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    place = {"name": name or _name(server), "namespace": server.namespace, **marks(labels=_labels(server))}
    return {"apiVersion": api, "kind": kind, "metadata": place, **rest}


def _rights(server: Server) -> Iterator[dict[str, Any]]:
    """What it watches, in its own namespace; it asks for optional kinds all the same."""
    group, read = "rbac.authorization.k8s.io", ["get", "list", "watch"]
    watched = {
        "": ["pods"],
        API: ["inferencepools"],
        **dict.fromkeys(("inference.networking.x-k8s.io", "llm-d.ai"), OPTIONAL),
    }
    rules = [{"apiGroups": [one], "resources": kinds, "verbs": read} for one, kinds in watched.items()]
    yield _made(server, f"{group}/v1", "Role", {"rules": rules})
    who = {"kind": "ServiceAccount", "name": _name(server), "namespace": server.namespace}
    role = {"apiGroup": group, "kind": "Role", "name": _name(server)}
    yield _made(server, f"{group}/v1", "RoleBinding", {"subjects": [who], "roleRef": role})


def _deployment(server: Server, asked: EndpointPicker) -> dict[str, Any]:
    """One, because what it knows of the caches is in its memory; the old one goes first."""
    return {
        "replicas": 1,
        "selector": {"matchLabels": _labels(server)},
        "strategy": {"type": "Recreate"},
        "template": {
            "metadata": {"labels": _labels(server)},
            "spec": {
                "serviceAccountName": _name(server),
                "automountServiceAccountToken": True,
                "terminationGracePeriodSeconds": LEAVE,
                "enableServiceLinks": False,
                "containers": [_container(server, asked)],
                "volumes": [{"name": "config", "configMap": {"name": _name(server)}}],
            },
        },
    }


def _container(server: Server, asked: EndpointPicker) -> dict[str, Any]:
    pool_of = ("--pool-name", server.name, "--pool-namespace", server.namespace, "--pool-group", API)
    probe = {"grpc": {"port": HEALTH_PORT, "service": "inference-extension"}}
    told = ["--config-file", f"/config/{CONFIG}", "--tracing=false", "--metrics-endpoint-auth=false"]
    # What keeps a pair's halves to one revision is still of the first stage of llm-d's plugins.
    told += ["--allow-experimental-plugins=true"] if server.belongs else []
    own = {"NAMESPACE": "metadata.namespace", "POD_NAME": "metadata.name"}
    return {
        "name": "picker",
        "image": asked.image,
        "args": [*pool_of, *told],
        "env": [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in own.items()],
        "ports": [{"name": "grpc", "containerPort": PORT}, {"name": "health", "containerPort": HEALTH_PORT}],
        "livenessProbe": probe | {"initialDelaySeconds": 5, "periodSeconds": 10},
        "readinessProbe": probe | {"periodSeconds": 2},
        "resources": SIZE,
        "securityContext": SECURE,
        "volumeMounts": [{"name": "config", "mountPath": "/config", "readOnly": True}],
    }


def _egress(server: Server) -> dict[str, Any]:
    """To the API server, whose addresses no policy can name; to the replicas the namespace's own policy lets it."""
    ports = [{"port": port, "protocol": "TCP"} for port in (443, 6443)]
    return {
        "podSelector": {"matchLabels": _labels(server)},
        "policyTypes": ["Egress"],
        "egress": [{"ports": ports}],
    }


def _trusted(server: Server, domain: str) -> dict[str, Any]:
    """The picker's certificate is its own, which Istio refuses unless it is told."""
    host = f"{_name(server)}.{server.namespace}.svc.{domain}"
    return {"host": host, "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}}}
