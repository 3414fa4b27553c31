"""vLLM by the production-stack chart: engines, and a router that knows which replica has a prefix cached.

Our values replace what the chart would get wrong: its KEDA trigger asks for a label that vLLM does not emit
(`model`, where vLLM has `model_name`), its readiness is `/health`, and its monitoring subcharts would be second ones.
The chart has no way to set `enableServiceLinks`, so the release must not be called `vllm…` (vllm-project/vllm#34199).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from bedplate.components.chart import Chart
from bedplate.components.facts import Args, Facts
from bedplate.components.observability.chart_monitor import chart_monitor
from bedplate.components.observability.own_series import DROPPED
from bedplate.components.observability.scaling import Source
from bedplate.components.section import HelmSection
from bedplate.components.serving.autoscale import behaviour, cooldown, triggers
from bedplate.components.serving.pod import PRIORITY, Loading, driver_path, held, home, loading, secret_name, share
from bedplate.components.serving.server import HUGGING_FACE_TOKEN, SERVING_API_KEY, TRUST, Llm
from bedplate.components.serving.shape import metadata
from bedplate.components.serving.vllm import HEALTH, PORT, revision, startup_probes, turned
from bedplate.components.serving.ways_in import Backend, ways_in
from bedplate.components.workload.contract import QUEUE_KEYS
from bedplate.components.workload.identity import name_of

CHART = Chart.of("vllm-stack")

CUT_OFF = 30
"""Kubernetes' own `terminationGracePeriodSeconds`."""


class VllmStackServer(Llm, HelmSection):
    """vLLM by the production-stack chart, which brings a router with prefix and session affinity."""

    kind: Literal["vllm-stack"]
    routing: Literal["roundrobin", "session", "prefixaware"] = "roundrobin"
    """How the router picks a replica."""
    session_key: str | None = Field(default=None, min_length=1)
    """With `routing: session` the request header by which requests belong together, such as `x-user-id`."""

    @property
    def patience(self) -> int:
        """The chart has no such setting, so that pods have what Kubernetes gives: longer answers are cut off."""
        return CUT_OFF


def helm_values(args: Args[VllmStackServer]) -> dict[str, Any]:
    """One model of the chart, in the shape of our own servers."""
    server, facts = args.section, args.facts
    source = loading(server.weights, facts)
    monitor = chart_monitor(facts.monitoring, metricRelabelings=[DROPPED])
    # The empty map is what releases have that are deployed: without it they would be upgraded for nothing.
    labels: dict[str, Any] = {"additionalLabels": {}} if monitor["enabled"] else {}
    scraped = {"serviceMonitor": labels | monitor}
    key = {"secretName": secret_name(server, SERVING_API_KEY), "secretKey": SERVING_API_KEY}
    return {
        "servingEngineSpec": {
            # Not the chart's `nvidia` where the device plugin needs no class (CDI): with it an environment variable
            # would hand out every GPU of the node.
            "runtimeClassName": facts.runtime_class or "",
            **scheduling(facts, server.namespace),
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            **startup_probes(server, server.start_seconds(facts.volumes)),
            **scraped,
            **({"vllmApiKey": key} if server.api_key else {}),
            "modelSpec": [model(server, facts, source)],
        },
        "routerSpec": {**router(server, facts), **scraped},
        "kube-prometheus-stack": {"enabled": False},
        "prometheus-adapter": {"enabled": False},
    }


def router(server: VllmStackServer, facts: Facts) -> dict[str, Any]:
    """The chart's own is `:latest`; each release of the chart pushes one of its version (its helm-release workflow).

    The chart's selector is the same for every release, and its router would answer with another's models: the later one
    on the command line counts. Labels of the engines would do it as well, and would change selectors of Deployments.
    """
    return {
        "tag": f"v{CHART.at(server).version}",
        "imagePullPolicy": "IfNotPresent",
        "routingLogic": server.routing,
        "extraArgs": ["--k8s-label-selector", f"helm-release-name={server.name}"],
        **({"sessionKey": server.session_key} if server.session_key else {}),
        # The chart has no scheduler's name for it, and guards keep such a class from the cluster's own beside another.
        **({} if facts.scheduler.name else priority(facts)),
    }


def priority(facts: Facts) -> dict[str, str]:
    """That of our own servers."""
    return {"priorityClassName": PRIORITY} if PRIORITY in facts.priority_classes else {}


def manifests(server: VllmStackServer, facts: Facts) -> Iterator[dict[str, Any]]:
    """What the chart lacks: a way in, and the router's way to the API server, which tells it the engines' pods."""
    yield router_egress(server)
    yield from ways_in(server, facts, Backend(f"{server.name}-router-service", 80, PORT, HEALTH))


