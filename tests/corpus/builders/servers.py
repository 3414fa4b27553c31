"""Model servers that start: every kind that serves, with probes that fit the model, and the names that do no harm."""

from collections.abc import Iterator
from typing import Any

from tests.corpus.builders.jobs import Named
from tests.corpus.builders.parts import Doc, container, manifest, pod

HEALTH = {"httpGet": {"path": "/health", "port": 8000}}
PROBES: dict[str, Doc] = {
    "none": {},
    "ready": {"readinessProbe": HEALTH},
    "startup": {
        "startupProbe": {**HEALTH, "failureThreshold": 90, "periodSeconds": 10},
        "livenessProbe": HEALTH,
        "readinessProbe": HEALTH,
    },
    "patient": {"livenessProbe": {**HEALTH, "initialDelaySeconds": 240, "periodSeconds": 10}, "readinessProbe": HEALTH},
}
SIZES = ((1, "org/small-7b"), (2, "org/medium-27b"), (8, "org/large-70b-fp8"))


def server(gpus: int, model: str, probes: str, **more: Any) -> Doc:
    command = ["vllm", "serve", model, "--served-model-name", "chat", "--tensor-parallel-size", str(gpus)]
    return {**container("server", command, gpus), "ports": [{"containerPort": 8000}], **PROBES[probes], **more}


def deployment(name: str, template: Doc, replicas: int = 1) -> Doc:
    labels = {"app": name}
    spec = {key: value for key, value in template["spec"].items() if key != "restartPolicy"}
    whole = {"metadata": {**template["metadata"], "labels": labels}, "spec": spec}
    return manifest(
        "apps/v1",
        "Deployment",
        name,
        "serve",
        spec={"replicas": replicas, "selector": {"matchLabels": labels}, "template": whole},
    )


def service(name: str) -> Doc:
    return manifest(
        "v1", "Service", name, "serve", spec={"selector": {"app": "chat"}, "ports": [{"port": 80, "targetPort": 8000}]}
    )


def _plain() -> Iterator[Named]:
    for gpus, model in SIZES:
        for probes in PROBES:
            template = pod(server(gpus, model, probes))
            yield f"server-{gpus}-{probes}", [deployment("chat", template), service("chat")]
            yield f"pod-{gpus}-{probes}", [manifest("v1", "Pod", "chat", "serve", spec=template["spec"])]
    for name in ("vllm-service", "vllm-server", "vllm-openai", "vllm-leader", "vllm-router", "my-vllm"):
        yield f"a Service called {name}", [deployment("chat", pod(server(1, "org/small", "ready"))), service(name)]
    unlinked = pod(server(1, "org/small", "ready"), enableServiceLinks=False)
    yield "a Service called vllm, without links", [deployment("chat", unlinked), service("vllm")]
    own = server(1, "org/small", "ready", env=[{"name": "VLLM_PORT", "value": "9000"}])
    yield "a Service called vllm, and the port set", [deployment("chat", pod(own)), service("vllm")]
    spare = server(1, "org/omni", "ready")
    for part in spare["resources"].values():
        part["nvidia.com/gpu"] = 2
    yield "a GPU for another stage", [deployment("chat", pod(spare))]
    for options in (
        ["--data-parallel-size", "16", "--data-parallel-size-local", "1", "--headless"],
        ["--distributed-executor-backend", "ray", "-tp", "16"],
    ):
        far = {**server(1, "org/large", "none"), "command": ["vllm", "serve", "org/large", *options]}
        yield f"ranks in other pods by {options[0]}", [deployment("chat", pod(far))]


