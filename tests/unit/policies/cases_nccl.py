"""NCCL-3xx."""

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

WORKER = "job spec pytorchReplicaSpecs Worker template"
CONTAINER = f"{WORKER} spec containers 0"
NETWORKS = "k8s.v1.cni.cncf.io/networks"
EFA = "vpc.amazonaws.com/efa"
JOB = {"job": v.pytorch_job()}


def env(**variables: str) -> list[v.Doc]:
    return [{"name": name, "value": value} for name, value in variables.items()]


def pod(container: v.Doc, **more: object) -> v.Doc:
    return v.manifest("v1", "Pod", "x", "team", spec={**v.pod_spec(container), **more})


G4 = {
    "name": "g4",
    "nodes": 2,
    "gpusPerNode": 8,
    "gpuProduct": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
    "labels": {"pool": "g4"},
}


def on_efa(gpus: int = 8, efa: int = 32, pages: str = "hugepages-2Mi") -> v.Doc:
    return pod(v.container(resources={"limits": {"nvidia.com/gpu": gpus, EFA: efa, pages: "5120Mi"}}))


def on(device: str, image: str) -> v.Doc:
    return pod({**v.container(resources={"limits": {"nvidia.com/gpu": 8, device: 1}}), "image": image})


PART = "job spec template spec containers 0 resources"


def part(resource: str, cpu: str) -> v.Doc:
    """A job that asks for a slice or a share of a GPU."""
    job = v.indexed_job()
    job["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": cpu, resource: 1}}
    return job


