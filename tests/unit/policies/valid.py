"""Resources that are right in every respect: each case breaks one thing."""

import json
from copy import deepcopy
from typing import Any

Doc = dict[str, Any]

FABRIC = "rdma/fabric"
SHM_PATH = "/dev/shm"  # noqa: S108 (a mount point in pods)
SHM = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}}
CHECKPOINTS = {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "checkpoints"}}
QUEUED = {"kueue.x-k8s.io/queue-name": "training"}
STAY = {"karpenter.sh/do-not-disrupt": "true"}
TOLERATED = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def release(chart: str, version: str, namespace: str, **values: Any) -> Doc:
    return {"helmRelease": {"chart": chart, "version": version, "namespace": namespace, "values": values}}


def manifest(api: str, kind: str, name: str, namespace: str = "", **more: Any) -> Doc:
    metadata: Doc = {"name": name} | ({"namespace": namespace} if namespace else {})
    for key in ("labels", "annotations"):
        if key in more:
            metadata[key] = more.pop(key)
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def cloud(kind: str, name: str, *waits_for: str, **props: Any) -> Doc:
    return {"type": kind, "name": name, "props": props, "dependencies": list(waits_for)}


def gpu_operator(**values: Any) -> Doc:
    return release("gpu-operator", "v26.7.0", "gpu-operator", nfd={"enabled": False}, **values)


def network_operator() -> Doc:
    return release("network-operator", "26.4.1", "nvidia-network-operator", nfd={"enabled": False})


def nfd() -> Doc:
    return release("node-feature-discovery", "0.19.0", "nfd", worker={"tolerations": TOLERATED})


def kueue(config: str) -> Doc:
    return release("kueue", "0.19.2", "kueue-system", managerConfig={"controllerManagerConfigYaml": config})


def namespace(name: str, level: str = "privileged") -> Doc:
    return manifest("v1", "Namespace", name, labels={"pod-security.kubernetes.io/enforce": level})


def container(name: str = "pytorch", fabric: str = FABRIC, **more: Any) -> Doc:
    resources = {"cpu": "96", "memory": "512Gi", "nvidia.com/gpu": 8, fabric: 1}
    return {
        "name": name,
        "image": "registry.example/train@sha256:0123",
        "command": ["torchrun", "--nnodes=2", "--nproc_per_node=8", "train.py", "--lr", "1e-4"],
        "env": [{"name": "NCCL_SOCKET_IFNAME", "value": "eth0"}],
        "resources": {"requests": dict(resources), "limits": dict(resources)},
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
        "volumeMounts": [{"name": "shm", "mountPath": SHM_PATH}, {"name": "checkpoints", "mountPath": "/ckpt"}],
        **more,
    }


def pod_spec(*containers: Doc) -> Doc:
    return {
        "containers": list(containers) or [container()],
        "volumes": [deepcopy(SHM), deepcopy(CHECKPOINTS)],
        "tolerations": deepcopy(TOLERATED),
    }


def template(spec: Doc | None = None) -> Doc:
    return {"metadata": {"annotations": dict(STAY)}, "spec": spec or pod_spec()}


def pytorch_job(**more: Any) -> Doc:
    replicas = {"Master": {"replicas": 1, "template": template()}, "Worker": {"replicas": 1, "template": template()}}
    spec = {"runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 3}, "pytorchReplicaSpecs": replicas, **more}
    return manifest("kubeflow.org/v1", "PyTorchJob", "llama", "team", labels=dict(QUEUED), spec=spec)


def mpi_job() -> Doc:
    launcher = {
        "containers": [
            {
                "name": "launcher",
                "image": "registry.example/nccl:1.0",
                "command": ["mpirun", "-np", "16", "-x", "NCCL_SOCKET_IFNAME=eth0", "all_reduce_perf", "-b", "1M"],
                "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
            }
        ]
    }
    worker = pod_spec(container("worker", command=["/usr/sbin/sshd", "-De"]))
    specs = {
        "Launcher": {"replicas": 1, "template": template(launcher)},
        "Worker": {"replicas": 2, "template": template(worker)},
    }
    spec = {"slotsPerWorker": 8, "runPolicy": {"cleanPodPolicy": "Running"}, "mpiReplicaSpecs": specs}
    return manifest("kubeflow.org/v2beta1", "MPIJob", "nccl", "team", labels=dict(QUEUED), spec=spec)


def indexed_job() -> Doc:
    pod = template({**pod_spec(), "subdomain": "ranks", "restartPolicy": "Never"})
    pod["metadata"]["labels"] = {"app": "llama"}
    spec = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimit": 3, "template": pod}
    return manifest("batch/v1", "Job", "llama", "team", labels=dict(QUEUED), spec=spec)


def headless() -> Doc:
    spec = {"clusterIP": "None", "selector": {"app": "llama"}, "publishNotReadyAddresses": True}
    return manifest("v1", "Service", "ranks", "team", spec=spec)


def job_set() -> Doc:
    job = {"completionMode": "Indexed", "parallelism": 2, "completions": 2, "template": template()}
    jobs = [{"name": "node", "replicas": 1, "template": {"spec": job}}]
    spec = {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": jobs}
    return manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "llama", "team", labels=dict(QUEUED), spec=spec)


def train_job(**trainer: Any) -> Doc:
    spec = {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 2, **trainer}}
    return manifest("trainer.kubeflow.org/v1alpha1", "TrainJob", "llama", "team", labels=dict(QUEUED), spec=spec)


