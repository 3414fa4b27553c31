"""vLLM by the production-stack chart: engines, and a router that knows which replica has a prefix cached.

Our values replace what the chart would get wrong: its KEDA trigger asks for a label that vLLM does not emit
(`model`, where vLLM has `model_name`), its readiness is `/health`, and its monitoring subcharts would be second ones.
The chart has no way to set `enableServiceLinks`, so the release must not be called `vllm…` (vllm-project/vllm#34199).
"""

from typing import Any, Literal

from components.chart import Chart
from components.facts import Args, Facts
from components.section import HelmSection
from components.serving.autoscale import behaviour, trigger
from components.serving.pod import Loading, loading, probes, share, token_secret
from components.serving.server import HUGGING_FACE_TOKEN, HubWeights, Llm
from components.serving.vllm import PORT, startup_seconds

# renovate: datasource=helm registryUrl=https://vllm-project.github.io/production-stack depName=vllm-stack
CHART = Chart("https://vllm-project.github.io/production-stack", "vllm-stack", "0.1.12", crds="folder")


class VllmStackServer(Llm, HelmSection):
    """vLLM by the production-stack chart, which brings a router with prefix and session affinity."""

    kind: Literal["vllm-stack"]
    image: str = "vllm/vllm-openai:v0.12.0"
    routing: Literal["roundrobin", "session", "prefixaware", "kvaware"] = "roundrobin"
    """How the router picks a replica."""


def helm_values(args: Args[VllmStackServer]) -> dict[str, Any]:
    """One model of the chart, in the shape of our own servers."""
    server, facts = args.section, args.facts
    source = loading(server.weights, facts)
    monitored = facts.monitoring is not None
    labels = {"additionalLabels": dict(facts.monitoring.labels)} if facts.monitoring else {}
    return {
        "servingEngineSpec": {
            "runtimeClassName": runtime_class(facts),
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            **probes(
                start="/v1/models",
                ready="/v1/models",
                alive="/health",
                port=PORT,
                startup_seconds=startup_seconds(server, source),
            ),
            "serviceMonitor": {"enabled": monitored, **labels},
            "modelSpec": [model(server, facts, source)],
        },
        "routerSpec": {"routingLogic": server.routing, "serviceMonitor": {"enabled": monitored, **labels}},
        "kube-prometheus-stack": {"enabled": False},
        "prometheus-adapter": {"enabled": False},
    }


def runtime_class(facts: Facts) -> str:
    """The GPU Operator makes the class; where the node image has its own toolkit, NVIDIA's runtime is the default."""
    return facts.ownership.runtime_class if facts.ownership.toolkit and "gpuOperator" in facts.has else ""


def model(server: VllmStackServer, facts: Facts, source: Loading) -> dict[str, Any]:
    """The chart's `modelSpec`."""
    part = share(server, facts)
    repository, _, tag = server.image.rpartition(":")
    gated = isinstance(server.weights, HubWeights) and server.weights.gated
    token = {"hf_token": {"secretName": token_secret(server), "secretKey": HUGGING_FACE_TOKEN}} if gated else {}
    size = dict(part.resources)
    return {
        "name": server.name,
        "repository": repository,
        "tag": tag,
        "modelURL": source.path,
        "replicaCount": server.replicas,
        "resources": {"requests": size, "limits": size},
        "shmSize": f"{part.shm_gib}Gi",
        "vllmConfig": _config(server),
        "env": [{"name": name, "value": value} for name, value in {**part.env, **source.env}.items()],
        "extraVolumes": [dict(volume) for volume in source.volumes],
        "extraVolumeMounts": [dict(mount) for mount in source.mounts],
        "nodeSelectorTerms": [{"matchExpressions": [_in(key, value) for key, value in part.node_selector.items()]}],
        "tolerations": [dict(toleration) for toleration in part.tolerations],
        **({"pdb": {"enabled": True, "maxUnavailable": 1}} if server.most > 1 else {}),
        **token,
        **keda(server, facts),
    }


def _config(server: VllmStackServer) -> dict[str, Any]:
    served = ["--served-model-name", server.served_model_name or server.name]
    return {
        "enablePrefixCaching": True,
        "maxModelLen": server.longest,
        "tensorParallelSize": server.tensor_parallel,
        "gpuMemoryUtilization": server.gpu_memory_utilization,
        "extraArgs": [*served, *server.extra_args],
    }


def _in(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": [value]}


def keda(server: VllmStackServer, facts: Facts) -> dict[str, Any]:
    """The chart's own ScaledObject, with our trigger."""
    scaling = server.scaling
    if scaling is None:
        return {}
    pods = f"{server.name}-{server.name}-deployment-vllm-.*"
    return {
        "keda": {
            "enabled": True,
            "minReplicaCount": server.replicas,
            "maxReplicaCount": server.most,
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(scaling)}},
            "triggers": [trigger(server, facts, scaling, pods)],
        }
    }