CASES = [
    case(
        "NCCL-318",
        {"pod": on("rdma/rdma_shared_device_a", "nvcr.io/nvidia/pytorch:25.06-py3")},
        ("pod spec containers 0 image", "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", "carries no libibverbs. NCCL"),
        ("pod spec containers 0 image", "docker.io/rayproject/ray:2.48.0-gpu", "ray:2.48.0-gpu carries no libibverbs"),
    ),
    case("NCCL-318", {"pod": on("rdma/rdma_shared_device_a", "vllm/vllm-openai:v0.12.0")}),
    case("NCCL-318", {"pod": on("nvidia.com/gpu", "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime")}),
    case(
        "NCCL-318",
        {"pod": on(EFA, "763104351884.dkr.ecr.us-east-2.amazonaws.com/pytorch-training:2.8.0-gpu")},
        ("pod spec containers 0 image", "vllm/vllm-openai:v0.12.0", "vllm-openai:v0.12.0 carries no aws-ofi-nccl"),
        ("pod spec containers 0 image", "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", "carries no aws-ofi-nccl"),
        (
            "pod spec containers 0 image",
            "ghcr.io/coreweave/nccl-tests:12.9.1",
            "nccl-tests:12.9.1 carries no aws-ofi-nccl",
        ),
    ),
    case(
        "NCCL-301",
        JOB,
        (f"{CONTAINER} env", env(NCCL_ALGO="Ring"), "NCCL_ALGO is Ring. Pinned algorithms switch NVLS off", "advisory"),
        (f"{CONTAINER} env", env(NCCL_PROTO="LL,LL128"), "NCCL_PROTO is LL,LL128", "advisory"),
        (f"{CONTAINER} env", env(NCCL_PROTO="^LL128"), "NCCL_PROTO is ^LL128", "advisory"),
        (f"{CONTAINER} env", env(NCCL_PROTO="Simple"), "NCCL_PROTO is Simple", "advisory"),
        (f"{CONTAINER} env", env(NCCL_P2P_DISABLE="0"), "NCCL_P2P_DISABLE is 0", "advisory"),
        (f"{CONTAINER} env 0", {"name": "NCCL_P2P_DISABLE", "value": "1"}, "NCCL_P2P_DISABLE is 1", "advisory"),
        (
            f"{CONTAINER} command",
            ["bash", "-c", "export NCCL_BUFFSIZE=8388608 && torchrun a.py"],
            "NCCL_BUFFSIZE is 8388608",
        ),
    ),
    case(
        "NCCL-301",
        {
            "facts": {"platform": "gke", "pools": [G4]},
            "pod": pod(v.container(env=env(NCCL_P2P_LEVEL="SYS")), nodeSelector={"pool": "g4"}),
        },
        ("facts platform", "eks", "NCCL_P2P_LEVEL is SYS"),
        ("facts pools", [], "NCCL_P2P_LEVEL is SYS"),
        ("facts pools 0 gpuProduct", "NVIDIA-H100-80GB-HBM3", "NCCL_P2P_LEVEL is SYS"),
        ("facts pools 0 gpuProduct", "Of-Somebody", "NCCL_P2P_LEVEL is SYS"),
        ("pod spec containers 0 env", env(NCCL_P2P_LEVEL="PHB"), "NCCL_P2P_LEVEL is PHB"),
        ("pod spec containers 0 env", env(NCCL_ALGO="SYS"), "NCCL_ALGO is SYS"),
    ),
    case(
        "NCCL-301",
        {
            "tuned": v.manifest(
                "v1",
                "Pod",
                "x",
                annotations={"bedplate.dev/nccl-tuned": "switch firmware 3.2"},
                spec={"containers": [{"env": env(NCCL_ALGO="Ring")}]},
            ),
        },
        ("tuned metadata annotations", {}, "NCCL_ALGO is Ring"),
        ("tuned metadata", {"name": "nccl-test", "labels": {"team": "benchmarking"}}, "NCCL_ALGO is Ring"),
    ),
    case(
        "NCCL-302",
        {**JOB, "facts": {"platform": "kubeadm"}},
        (f"{CONTAINER} env", env(NCCL_IB_GID_INDEX="3"), "NCCL_IB_GID_INDEX is 3. NCCL picks it since 2.21"),
    ),
    case(
        "NCCL-302",
        {
            "facts": {"platform": "oke"},
            "pod": pod(v.container(env=env(NCCL_IB_GID_INDEX="3"), fabric="nvidia.com/rdma-vf")),
        },
        ("facts fabric", "infiniband", "NCCL_IB_GID_INDEX is 3 on InfiniBand"),
    ),
    case(
        "NCCL-302",
        {"facts": {"platform": "oke"}, "pod": pod(v.container(env=env(NCCL_IB_GID_INDEX="3")), hostNetwork=True)},
        ("facts platform", "kubeadm", "NCCL_IB_GID_INDEX is 3. NCCL picks it"),
        ("facts fabric", "infiniband", "on InfiniBand"),
    ),
    case(
        "NCCL-302",
        {"facts": {"platform": "oke"}, "pod": pod(v.container(env=env(NCCL_IB_GID_INDEX="3")))},
        ("facts fabric", "infiniband", "on InfiniBand"),
    ),
    case(
        "NCCL-303",
        {"pod": pod(v.container(env=env(NCCL_NET_GDR_LEVEL="SYS")))},
        ("pod spec containers 0 env 0 value", "5", "NCCL_NET_GDR_LEVEL is 5. The old numbers"),
    ),
    case(
        "NCCL-304",
        {
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "template": {
                            "metadata": {"annotations": {NETWORKS: "rail0@rail0"}},
                            "spec": {
                                "containers": [{"env": env(GLOO_SOCKET_IFNAME="eth0", NCCL_SOCKET_IFNAME="^lo,net1")}]
                            },
                        }
                    }
                }
            )
        },
        (f"{CONTAINER} env 1 value", "net1", "NCCL_SOCKET_IFNAME is net1, which no network of the pod makes"),
        (f"{CONTAINER} env 0 value", "=ib0", "GLOO_SOCKET_IFNAME is ib0, which no network"),
        (f"{CONTAINER} env 1 value", "rail0", "NCCL_SOCKET_IFNAME is rail0, a secondary network"),
    ),
    case(
        "NCCL-304",
        {"pod": pod(v.container(env=env(NCCL_SOCKET_IFNAME="ib0")), hostNetwork=True)},
        ("pod spec hostNetwork", GONE, "NCCL_SOCKET_IFNAME is ib0"),
    ),
    case(
        "NCCL-304",
        {
            "job": v.train_job(env=env(NCCL_SOCKET_IFNAME="net1")),
            "pod": pod(v.container(env=env(GLOO_SOCKET_IFNAME="eth0"))),
        },
        ("pod spec containers 0 env 0 value", "net1", "GLOO_SOCKET_IFNAME is net1"),
    ),
    case(
        "NCCL-305",
        JOB,
        (f"{CONTAINER} env", [], "Worker does not set NCCL_SOCKET_IFNAME"),
        (f"{CONTAINER} env 0 value", "^lo,docker0", "Worker sets NCCL_SOCKET_IFNAME to the exclude list ^lo,docker0"),
    ),
    case(
        "NCCL-305",
        {
            "job": v.pytorch_job(
                pytorchReplicaSpecs={"Worker": {"replicas": 1, "template": v.template(v.pod_spec(v.container(env=[])))}}
            )
        },
        ("job spec pytorchReplicaSpecs Worker replicas", 2, "does not set NCCL_SOCKET_IFNAME"),
    ),
    case(
        "NCCL-305",
        {
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {"containers": [{"env": [], "resources": {"limits": {"nvidia.com/gpu": 8}}}]}
                        ),
                    }
                }
            )
        },
        (f"{CONTAINER} resources limits rdma/a", 1, "does not set NCCL_SOCKET_IFNAME"),
    ),
    case(
        "NCCL-306",
        {"facts": {"extraHcas": ["mlx5_9"]}, "pod": pod(v.container(env=env(NCCL_IB_HCA="=mlx5_0,mlx5_1")))},
        ("pod spec containers 0 env 0 value", "mlx5", "NCCL_IB_HCA is mlx5 and nodes also have mlx5_9"),
        ("pod spec containers 0 env 0 value", "mlx5_0,mlx5_1", "NCCL_IB_HCA is mlx5_0,mlx5_1"),
    ),
    case(
        "NCCL-306",
        {"facts": {"exposure": "shared"}, "pod": pod(v.container(env=env(NCCL_IB_HCA="mlx5")))},
        ("facts extraHcas", ["mlx5_9"], "NCCL_IB_HCA is mlx5"),
    ),
    case(
        "NCCL-306",
        {"facts": {"exposure": "sriov", "extraHcas": ["mlx5_9"]}, "pod": pod(v.container(env=env(NCCL_IB_HCA="mlx5")))},
        ("facts", {"exposure": "exclusive", "extraHcas": ["mlx5_9"]}, "NCCL_IB_HCA is mlx5"),
    ),
    case(
        "NCCL-307",
        {"facts": {"fabric": "efa"}, "pod": pod(v.container(env=env(FI_LOG_LEVEL="warn")))},
        ("pod spec containers 0 env", env(NCCL_IB_TC="41"), "NCCL_IB_TC is set on efa"),
        ("pod spec containers 0 env", env(RDMAV_FORK_SAFE="1"), "RDMAV_FORK_SAFE is set on efa"),
        ("facts fabric", "roce", "FI_LOG_LEVEL is set on roce"),
    ),
    case(
        "NCCL-308",
        {"pod": pod(v.container(env=env(NCCL_IB_DISABLE="0", NCCL_NET="IB")))},
        ("pod spec containers 0 env 0 value", "1", "NCCL_IB_DISABLE is 1. All traffic goes over TCP"),
        ("pod spec containers 0 env 1 value", "Socket", "NCCL_NET is Socket"),
    ),
    case(
        "NCCL-308",
        {
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                "team",
                annotations={"networking.gke.io/interfaces": "[]"},
                spec=v.pod_spec(v.server(env=env(NCCL_IB_DISABLE="1"))),
            )
        },
        ("pod spec containers 0 resources limits rdma/a", 1, "NCCL_IB_DISABLE is 1"),
        ("pod spec containers 0 env", env(NCCL_NET="Socket"), "NCCL_NET is Socket"),
    ),
    case(
        "NCCL-309",
        {"pod": pod(v.container(env=env(NCCL_DEBUG="WARN")))},
        ("pod spec containers 0 env 0 value", "INFO", "NCCL_DEBUG is INFO. Every rank writes"),
        ("pod spec containers 0 env", env(NCCL_DEBUG_SUBSYS="ALL"), "NCCL_DEBUG_SUBSYS is ALL"),
    ),
    case(
        "NCCL-309",
        {"pod": v.manifest("v1", "Pod", "x-verify", spec={"containers": [{"env": env(NCCL_DEBUG="INFO")}]})},
        ("pod metadata name", "train", "NCCL_DEBUG is INFO"),
    ),
    case(
        "NCCL-310",
        JOB,
        (
            f"{WORKER} spec volumes",
            [dict(v.CHECKPOINTS)],
            "Worker container pytorch has 8 GPUs and no volume",
            "advisory",
        ),
        (f"{CONTAINER} volumeMounts 0 mountPath", "/shm", "no volume at /dev/shm"),
        (
            f"{CONTAINER}",
            {"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}},
            "container a has 1 GPUs",
            "advisory",
        ),
    ),
    case(
        "NCCL-310",
        {"pod": v.manifest("v1", "Pod", "x", spec={"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]})},
        ("pod spec containers 0 resources limits nvidia.com/gpu", 2, "has 2 GPUs and no volume", "advisory"),
    ),
    case(
        "NCCL-310",
        {
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                spec={"hostIPC": True, "containers": [{"resources": {"limits": {"nvidia.com/gpu": 2}}}]},
            )
        },
        ("pod spec hostIPC", False, "no volume"),
    ),
    case(
        "NCCL-311",
        JOB,
        (f"{WORKER} spec volumes 0 emptyDir sizeLimit", GONE, "container pytorch: /dev/shm has no sizeLimit"),
        (
            f"{WORKER} spec volumes 0 emptyDir sizeLimit",
            "300Gi",
            ": /dev/shm is 300Gi of a memory limit of 512Gi",
            "advisory",
        ),
        (
            f"{WORKER} spec volumes 0 emptyDir sizeLimit",
            "512Gi",
            ": /dev/shm is 512Gi of a memory limit of 512Gi",
            "advisory",
        ),
    ),
    case(
        "NCCL-312",
        JOB,
        (f"{CONTAINER} resources limits memory", "600Gi", "memory request 512Gi and limit 600Gi"),
        (
            f"{WORKER} spec initContainers",
            [{"name": "wait", "resources": {"limits": {"memory": "2Gi"}, "requests": {"memory": "1Gi"}}}],
            "container wait has memory request 1Gi and limit 2Gi",
        ),
        (
            f"{CONTAINER} resources",
            {"limits": {"cpu": "16", "memory": "1Gi", "nvidia.com/gpu": 8}},
            "Worker has 16 cores for 8 GPUs",
        ),
    ),
    case(
        "NCCL-312",
        {"job": part("nvidia.com/mig-1g.5gb", "3")},
        (PART, {"limits": {"cpu": "3", "nvidia.com/gpu": 1}}, "pod has 3 cores for 1 GPUs"),
    ),
    case(
        "NCCL-312",
        {
            "facts": {"pools": [v.pool(timeSlicing=4), v.pool(name="other", timeSlicing=2)]},
            "job": part("nvidia.com/gpu", "1"),
        },
        ("facts pools 0 timeSlicing", 1, "pod has 1 cores for 1 GPUs"),
        ("facts pools", [], "pod has 1 cores for 1 GPUs"),
    ),
    case(
        "NCCL-312",
        {"server": v.deployment(), "job": v.train_job(resourcesPerNode={"limits": {"nvidia.com/gpu": 8}})},
        ("server spec template spec containers 0 resources requests memory", "1Gi", "request 1Gi and limit 256Gi"),
    ),
    case(
        "NCCL-313",
        {**JOB, "facts": {"fabric": "infiniband"}},
        (
            f"{CONTAINER} resources",
            {"limits": {"nvidia.com/gpu": 8}},
            "Worker of a job over 2 nodes requests no fabric device",
        ),
    ),
    case(
        "NCCL-313",
        {
            "facts": {"fabric": "none"},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template({"containers": [{"resources": {"limits": {"nvidia.com/gpu": 8}}}]}),
                    }
                }
            ),
        },
        ("facts fabric", "roce", "requests no fabric device"),
    ),
    case(
        "NCCL-313",
        {
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {"containers": [{"env": env(X="1"), "resources": {"limits": {"nvidia.com/gpu": 8}}}]}
                        ),
                    }
                }
            ),
        },
        (f"{CONTAINER} env", env(NCCL_IB_HCA="mlx5"), "requests no fabric device"),
        (f"{WORKER} metadata annotations {NETWORKS}", "roce", "requests no fabric device"),
    ),
    case(
        "NCCL-313",
        {
            "facts": {"fabric": "roce"},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {
                                "hostNetwork": True,
                                "volumes": [{"hostPath": {"path": "/dev/infiniband"}}],
                                "containers": [
                                    {
                                        "securityContext": {"privileged": True},
                                        "resources": {"limits": {"nvidia.com/gpu": 8}},
                                    }
                                ],
                            }
                        ),
                    }
                }
            ),
        },
        (f"{WORKER} spec hostNetwork", False, "requests no fabric device"),
        (f"{CONTAINER} securityContext privileged", False, "requests no fabric device"),
    ),
    case(
        "NCCL-313",
        {
            "facts": {"fabric": "efa"},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {
                                "resourceClaims": [{"name": "efa"}],
                                "containers": [{"resources": {"limits": {"nvidia.com/gpu": 8}}}],
                            }
                        ),
                    }
                }
            ),
        },
        (f"{WORKER} spec resourceClaims", GONE, "requests no fabric device"),
    ),
    case(
        "NCCL-314",
        {"facts": {"pools": [v.pool(efaPerNode=32, shape="p5.48xlarge")]}, "pod": on_efa()},
        (f"pod spec containers 0 resources limits {EFA}", 4, "requests 4 EFA devices with 8 GPUs; p5.48xlarge has 32"),
        (f"pod spec containers 0 resources limits {EFA}", 64, "requests 64 EFA devices", "mandatory"),
        ("pod spec containers 0 resources limits nvidia.com/gpu", 4, "p5.48xlarge has 16 for them", "advisory"),
    ),
    case(
        "NCCL-314",
        {"facts": {"pools": [v.pool(efaPerNode=32)]}, "pod": on_efa(gpus=2, efa=4)},
        (f"pod spec containers 0 resources limits {EFA}", 16, "Request 8"),
    ),
    case(
        "NCCL-315",
        {"pod": on_efa()},
        ("pod spec containers 0 env", env(FI_PROVIDER="efa"), "FI_PROVIDER is set on EFA"),
        ("pod spec containers 0 resources limits hugepages-2Mi", GONE, f"requests {EFA} without hugepages-2Mi"),
    ),
    case(
        "NCCL-315",
        {"pod": pod(v.container(env=env(FI_PROVIDER="efa", NCCL_DEBUG="INFO")))},
        (f"pod spec containers 0 resources limits {EFA}", 1, "FI_PROVIDER is set on EFA"),
    ),
    case(
        "NCCL-316",
        {
            "facts": {"pools": [v.pool()]},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {"containers": [v.container(args=["--tensor-model-parallel-size", "8"])]}
                        ),
                    }
                }
            ),
        },
        (
            f"{CONTAINER} resources",
            {"limits": {"nvidia.com/gpu": 4}},
            "Worker takes 4 of a node's 8 GPUs. A part of a node",
        ),
    ),
    case(
        "NCCL-316",
        {
            "facts": {"pools": [v.pool()]},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {"containers": [{"args": ["a"], "resources": {"limits": {"nvidia.com/gpu": 4}}}]}
                        ),
                    }
                }
            ),
        },
        (f"{CONTAINER} args", ["--pipeline-parallel-size=2"], "takes 4 of a node's 8 GPUs"),
    ),
    case(
        "NCCL-317",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-GB200", gpusPerNode=4)]},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {
                                "resourceClaims": [{"name": "domain"}],
                                "containers": [{"resources": {"limits": {"nvidia.com/gpu": 4}}}],
                            }
                        ),
                    }
                }
            ),
            "operator": v.gpu_operator(driver={"enabled": True, "kernelModuleConfig": {"name": "modules"}}),
            "modules": v.manifest(
                "v1", "ConfigMap", "modules", data={"nvidia.conf": "NVreg_GrdmaPciTopoCheckOverride=1"}
            ),
        },
        (f"{WORKER} spec resourceClaims", GONE, "Worker on NVIDIA-GB200 claims no ComputeDomain"),
        ("modules data nvidia.conf", "", "driver.kernelModuleConfig does not set NVreg_GrdmaPciTopoCheckOverride=1"),
        ("operator helmRelease values driver kernelModuleConfig", GONE, "driver.kernelModuleConfig does not set"),
    ),
    case(
        "NCCL-317",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-GB200", gpusPerNode=4)]},
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 1,
                        "template": v.template({"containers": [{"resources": {"limits": {"nvidia.com/gpu": 4}}}]}),
                    }
                }
            ),
        },
        ("job spec pytorchReplicaSpecs Worker replicas", 2, "Worker on NVIDIA-GB200 claims no ComputeDomain"),
    ),
    case(
        "NCCL-317",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-GB200", nodes=1)]},
            "operator": v.gpu_operator(driver={"enabled": True}),
        },
        ("facts pools 0 nodes", 2, "driver.kernelModuleConfig does not set"),
    ),
    case(
        "NCCL-317",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-GB200")]},
            "operator": v.gpu_operator(driver={"enabled": False}),
        },
        ("operator helmRelease values driver enabled", True, "driver.kernelModuleConfig does not set"),
    ),
    case(
        "NCCL-317",
        {"facts": {"pools": [v.pool()]}, "operator": v.gpu_operator(driver={"enabled": True})},
        ("facts pools 0 gpuProduct", "NVIDIA-GB300", "driver.kernelModuleConfig does not set"),
    ),
    case(
        "NCCL-317",
        # GH200 with its 480 GB is no rack.
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-GH200-480GB")]},
            "operator": v.gpu_operator(driver={"enabled": True}),
        },
        ("facts pools 0 gpuProduct", "NVIDIA-GB200", "driver.kernelModuleConfig does not set"),
    ),
    case(
        "NCCL-317",
        # A job of the other pool of a mixed fleet needs no rack's claim.
        {
            "facts": {
                "pools": [
                    v.pool(gpuProduct="NVIDIA-GB200", gpusPerNode=4),
                    v.pool(name="other", labels={"pool": "other"}),
                ]
            },
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "replicas": 2,
                        "template": v.template(
                            {
                                "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
                                "containers": [{"resources": {"limits": {"nvidia.com/gpu": 4}}}],
                            }
                        ),
                    }
                }
            ),
        },
        (f"{WORKER} spec nodeSelector", {"nvidia.com/gpu.product": "NVIDIA-GB200"}, "claims no ComputeDomain"),
    ),
]