def server(gpus: int = 4, **more: Any) -> Doc:
    resources = {"cpu": "32", "memory": "256Gi", "nvidia.com/gpu": gpus}
    return {
        "name": "vllm",
        "image": "vllm/vllm-openai:v0.15.0",
        "args": ["--model", "/models/llama", "--served-model-name", "llama", "--tensor-parallel-size", str(gpus)],
        "ports": [{"containerPort": 8000}],
        "resources": {"requests": dict(resources), "limits": dict(resources)},
        "startupProbe": {"httpGet": {"path": "/health", "port": 8000}, "failureThreshold": 120, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/v1/models", "port": 8000}},
        "livenessProbe": {"httpGet": {"path": "/health", "port": 8000}},
        "volumeMounts": [{"name": "shm", "mountPath": SHM_PATH}, {"name": "models", "mountPath": "/models"}],
        **more,
    }


def deployment(**more: Any) -> Doc:
    pod: Doc = {
        "enableServiceLinks": False,
        "containers": [server()],
        "volumes": [deepcopy(SHM), {"name": "models", "persistentVolumeClaim": {"claimName": "models"}}],
        "tolerations": deepcopy(TOLERATED),
    }
    labels = {"app": "vllm"}
    spec = {
        "replicas": 2,
        "strategy": {"rollingUpdate": {"maxSurge": 0}},
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": dict(labels)}, "spec": pod},
        **more,
    }
    return manifest("apps/v1", "Deployment", "vllm", "serve", spec=spec)


def leader_worker_set() -> Doc:
    server_of_group = server(
        8, args=["--model", "llama", "--tensor-parallel-size", "8", "--pipeline-parallel-size", "2"]
    )
    for part in ("requests", "limits"):
        server_of_group["resources"][part][FABRIC] = 1
    server_of_group["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    joins = {**server_of_group, "command": ["ray", "start"], "args": ["--address=leader"]}
    pods = {
        key: {"metadata": {}, "spec": {"enableServiceLinks": False, "containers": [each], "volumes": [deepcopy(SHM)]}}
        for key, each in (("leaderTemplate", server_of_group), ("workerTemplate", joins))
    }
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, **pods}}
    return manifest("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama", "serve", labels=dict(QUEUED), spec=spec)


def claim(name: str, place: str, mode: str = "ReadWriteMany", **spec: Any) -> Doc:
    return manifest(
        "v1", "PersistentVolumeClaim", name, place, spec={"accessModes": [mode], "storageClassName": "lustre", **spec}
    )


def shared_plugin(name: str = "fabric", **selectors: Any) -> Doc:
    config = {"configList": [{"resourceName": name, "rdmaHcaMax": 63, "selectors": selectors or {"vendors": ["15b3"]}}]}
    return {"image": "k8s-rdma-shared-dev-plugin", "config": json.dumps(config)}


def exclusive_plugin(name: str = "hostdev", **selectors: Any) -> Doc:
    config = {
        "resourceList": [
            {"resourcePrefix": "nvidia.com", "resourceName": name, "selectors": selectors or {"vendors": ["15b3"]}}
        ]
    }
    return {"image": "sriov-network-device-plugin", "config": json.dumps(config)}


def nic_policy(**spec: Any) -> Doc:
    return manifest("mellanox.com/v1alpha1", "NicClusterPolicy", "nic-cluster-policy", spec=spec)


def network(name: str, place: str, config: Doc, resource: str = "") -> Doc:
    notes = {"k8s.v1.cni.cncf.io/resourceName": resource} if resource else {}
    spec = {"config": json.dumps({"cniVersion": "0.3.1", **config})}
    return manifest("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", name, place, annotations=notes, spec=spec)


def ip_pool(name: str, subnet: str, block: int = 8) -> Doc:
    spec = {"subnet": subnet, "perNodeBlockSize": block, "gateway": subnet.split("/", maxsplit=1)[0]}
    return manifest("nv-ipam.nvidia.com/v1alpha1", "IPPool", name, "nvidia-network-operator", spec=spec)


def local_queue() -> Doc:
    return manifest("kueue.x-k8s.io/v1beta2", "LocalQueue", "training", "team", spec={"clusterQueue": "gpus"})


def cluster_queue(*resources: str, gpus: int = 16, **spec: Any) -> Doc:
    names = list(resources) or ["cpu", "memory", "nvidia.com/gpu", FABRIC]
    quotas = [{"name": name, "nominalQuota": gpus if name == "nvidia.com/gpu" else 1000} for name in names]
    groups = [{"coveredResources": names, "flavors": [{"name": "h100", "resources": quotas}]}]
    return manifest("kueue.x-k8s.io/v1beta2", "ClusterQueue", "gpus", spec={"resourceGroups": groups, **spec})


def flavor(**spec: Any) -> Doc:
    return manifest("kueue.x-k8s.io/v1beta2", "ResourceFlavor", "h100", spec={"topologyName": "fabric", **spec})


def topology(*labels: str) -> Doc:
    levels = [{"nodeLabel": label} for label in labels or ("kubernetes.io/hostname",)]
    return manifest("kueue.x-k8s.io/v1beta2", "Topology", "fabric", spec={"levels": levels})


def operator(name: str, *args: str) -> Doc:
    pod = {"containers": [{"name": "manager", "image": "registry.example/operator:v1", "args": list(args)}]}
    return manifest("apps/v1", "Deployment", name, "kubeflow", spec={"template": {"spec": pod}})


def pool(**more: Any) -> Doc:
    return {
        "name": "h100",
        "shape": "dgx-h100",
        "nodes": 2,
        "gpusPerNode": 8,
        "gpuProduct": "NVIDIA-H100-80GB-HBM3",
        "gpuMemoryGb": 80,
        "taints": [{"key": "nvidia.com/gpu"}],
        **more,
    }
