"""NVIDIA Triton with a model repository on a shared volume: the same shape around another process."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveInt

from bedplate.charts import sets
from bedplate.components.facts import Facts, Volume
from bedplate.components.section import Seconds
from bedplate.components.serving.autoscale import autoscaler
from bedplate.components.serving.pod import Process, loading, pod_template, probes
from bedplate.components.serving.room import Cut
from bedplate.components.serving.server import Server
from bedplate.components.serving.shape import budget, deployment, monitor, service
from bedplate.components.serving.ways_in import Backend, service_annotations, ways_in
from bedplate.components.serving.weights import VolumeWeights

PORT, GRPC_PORT, METRICS_PORT = 8000, 8001, 8002
READY, ALIVE = "/v2/health/ready", "/v2/health/live"


class TritonServer(Server):
    """NVIDIA Triton with a model repository on a shared volume; says nothing about what the models need."""

    exporter: ClassVar[str] = "triton"

    kind: Literal["triton"]
    image: Annotated[str, Field(pattern=r"^\S+$")] = sets.image("nvcr.io/nvidia/tritonserver")
    weights: VolumeWeights
    """The model repository."""
    gpus: PositiveInt = 1
    """GPUs of one replica."""
    startup: Seconds = 600
    """How long loading all models may take."""

    def start_seconds(self, _: Mapping[str, Volume]) -> int:
        """As long as the profile says."""
        return self.startup

    @property
    def cut(self) -> Cut:
        """All its GPUs are in one node."""
        return Cut(self.gpus)


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
        autoscaler(server, facts, server.startup),
    )
    reached = ways_in(server, facts, Backend(server.name, PORT, PORT, READY))
    work = deployment(server, template, surge=surge, startup=server.startup)
    return [work, triton_service(server), *(one for one in around if one), *reached]


def process(server: TritonServer, repository: str) -> Process:
    """Ready when every model of the repository is (KServe protocol, version 2)."""
    return Process(
        image=server.image,
        command=("tritonserver", f"--model-repository={repository}", *server.extra_args),
        port=PORT,
        probes=probes(start=READY, ready=READY, alive=ALIVE, port=PORT, startup_seconds=server.startup),
    )


def triton_service(server: TritonServer) -> dict[str, Any]:
    """HTTP, gRPC and metrics have ports of their own."""
    made = service(server, PORT, service_annotations(server))
    made["spec"]["ports"] += [
        {"name": "grpc", "port": GRPC_PORT, "targetPort": "grpc"},
        {"name": "metrics", "port": METRICS_PORT, "targetPort": "metrics"},
    ]
    return made