def _operators() -> Iterator[Named]:
    """Kinds whose operator adds what the manifest does not say."""
    limits = {"resources": {"limits": {"nvidia.com/gpu": "4"}}}
    for gpus in (1, 4, 8):
        args = [f"--tensor-parallel-size={gpus}", "--max-model-len=4096"]
        model = {
            "modelFormat": {"name": "huggingface"},
            "args": args,
            "storageUri": "hf://org/chat",
            "resources": {"limits": {"nvidia.com/gpu": gpus}},
        }
        yield (
            f"InferenceService-{gpus}",
            [
                manifest(
                    "serving.kserve.io/v1beta1",
                    "InferenceService",
                    "chat",
                    "serve",
                    spec={"predictor": {"model": model}},
                )
            ],
        )
        own = {"predictor": {"containers": [server(gpus, "org/chat-70b", "none", name="kserve-container")]}}
        yield (
            f"InferenceService-own-{gpus}",
            [manifest("serving.kserve.io/v1beta1", "InferenceService", "own", "serve", spec=own)],
        )
        runtime = {
            "containers": [server(gpus, "/mnt/models", "patient", name="kserve-container")],
            "supportedModelFormats": [{"name": "vllm"}],
        }
        yield (
            f"ClusterServingRuntime-{gpus}",
            [manifest("serving.kserve.io/v1alpha1", "ClusterServingRuntime", "runtime", spec=runtime)],
        )
        llm = {"model": {"uri": "hf://org/chat"}, "template": {"containers": [{"name": "main", **limits}]}}
        yield (
            f"LLMInferenceService-{gpus}",
            [manifest("serving.kserve.io/v1alpha1", "LLMInferenceService", f"llm{gpus}", "serve", spec=llm)],
        )
        nim = {
            "image": {"repository": "registry.example/nim", "tag": "1.3"},
            "replicas": 1,
            "resources": {"limits": {"nvidia.com/gpu": gpus}},
        }
        yield f"NIMService-{gpus}", [manifest("apps.nvidia.com/v1alpha1", "NIMService", "nim", "serve", spec=nim)]
        worker = {
            "replicas": 2,
            "resources": {"limits": {"gpu": str(gpus)}},
            "extraPodSpec": {
                "mainContainer": {
                    "image": "registry.example/dynamo:1",
                    "command": ["python3", "-m", "dynamo.vllm"],
                    "args": ["--model", "org/chat"],
                }
            },
        }
        yield (
            f"DynamoGraphDeployment-{gpus}",
            [
                manifest(
                    "nvidia.com/v1alpha1",
                    "DynamoGraphDeployment",
                    "graph",
                    "serve",
                    spec={"services": {"Worker": worker}},
                )
            ],
        )
        clique = {
            "name": "decode",
            "spec": {"replicas": 2, "podSpec": {"containers": [server(gpus, "org/chat", "none")]}},
        }
        yield (
            f"PodCliqueSet-{gpus}",
            [
                manifest(
                    "grove.io/v1alpha1",
                    "PodCliqueSet",
                    "cliques",
                    "serve",
                    spec={"replicas": 1, "template": {"cliques": [clique]}},
                )
            ],
        )
        head = {"rayStartParams": {}, "template": pod(container("ray-head", ["ray"]), "none")}
        group = {"groupName": "gpus", "replicas": 1, "template": pod(container("llm", ["ray"], gpus), "none")}
        cluster = {"headGroupSpec": head, "workerGroupSpecs": [group]}
        yield (
            f"RayService-{gpus}",
            [manifest("ray.io/v1", "RayService", "llm", "serve", spec={"rayClusterConfig": cluster})],
        )
    knative = manifest(
        "serving.knative.dev/v1",
        "Service",
        "vllm",
        "serve",
        spec={"template": {"spec": {"containers": [server(1, "org/small", "ready")]}}},
    )
    yield "a Knative service called vllm", [knative, deployment("chat", pod(server(1, "org/small", "ready")))]


def _patches() -> Iterator[Named]:
    """Of somebody's base, which says the rest: a patch names no image."""
    for gpus in (2, 4, 8):
        for more in (
            {},
            {"env": [{"name": "TENSOR_PARALLEL_SIZE", "value": str(gpus)}]},
            {"args": [f"--tensor-parallel-size={gpus}"]},
        ):
            patch = {"name": "server", "resources": {"limits": {"nvidia.com/gpu": gpus}}, **more}
            template = {"spec": {"containers": [patch]}}
            kind = manifest("apps/v1", "Deployment", "chat", "serve", spec={"template": template})
            yield f"patch-{gpus}-{next(iter(more), 'size')}", [kind]


def _scalers() -> Iterator[Named]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat"}
    for name in ("vllm:num_requests_waiting", "vllm:kv_cache_usage_perc", "vllm:num_requests_running"):
        metric = {
            "metric": {"name": f"prometheus.googleapis.com|{name}|gauge"},
            "target": {"type": "AverageValue", "averageValue": 5},
        }
        spec = {"maxReplicas": 4, "scaleTargetRef": target, "metrics": [{"type": "Pods", "pods": metric}]}
        yield f"Stackdriver {name}", [manifest("autoscaling/v2", "HorizontalPodAutoscaler", "chat", "serve", spec=spec)]
        external = {"maxReplicas": 4, "scaleTargetRef": target, "metrics": [{"type": "External", "external": metric}]}
        yield (
            f"external {name}",
            [manifest("autoscaling/v2", "HorizontalPodAutoscaler", "chat", "serve", spec=external)],
        )
        trigger = {
            "type": "prometheus",
            "metadata": {"serverAddress": "http://prometheus:9090", "query": f"sum({name})", "threshold": "5"},
        }
        keda = {"scaleTargetRef": {"name": "chat"}, "maxReplicaCount": 4, "triggers": [trigger]}
        yield f"KEDA {name}", [manifest("keda.sh/v1alpha1", "ScaledObject", "chat", "serve", spec=keda)]


def _volumes() -> Iterator[Named]:
    for name in ("nfs-client", "efs-sc", "filestore-rwx", "lustre", "juicefs"):
        claim = manifest(
            "v1",
            "PersistentVolumeClaim",
            "models",
            "serve",
            spec={"accessModes": ["ReadWriteOnce"], "storageClassName": name},
        )
        mounts = server(1, "/models/chat", "ready", volumeMounts=[{"name": "models", "mountPath": "/models"}])
        template = pod(mounts, volumes=[{"name": "models", "persistentVolumeClaim": {"claimName": "models"}}])
        yield f"a file system claimed once: {name}", [claim, deployment("chat", template, replicas=2)]


def manifests() -> Iterator[Named]:
    """All of them, each with its name."""
    for make in (_plain, _operators, _patches, _scalers, _volumes):
        yield from make()
