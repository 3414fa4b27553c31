"""Plain Kubernetes objects for tests, as small as they can be."""

from typing import Any

GPU_TAINT = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
"""That of GPU nodes: of every taint none but the platform's own pods tolerates."""


def namespace(name: str, pod_security: str = "privileged") -> dict[str, Any]:
    labels = {"pod-security.kubernetes.io/enforce": pod_security}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod_spec(gpus: int = 0, **more: Any) -> dict[str, Any]:
    limits = {"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {}
    return {
        "restartPolicy": "Never",
        "tolerations": GPU_TAINT,
        "containers": [{"name": "main", "image": "any", "resources": limits}],
        **more,
    }


def pod(home: str, name: str, gpus: int = 0, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": home}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(gpus, **more)}


def claim(name: str, home: str, **spec: Any) -> dict[str, Any]:
    wanted = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1200Gi"}}, **spec}
    metadata = {"name": name, "namespace": home}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": wanted}


def job(home: str, name: str, pods: int, gpus: int = 0, runs_for: str = "1s", **more: Any) -> dict[str, Any]:
    template = {
        "metadata": {"annotations": {"lab.bedplate/runs-for": runs_for}, "labels": {"job": name}},
        "spec": pod_spec(gpus, **more),
    }
    spec = {"parallelism": pods, "completions": pods, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": home}, "spec": spec}