def router_egress(server: VllmStackServer) -> dict[str, Any]:
    """A NetworkPolicy cannot name the API server, whose addresses differ by cloud: its ports, for the router alone."""
    picked = {"app.kubernetes.io/name": "router", "app.kubernetes.io/instance": server.name}
    ports = [{"port": port, "protocol": "TCP"} for port in (443, 6443)]
    spec = {"podSelector": {"matchLabels": picked}, "policyTypes": ["Egress"], "egress": [{"ports": ports}]}
    place = metadata(server) | {"name": f"{server.name}-router"}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": place, "spec": spec}


def scheduling(facts: Facts, team: str) -> dict[str, Any]:
    """By whom the engines are placed, where it is not the cluster's own scheduler."""
    return {"schedulerName": facts.scheduler.name} if facts.scheduler.name and facts.team(team).queue else {}


def queue(facts: Facts, team: str) -> dict[str, Any]:
    """Marks of the engines' Deployment and pods: they wait in the team's queue."""
    key, name = QUEUE_KEYS.get(facts.scheduler.kind), facts.team(team).queue
    if key is None or name is None:
        return {}
    match facts.scheduler.kind:
        case "volcano":
            return {"podAnnotations": {key: name}}
        case "kai":
            return {"labels": {key: name}, "podLabels": {key: name}}
        case _:
            return {"labels": {key: name}}


def model(server: VllmStackServer, facts: Facts, source: Loading) -> dict[str, Any]:
    """The chart's `modelSpec`."""
    part = share(server, facts)
    repository, _, tag = server.image.rpartition(":")
    hub = {"secretName": secret_name(server, HUGGING_FACE_TOKEN), "secretKey": HUGGING_FACE_TOKEN}
    env = {**home(facts), **part.env, **driver_path(server.image, facts), **_cache(source.env), **server.env}
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
        "env": [{"name": name, "value": value} for name, value in env.items()] + held(server.keys),
        "extraVolumes": [dict(volume) for volume in source.volumes],
        "extraVolumeMounts": [dict(mount) for mount in source.mounts],
        "nodeSelectorTerms": [{"matchExpressions": [_in(key, value) for key, value in part.node_selector.items()]}],
        "tolerations": [dict(toleration) for toleration in part.tolerations],
        **({"pdb": {"enabled": True, "maxUnavailable": 1}} if server.most > 1 else {}),
        **({"hf_token": hub} if server.gated else {}),
        **({"serviceAccountName": account} if (account := name_of(server.account) or source.service_account) else {}),
        **priority(facts),
        **keda(server, facts, server.start_seconds(facts.volumes)),
        **_marked(source, queue(facts, server.namespace)),
    }


def _cache(env: Mapping[str, str]) -> dict[str, str]:
    """The chart sets HF_HOME itself, and a name that is there twice is refused by a server-side apply."""
    home = env.get("HF_HOME")
    hub = {"HF_HUB_CACHE": f"{home}/hub"} if home else {}
    return {**{name: value for name, value in env.items() if name != "HF_HOME"}, **hub}


def _marked(source: Loading, queued: dict[str, Any]) -> dict[str, Any]:
    """The marks of the queue, and those that the volume's driver asks of pods."""
    own = {"podAnnotations": dict(source.annotations), "podLabels": dict(source.labels)}
    return queued | {key: marks | queued.get(key, {}) for key, marks in own.items() if marks}


def _config(server: VllmStackServer) -> dict[str, Any]:
    served = ["--served-model-name", server.served_model_name or server.name, *revision(server), *turned(server)]
    return {
        "enablePrefixCaching": True,
        "maxModelLen": server.longest,
        "tensorParallelSize": server.tensor_parallel,
        "gpuMemoryUtilization": server.gpu_memory_utilization,
        "extraArgs": [*served, *([TRUST] if server.trust_remote_code else []), *server.extra_args],
    }


def spoken(server: VllmStackServer, source: Loading) -> tuple[str, ...]:
    """All words behind `vllm serve` as the chart writes them (0.1.12 templates/deployment-vllm-multi.yaml)."""
    config = _config(server)
    return (
        source.path,
        "--enable-prefix-caching",
        *("--max-model-len", str(config["maxModelLen"])),
        *("--tensor-parallel-size", str(config["tensorParallelSize"])),
        *("--gpu-memory-utilization", str(config["gpuMemoryUtilization"])),
        *config["extraArgs"],
    )


def _in(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": [value]}


def keda(server: VllmStackServer, facts: Facts, startup: int) -> dict[str, Any]:
    """The chart's own ScaledObject, with our triggers."""
    scaling = server.scaling
    if scaling is None:
        return {}
    base = f"{server.name}-{server.name}"
    whose = Source(server.namespace, f"{base}-engine-service", f"{base}-deployment-vllm-[a-z0-9]+-[a-z0-9]{{5}}")
    return {
        "keda": {
            "enabled": True,
            "minReplicaCount": server.replicas,
            "maxReplicaCount": server.most,
            **cooldown(server, startup),
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behaviour(scaling, startup)}},
            "triggers": list(triggers(server, facts, whose)),
        }
    }
