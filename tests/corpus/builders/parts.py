"""What good manifests are made of: containers and pods as public examples shape them, each right where it runs."""

from collections.abc import Mapping
from typing import Any

Doc = dict[str, Any]
SHM_PATH = "/dev/shm"  # noqa: S108 (a mount point in pods)

FABRICS: Mapping[str, Doc] = {
    "none": {},
    "efa": {"limits": {"vpc.amazonaws.com/efa": 16, "hugepages-2Mi": "5120Mi"}},
    "shared": {"limits": {"rdma/fabric": 1}, "container": {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}},
    "unlocked": {"limits": {"rdma/ib": 1}},
    "host": {
        "container": {"securityContext": {"privileged": True}},
        "pod": {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"},
        "env": {"NCCL_IB_HCA": "mlx5", "NCCL_SOCKET_IFNAME": "ens300"},
    },
    "gke": {
        "annotations": {"networking.gke.io/default-interface": "eth0", "networking.gke.io/interfaces": "[]"},
        "env": {"NCCL_IB_DISABLE": "1"},
    },
}
"""How a pod gets at the network of a platform: EKS lifts memlock, so that its pods add no capability."""

SHARED_MEMORY: Mapping[str, Doc | None] = {
    "memory": {"emptyDir": {"medium": "Memory", "sizeLimit": "32Gi"}},
    "host": {"hostPath": {"path": SHM_PATH}},
    "disk": {"emptyDir": {}},
    "none": None,
}
"""What is at /dev/shm: nothing is enough for ranks that talk over NVLink."""


def manifest(api: str, kind: str, name: str, place: str = "", **more: Any) -> Doc:
    metadata: Doc = {"name": name}
    if place:
        metadata["namespace"] = place
    for key in ("labels", "annotations"):
        if key in more:
            metadata[key] = more.pop(key)
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def variables(values: Mapping[str, str]) -> list[Doc]:
    return [{"name": name, "value": value} for name, value in values.items()]


def container(name: str, command: list[str], gpus: int = 0, fabric: str = "none", **more: Any) -> Doc:
    """A container on a fabric with so many GPUs."""
    shape = FABRICS[fabric]
    gpu = {"nvidia.com/gpu": gpus} if gpus else {}
    limits = {"cpu": "16", "memory": "64Gi", **gpu, **shape.get("limits", {})}
    return {
        "name": name,
        "image": "registry.example/train:1.4",
        "command": command,
        "env": variables({"NCCL_DEBUG": "WARN", **shape.get("env", {}), **more.pop("env", {})}),
        "resources": {"requests": dict(limits), "limits": limits},
        **shape.get("container", {}),
        **more,
    }


def pod(main: Doc, shm: str = "memory", fabric: str = "none", **more: Any) -> Doc:
    """A pod template around one container, with its shared memory."""
    source = SHARED_MEMORY[shm]
    volumes: list[Doc] = more.pop("volumes", [])
    if source is not None:
        main = {**main, "volumeMounts": [*main.get("volumeMounts", []), {"name": "dshm", "mountPath": SHM_PATH}]}
        volumes = [*volumes, {"name": "dshm", **source}]
    shape = FABRICS[fabric]
    metadata = {"annotations": dict(shape["annotations"])} if "annotations" in shape else {}
    spec = {"containers": [main], "restartPolicy": "Never", **shape.get("pod", {}), **more}
    return {"metadata": metadata, "spec": {**spec, "volumes": volumes} if volumes else spec}
