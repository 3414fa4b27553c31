"""NVIDIA Triton with a model repository on a shared volume: the same shape around another process."""

from typing import Any

from components.facts import Facts
from components.serving.autoscale import autoscaler
from components.serving.pod import Process, loading, pod_template, probes
from components.serving.section import TritonServer
from components.serving.shape import budget, deployment, monitor, route, service

PORT, GRPC_PORT, METRICS_PORT = 8000, 8001, 8002


def manifests(server: TritonServer, facts: Facts, *, surge: bool) -> list[dict[str, Any]]:
    """Everything of one server."""
    source = loading(server.weights, facts)
    template = pod_template(server, facts, process(server, source.path), source)
    container = template["spec"]["containers"][0]
    container["ports"] += [
        {"name": "grpc", "containerPort": GRPC_PORT},
        {"name": "metrics", "containerPort": METRICS_PORT},
    ]
    around = (
        budget(server),
        monitor(server, facts, "metrics"),
        route(server, PORT),
        autoscaler(server, facts),
    )
    work = deployment(server, template, surge=surge, startup=server.startup)
    return [work, triton_service(server), *(one for one in around if one)]


def process(server: TritonServer, repository: str) -> Process:
    """Ready when every model of the repository is (KServe protocol, version 2)."""
    ready, alive = "/v2/health/ready", "/v2/health/live"
    return Process(
        image=server.image,
        command=("tritonserver", f"--model-repository={repository}", *server.extra_args),
        port=PORT,
        probes=probes(start=ready, ready=ready, alive=alive, port=PORT, startup_seconds=server.startup),
    )


def triton_service(server: TritonServer) -> dict[str, Any]:
    """HTTP, gRPC and metrics have ports of their own."""
    made = service(server, PORT)
    made["spec"]["ports"] += [
        {"name": "grpc", "port": GRPC_PORT, "targetPort": "grpc"},
        {"name": "metrics", "port": METRICS_PORT, "targetPort": "metrics"},
    ]
    return made
