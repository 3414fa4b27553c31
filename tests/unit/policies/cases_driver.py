"""GPU-1xx."""

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

OPERATOR = {"operator": v.gpu_operator()}
VALUES = "operator helmRelease values"
MIG_POD = v.manifest(
    "v1",
    "Pod",
    "notebook",
    "team",
    spec={"containers": [{"name": "nb", "resources": {"limits": {"nvidia.com/mig-1g.10gb": 1}}}]},
)
SHARED = "version: v1\nsharing:\n  timeSlicing:\n    renameByDefault: true\n    failRequestsGreaterThanOne: true\n"
MIXED = v.gpu_operator(mig={"strategy": "mixed"}, driver={"version": "595.91.07"})
PEERMEM = v.gpu_operator(driver={"rdma": {"enabled": True, "useHostMofed": True}, "enabled": True})
GRACE = {"name": "grace", "gpusPerNode": 1, "gpuProduct": "NVIDIA-GH200-480GB"}
ON_IB = {"fabric": "infiniband"}
MOFED_OFF = {"name": "MOFED_ENABLED", "value": "false"}
COS = {
    "hostPaths": {"driverInstallDir": "/home/kubernetes/bin/nvidia"},
    "toolkit": {
        "installDir": "/home/kubernetes/bin/nvidia",
        "env": [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}],
    },
}
QUOTA = v.manifest(
    "v1",
    "ResourceQuota",
    "critical",
    "gpu-operator",
    spec={"scopeSelector": {"matchExpressions": [{"values": ["system-node-critical"]}]}},
)
DIRECTORY = v.cloud("kubernetes:kustomize/v2:Directory", "operator", directory="https://github.com/a/b?ref=v1")

REQUIRED = "pod spec affinity nodeAffinity requiredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms 0"

NO_PROMETHEUS = {"existingPrometheus": False}
SCRAPED = {"operator": {"enabled": True, "serviceMonitor": {"enabled": True}}}
"""Of the site's own."""
CASES = [
    case(
        "GPU-101",
        {"operator": v.gpu_operator(driver={"kernelModuleType": "open"}), "nics": v.network_operator()},
        (
            f"{VALUES} driver useOpenKernelModules",
            True,
            "driver.useOpenKernelModules has no effect in gpu-operator v26",
        ),
        (f"{VALUES} driver rdma", {"useHostMOFED": True}, "spell it driver.rdma.useHostMofed"),
        ("operator helmRelease version", "v24.9.2", "driver.kernelModuleType has no effect"),
        ("nics helmRelease values deployCR", True, "create the NicClusterPolicy nic-cluster-policy yourself"),
    ),
    case(
        "GPU-101",
        {"nics": v.release("network-operator", "25.7.0", "net")},
        ("nics helmRelease values", {"sriovDevicePlugin": {"deploy": True}}, "sriovDevicePlugin has no effect"),
    ),
    case(
        "GPU-102",
        {"operator": v.gpu_operator(), "manifests": DIRECTORY, "job": v.pytorch_job()},
        ("operator helmRelease version", GONE, "chart gpu-operator has no version. Two deployments"),
        ("operator helmRelease version", "^26.0.0", "for example v26.7.0"),
        ("manifests props directory", "https://github.com/a/b/overlays", "follows a branch"),
        ("manifests props directory", "https://x.example/master/a.yaml?ref=1", "/master/a.yaml?ref=1 follows"),
        (
            "job spec pytorchReplicaSpecs Worker template spec containers 0 image",
            "train:latest",
            "image train:latest of container pytorch has the tag latest",
        ),
        ("job spec pytorchReplicaSpecs Worker template spec containers 0 image", "reg:5000/train", "has no tag"),
    ),
    case(
        "GPU-102",
        {"web": v.manifest("v1", "Pod", "x", "team", spec={"containers": [{"name": "web", "image": "web:latest"}]})},
        ("web spec containers 0 resources", {"limits": {"nvidia.com/gpu": 1}}, "image web:latest of container web has"),
    ),
    case(
        "GPU-102",
        {"archive": v.release("charts/kueue-0.19.2.tgz", "0.19.2", "kueue-system")},
        ("archive helmRelease", {"chart": "kueue"}, "chart kueue has no version"),
    ),
    case(
        "GPU-103",
        {
            "facts": {"platform": "kubeadm"},
            "nfd": v.nfd(),
            "operator": v.gpu_operator(),
            "nics": v.network_operator(),
        },
        (f"{VALUES} nfd enabled", True, "2 charts bring node feature discovery (node-feature-discovery, gpu-operator)"),
        ("nics helmRelease values nfd", {}, "(node-feature-discovery, network-operator)"),
        ("nfd", GONE, "no chart brings node feature discovery"),
    ),
    case(
        "GPU-103",
        {"facts": {"platform": "rke2", "siteRuns": ["nfd"]}, "operator": v.gpu_operator()},
        (f"{VALUES} nfd enabled", True, "chart gpu-operator brings node feature discovery beside the site's"),
    ),
    case(
        "GPU-103",
        {"facts": {"platform": "openshift"}, "operator": v.gpu_operator()},
        ("facts platform", "kubeadm", "no chart brings"),
    ),
    case(
        "GPU-104",
        {"facts": {"driverOwner": "image"}, "operator": v.gpu_operator(driver={"enabled": False})},
        (f"{VALUES} driver enabled", True, "driver.enabled is true but the node image carries the driver"),
        ("facts driverOwner", "operator", "driver.enabled is false but nothing else brings a driver"),
    ),
    case(
        "GPU-104",
        {
            "operator": v.gpu_operator(driver={"enabled": True}),
            "nodes": v.cloud("aws:eks/nodeGroup:NodeGroup", "gpu", amiType="AL2023_x86_64_STANDARD"),
            "facts": {"platform": "eks"},
        },
        ("nodes props amiType", "AL2023_x86_64_NVIDIA", "node group gpu has the image type AL2023_x86_64_NVIDIA"),
        ("nodes props amiType", "AL2_x86_64_GPU", "Set driver.enabled: false"),
        ("facts platform", "talos", "talos carries the driver"),
    ),
    case(
        "GPU-105",
        {
            "facts": {"platform": "aks", "driverOwner": "cloud"},
            "operator": v.gpu_operator(
                toolkit={"enabled": False}, operator={"runtimeClass": "nvidia-container-runtime"}
            ),
        },
        (f"{VALUES} toolkit enabled", True, "toolkit.enabled is true but aks brings the toolkit"),
        (f"{VALUES} operator runtimeClass", "nvidia", "AKS calls it nvidia-container-runtime"),
        ("facts driverOwner", "operator", "toolkit.enabled is false but the operator brings the driver"),
    ),
    case(
        "GPU-106",
        {
            "facts": {"platform": "rke2"},
            "operator": v.gpu_operator(
                toolkit={"env": [{"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"}]}
            ),
        },
        (f"{VALUES} toolkit env", [], "toolkit.env does not name CONTAINERD_SOCKET on rke2"),
        (f"{VALUES} toolkit env 0 name", "OTHER", "Add CONTAINERD_SOCKET=/run/k3s"),
    ),
    case(
        "GPU-107",
        {
            "operator": v.gpu_operator(gpuCluster={"deployCR": False}),
            "plugin": v.release("nvidia-dra-driver-gpu", "25.8.0", "dra", resources={"gpus": {"enabled": False}}),
        },
        ("plugin helmRelease values resources gpus enabled", True, "the GPU operator's device plugin and the DRA"),
        ("plugin helmRelease chart", "nvidia-device-plugin", "and the standalone device plugin"),
        (f"{VALUES} gpuCluster deployCR", True, "gpuCluster.deployCR and clusterPolicy.deployCR are both true"),
    ),
    case(
        "GPU-107",
        {
            "operator": v.gpu_operator(),
            "addon": v.cloud("oci:ContainerEngine/addon:Addon", "x", addonName="Other"),
            "plugin": v.manifest(
                "apps/v1",
                "DaemonSet",
                "x",
                "kube-system",
                spec={"template": {"spec": {"containers": [{"name": "x", "image": "other:1"}]}}},
            ),
        },
        ("addon props addonName", "NvidiaGpuPlugin", "the OKE add-on NvidiaGpuPlugin"),
        ("plugin spec template spec containers 0 image", "nvcr.io/nvidia/k8s-device-plugin:v1", "DaemonSet"),
    ),
    case(
        "GPU-108",
        {
            "facts": {"gpuDirect": "peermem", "fabric": "roce", "pools": [v.pool()]},
            "operator": v.gpu_operator(driver={"kernelModuleType": "proprietary"}, gds={"enabled": False}),
        },
        (f"{VALUES} gds enabled", True, "the kernel modules are proprietary but gds.enabled is true"),
        ("facts gpuDirect", "dmabuf", "proprietary but GPUDirect goes by DMA-BUF"),
        ("facts pools 0 gpuProduct", "NVIDIA-B200", "proprietary but the GPUs are NVIDIA-B200"),
    ),
    case(
        "GPU-108",
        {
            "facts": {"gpuDirect": "dmabuf", "fabric": "infiniband"},
            "operator": v.release("gpu-operator", "v24.9.2", "gpu", driver={"useOpenKernelModules": True}),
        },
        (f"{VALUES} driver useOpenKernelModules", False, "the kernel modules are proprietary"),
    ),
    case(
        "GPU-108",
        {
            "facts": {"gpuDirect": "dmabuf", "fabric": "none"},
            "operator": v.gpu_operator(driver={"kernelModuleType": "proprietary"}),
        },
        ("facts fabric", "efa", "proprietary but GPUDirect goes by DMA-BUF"),
    ),
    case(
        "GPU-108",
        {
            "facts": {"gpuDirect": "dmabuf", "fabric": "roce"},
            "operator": v.gpu_operator(driver={"kernelModuleType": "proprietary", "enabled": False}),
        },
        (f"{VALUES} driver enabled", True, "proprietary but GPUDirect goes by DMA-BUF"),
    ),
    case(
        "GPU-109",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-B200")]},
            "operator": v.gpu_operator(driver={"version": "595.91.07"}, gpuCluster={"deployCR": False}),
        },
        (
            f"{VALUES} driver version",
            "570.86.15",
            "driver.version 570.86.15 is older than 570.133.20, which NVIDIA-B200",
        ),
        (f"{VALUES} driver version", "550.54.15", "older than 570.133.20, which NVIDIA-B200 needs"),
    ),
    case(
        "GPU-109",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition")]},
            "operator": v.gpu_operator(driver={"version": "575.57.08"}),
        },
        (f"{VALUES} driver version", "575.51.03", "older than 575.57.8, which NVIDIA-RTX-PRO-6000"),
    ),
    case(
        "GPU-109",
        {
            "facts": {"pools": [v.pool(gpuProduct="NVIDIA-RTX-PRO-4500-Blackwell")]},
            "operator": v.gpu_operator(driver={"version": "570.86.15"}),
        },
        (f"{VALUES} driver version", "550.54.15", "older than 570, which NVIDIA-RTX-PRO-4500-Blackwell needs"),
    ),
    case(
        "GPU-109",
        {"operator": v.gpu_operator(driver={"version": "570.172.08"}, mig={"strategy": "mixed"})},
        (f"{VALUES} driver version", "570.133.20", "breaks MIG nodes. nvidia-smi"),
        (f"{VALUES} gpuCluster", {"deployCR": True}, "older than 580, which dynamic resource allocation needs"),
    ),
    case(
        "GPU-110",
        {"facts": ON_IB, "operator": PEERMEM, "policy": v.nic_policy(nvIpam={})},
        (f"{VALUES} driver rdma useHostMofed", False, "useHostMofed is not and no NicClusterPolicy has ofedDriver"),
    ),
    case(
        "GPU-110",
        {
            "facts": ON_IB,
            "operator": v.gpu_operator(driver={"rdma": {"enabled": True}}),
            "policy": v.nic_policy(ofedDriver={"image": "doca-driver"}),
        },
        ("policy spec ofedDriver", GONE, "driver.rdma.enabled is true"),
        ("policy", GONE, "no NicClusterPolicy has ofedDriver"),
    ),
    case(
        "GPU-110",
        {"facts": ON_IB, "operator": v.gpu_operator(driver={"rdma": {"enabled": True}, "enabled": False})},
        (f"{VALUES} driver enabled", True, "driver.rdma.enabled is true"),
    ),
    case(
        "GPU-111",
        {
            "facts": {"platform": "kubeadm"},
            "operator": v.gpu_operator(driver={"rdma": {"useHostMofed": False}}),
            "policy": v.nic_policy(ofedDriver={"image": "doca-driver"}),
        },
        (f"{VALUES} driver rdma useHostMofed", True, "spec.ofedDriver is set but driver.rdma.useHostMofed is true"),
        ("facts platform", "oke", "spec.ofedDriver is set but OKE's image has the driver"),
        ("facts nodeOs", "dgxos", "DGX OS has the driver"),
    ),
    case(
        "GPU-112",
        {"facts": {"kernel": "6.8"}, "operator": v.gpu_operator(driver={"rdma": {"enabled": False}})},
        (f"{VALUES} driver rdma enabled", True, "driver.rdma.enabled is true on kernel 6.8"),
    ),
    case(
        "GPU-112",
        {
            "facts": {"kernel": "5.4"},
            "operator": v.gpu_operator(driver={"rdma": {"enabled": True}, "kernelModuleType": "open"}),
        },
        ("facts kernel", "5.15", "on kernel 5.15"),
    ),
    case(
        "GPU-112",
        {
            "facts": {"kernel": "6.8"},
            "operator": v.gpu_operator(driver={"rdma": {"enabled": True}, "kernelModuleType": "proprietary"}),
        },
        (f"{VALUES} driver kernelModuleType", "auto", "on kernel 6.8"),
    ),
    case(
        "GPU-113",
        {
            "facts": {"pools": [v.pool()]},
            "operator": v.gpu_operator(gds={"enabled": True}, driver={"enabled": True}),
        },
        (f"{VALUES} driver enabled", False, "gds.enabled is true but driver.enabled is false"),
        ("facts pools 0 gpuProduct", "NVIDIA-GB200", "gds.enabled is true on NVIDIA-GB200"),
    ),
    case(
        "GPU-113",
        {"operator": v.gpu_operator(gds={"enabled": False}, driver={"enabled": False})},
        (f"{VALUES} gds enabled", True, "driver.enabled is false"),
    ),
    case(
        "GPU-114",
        {"operator": MIXED, "pod": MIG_POD, "facts": {"pools": [v.pool()]}},
        (f"{VALUES} migManager", {"enabled": False}, "mig.strategy is mixed but migManager.enabled is false"),
        (f"{VALUES} mig strategy", "single", "asks for a 1g.10gb slice but the MIG strategy is single"),
        ("facts pools 0 gpuProduct", "NVIDIA-H200", "a 1g.10gb slice, which NVIDIA-H200 cannot make"),
        ("facts pools 0 gpuProduct", "NVIDIA-L40S", "Ask for whole GPUs"),
    ),
    case(
        "GPU-115",
        {"job": v.pytorch_job(), "facts": {"pools": [v.pool()]}},
        (
            "job spec pytorchReplicaSpecs Worker template spec containers 0 resources",
            {"limits": {"nvidia.com/gpu.shared": 2}},
            "Worker of a job over several GPUs asks for 2 nvidia.com/gpu.shared",
        ),
        ("facts pools 0 timeSlicing", 4, "Worker asks for 8 GPUs on pool h100, which is time-sliced"),
    ),
    case(
        "GPU-115",
        {"pod": MIG_POD},
        ("pod spec containers 0 resources limits", {"nvidia.com/mig-1g.10gb": 2}, "asks for 2 nvidia.com/mig-1g.10gb"),
    ),
    case(
        "GPU-116",
        {"operator": v.gpu_operator(devicePlugin={"config": {"data": {"any": SHARED}}})},
        (
            f"{VALUES} devicePlugin config data any",
            "timeSlicing:\n  renameByDefault: true",
            "failRequestsGreaterThanOne",
        ),
        (
            f"{VALUES} devicePlugin config data any",
            "timeSlicing:\n  failRequestsGreaterThanOne: true",
            "timeSlicing does not set renameByDefault: true",
        ),
    ),
    case(
        "GPU-116",
        {"config": v.manifest("v1", "ConfigMap", "plugin", data={"any": SHARED})},
        ("config data any", "sharing: {timeSlicing: {}}", "timeSlicing does not set renameByDefault"),
    ),
    case(
        "GPU-117",
        {"operator": v.gpu_operator(driver={"upgradePolicy": {"autoUpgrade": True, "maxParallelUpgrades": 1}})},
        (f"{VALUES} driver upgradePolicy drain", {"enable": True}, "driver.upgradePolicy.drain.enable is true"),
        (f"{VALUES} driver upgradePolicy gpuPodDeletion", {"force": True}, "gpuPodDeletion.force is true"),
        (f"{VALUES} driver upgradePolicy maxParallelUpgrades", 4, "maxParallelUpgrades is 4 with autoUpgrade"),
    ),
    case(
        "GPU-117",
        {"operator": v.gpu_operator(driver={"upgradePolicy": {"autoUpgrade": False, "drain": {"enable": True}}})},
        (f"{VALUES} driver upgradePolicy autoUpgrade", True, "drain.enable is true"),
    ),
    case(
        "GPU-118",
        {"facts": ON_IB, "operator": v.release("gpu-operator", "v26.3.3", "gpu", cdi={"enabled": True})},
        ("operator helmRelease version", "v26.3.1", "version v26.3.1 on infiniband"),
    ),
    case(
        "GPU-118",
        {
            "facts": ON_IB,
            "operator": v.release(
                "gpu-operator",
                "v26.3.0",
                "gpu",
                devicePlugin={"env": [MOFED_OFF]},
            ),
        },
        (f"{VALUES} devicePlugin env 0 value", "true", "devicePlugin.env sets MOFED_ENABLED on infiniband"),
        (f"{VALUES} devicePlugin env 0 name", "X", "version v26.3.0"),
    ),
    case(
        "GPU-118",
        {"facts": {"fabric": "efa"}, "operator": v.release("gpu-operator", "v26.3.2", "gpu", cdi={"enabled": True})},
        ("facts fabric", "roce", "version v26.3.2 on roce"),
    ),
    case(
        "GPU-118",
        {"facts": ON_IB, "operator": v.release("gpu-operator", "v26.3.2", "gpu", cdi={"enabled": False})},
        (f"{VALUES} cdi enabled", True, "version v26.3.2"),
    ),
    case(
        "GPU-118",
        {
            "facts": ON_IB,
            "operator": v.gpu_operator(gds={"enabled": True}, devicePlugin={"env": [MOFED_OFF]}),
        },
        (f"{VALUES} devicePlugin env", [], "gds.enabled is true on infiniband"),
        (f"{VALUES} devicePlugin env 0 value", "true", "devicePlugin.env sets MOFED_ENABLED on infiniband"),
        (f"{VALUES} devicePlugin env 0 value", None, "gds.enabled is true on infiniband"),
        ("operator helmRelease version", "v24.9.2", "sets MOFED_ENABLED after devicePlugin.env"),
    ),
    case(
        "GPU-118",
        {
            "facts": ON_IB,
            "operator": v.release(
                "gpu-operator", "v25.3.3", "gpu", gds={"enabled": True}, devicePlugin={"env": [MOFED_OFF]}
            ),
        },
        ("operator helmRelease version", "v25.3.2", "sets MOFED_ENABLED after devicePlugin.env"),
    ),
    case(
        "GPU-118",
        {"facts": {"fabric": "efa"}, "operator": v.gpu_operator(gds={"enabled": True})},
        ("facts fabric", "roce", "gds.enabled is true on roce"),
    ),
    case(
        "GPU-118",
        {"facts": ON_IB, "operator": v.gpu_operator(devicePlugin={"env": [{"name": "X", "value": "true"}]})},
        (f"{VALUES} devicePlugin env 0 name", "MOFED_ENABLED", "devicePlugin.env sets MOFED_ENABLED on infiniband"),
    ),
    case(
        "GPU-118",
        {"facts": ON_IB, "operator": v.gpu_operator(gds={"enabled": False})},
        (f"{VALUES} gds enabled", True, "gds.enabled is true on infiniband"),
    ),
    case(
        "GPU-129",
        {
            "facts": {"nodeOs": "ubuntu", "pools": [GRACE]},
            "operator": v.release("gpu-operator", "v26.7.0", "gpu", driver={"enabled": True}),
        },
        (
            "facts nodeOs",
            "rhel",
            "rhel 9.2, 9.4, 9.6, 9.7, 9.8 has a driver container for amd64 alone, not NVIDIA-GH200",
        ),
    ),
    case(
        "GPU-129",
        {
            "facts": {"nodeOs": "rhel", "pools": [{**GRACE, "gpuProduct": "NVIDIA-H200"}]},
            "operator": v.release("gpu-operator", "v26.7.0", "gpu"),
        },
        ("facts pools 0 gpuProduct", "NVIDIA-GB200", "alone, not NVIDIA-GB200"),
    ),
    case(
        "GPU-129",
        {
            "facts": {"nodeOs": "rhel", "pools": [GRACE]},
            "operator": v.release("gpu-operator", "v26.7.0", "gpu", driver={"enabled": False}),
        },
        (f"{VALUES} driver enabled", True, "alone, not NVIDIA-GH200"),
    ),
    case(
        "GPU-129",
        {
            "facts": {"nodeOs": "rhel", "pools": [GRACE]},
            "operator": v.release("gpu-operator", ">=26", "gpu"),
        },
        ("operator helmRelease version", "v26.3.3", "alone, not NVIDIA-GH200"),
    ),
    case(
        "GPU-119",
        {
            "facts": {"platform": "gke", "nodeOs": "cos", "kubernetesVersion": "1.35"},
            "operator": v.gpu_operator(**COS),
            "quota": QUOTA,
        },
        (f"{VALUES} hostPaths driverInstallDir", "/opt", "hostPaths.driverInstallDir is not set for COS"),
        (f"{VALUES} toolkit installDir", GONE, "Set toolkit.installDir: /home/kubernetes/bin/nvidia"),
        (f"{VALUES} toolkit env", [], "toolkit.env does not name RUNTIME_CONFIG_SOURCE on Kubernetes 1.35"),
        ("quota", GONE, "namespace gpu-operator has no ResourceQuota for system-node-critical"),
        ("quota metadata namespace", "other", "has no ResourceQuota"),
    ),
    case(
        "GPU-119",
        {"facts": {"platform": "gke", "nodeOs": "ubuntu"}, "operator": v.gpu_operator()},
        ("facts nodeOs", "cos", "hostPaths.driverInstallDir"),
    ),
    case(
        "GPU-120",
        {"operator": v.gpu_operator(), "namespace": v.namespace("gpu-operator")},
        ("namespace metadata labels", {}, "its pod-security.kubernetes.io/enforce label is missing"),
        ("namespace metadata labels pod-security.kubernetes.io/enforce", "baseline", "label is baseline"),
    ),
    case(
        "GPU-120",
        {"kueue": v.release("kueue", "0.19.2", "queues"), "namespace": v.namespace("queues", "baseline")},
        ("kueue helmRelease chart", "network-operator", "holds network-operator"),
    ),
    case(
        "GPU-121",
        {"facts": {"pools": [v.pool()]}, "nfd": v.nfd(), "operator": v.gpu_operator(), "policy": v.nic_policy()},
        ("nfd helmRelease values worker tolerations", GONE, "worker.tolerations does not tolerate nvidia.com/gpu"),
        ("facts pools 0 taints 0 key", "team", "daemonsets.tolerations does not tolerate team:NoSchedule of pool h100"),
        ("policy spec tolerations", [], "spec.tolerations does not tolerate nvidia.com/gpu:NoSchedule"),
    ),
    case(
        "GPU-121",
        {"facts": {"pools": [v.pool(taints=[])]}, "nfd": v.release("node-feature-discovery", "0.19.0", "nfd")},
        ("facts pools 0 taints", [{"key": "a", "value": "b", "effect": "NoExecute"}], "tolerate a:NoExecute"),
    ),
    case(
        "GPU-122",
        {
            "operator": v.gpu_operator(dcgmExporter={"enabled": False}),
            "exporter": v.release(
                "dcgm-exporter", "4.8.2", "x", serviceMonitor={"additionalLabels": {"release": "prom"}}
            ),
            "prometheus": v.release(
                "kube-prometheus-stack",
                "88.5.3",
                "x",
                prometheus={"prometheusSpec": {"serviceMonitorSelectorNilUsesHelmValues": True}},
            ),
        },
        (f"{VALUES} dcgmExporter enabled", True, "runs beside the GPU operator's DCGM exporter"),
        ("exporter helmRelease values serviceMonitor additionalLabels", GONE, "without the label `release`"),
    ),
    case(
        "GPU-122",
        {
            "operator": v.gpu_operator(),
            "prometheus": v.release(
                "kube-prometheus-stack",
                "88.5.3",
                "x",
                prometheus={"prometheusSpec": {"serviceMonitorSelectorNilUsesHelmValues": False}},
            ),
        },
        ("prometheus helmRelease values prometheus prometheusSpec", {}, "without the label `release`"),
    ),
    case(
        "GPU-122",
        {
            "operator": v.gpu_operator(dcgmExporter={"serviceMonitor": {"enabled": True}}),
            "prometheus": v.release(
                "kube-prometheus-stack", "88.5.3", "x", prometheus={"prometheusSpec": {"serviceMonitorSelector": {}}}
            ),
        },
        ("prometheus helmRelease values prometheus prometheusSpec", {}, "without the label `release`"),
    ),
    case(
        "GPU-123",
        {
            "facts": NO_PROMETHEUS,
            "crds": v.release("prometheus-operator-crds", "31.0.1", "x"),
            "operator": {
                **v.release("gpu-operator", "v26.3.3", "gpu", dcgmExporter={"serviceMonitor": {"enabled": True}}),
                "dependencies": ["crds"],
            },
        },
        ("operator dependencies", [], "makes a ServiceMonitor but does not wait for the Prometheus CRDs"),
        ("crds", GONE, "nothing brings the Prometheus CRDs"),
    ),
    case(
        "GPU-123",
        {
            "facts": NO_PROMETHEUS,
            "keda": v.release(
                "keda", "2.20.2", "keda", prometheus={"operator": {"enabled": True, "serviceMonitor": {}}}
            ),
        },
        ("keda helmRelease values prometheus operator serviceMonitor enabled", True, "nothing brings", "mandatory"),
        ("keda helmRelease values prometheus operator podMonitor", {"enabled": True}, "nothing brings"),
    ),
    case(
        "GPU-123",
        {
            "facts": NO_PROMETHEUS,
            "keda": v.release("keda", "2.20.2", "keda", prometheus={"operator": {"serviceMonitor": {"enabled": True}}}),
        },
        ("keda helmRelease values prometheus operator enabled", True, "nothing brings"),
    ),
    case(
        "GPU-123",
        {
            "facts": NO_PROMETHEUS,
            "other": v.release("other", "1.0.0", "x", a={"enabled": False, "serviceMonitor": {"enabled": True}}),
        },
        ("other helmRelease values a", {"serviceMonitor": {"enabled": True}}, "nothing brings", "advisory"),
        ("other helmRelease values a enabled", True, "nothing brings", "advisory"),
    ),
    case(
        "GPU-123",
        {
            "facts": NO_PROMETHEUS,
            "stack": v.release(
                "kube-prometheus-stack", "88.5.3", "x", alertmanager={"serviceMonitor": {"enabled": True}}
            ),
            "keda": {**v.release("keda", "2.20.2", "keda", prometheus=SCRAPED), "dependencies": ["stack"]},
        },
        ("keda dependencies", [], "does not wait for the Prometheus CRDs"),
    ),
    case(
        "GPU-123",
        {
            "facts": NO_PROMETHEUS,
            "operator": v.release("gpu-operator", "v26.3.3", "gpu", dcgmExporter={"enabled": True}),
        },
        (f"{VALUES} dcgmExporter", {"serviceMonitor": {"enabled": True}}, "nothing brings"),
    ),
    case(
        "GPU-123",
        {"facts": NO_PROMETHEUS, "operator": v.gpu_operator(dcgmExporter={"serviceMonitor": {"enabled": True}})},
        ("operator helmRelease version", "v26.3.3", "nothing brings the Prometheus CRDs"),
    ),
    case(
        "GPU-123",
        {
            "facts": {"existingPrometheus": True},
            "exporter": v.release("dcgm-exporter", "4.8.2", "gpu", serviceMonitor={"enabled": True}),
        },
        ("facts existingPrometheus", False, "nothing brings the Prometheus CRDs"),
    ),
    case(
        "GPU-124",
        {
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                spec={
                    "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-SHARED"},
                    "affinity": {
                        "nodeAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": {
                                "nodeSelectorTerms": [
                                    {
                                        "matchExpressions": [
                                            {
                                                "key": "nvidia.com/gpu.product",
                                                "operator": "In",
                                                "values": ["NVIDIA-H200", "Tesla-T4"],
                                            }
                                        ]
                                    }
                                ]
                            }
                        }
                    },
                    "containers": [],
                },
            )
        },
        ("pod spec nodeSelector nvidia.com/gpu.product", "NVIDIA-H100-SXM", "NVIDIA-H100-SXM is no product label"),
        (
            f"{REQUIRED} matchExpressions 0 values 0",
            "H200",
            "H200 is no product label",
        ),
    ),
    case(
        "GPU-125",
        {"job": v.pytorch_job()},
        ("job spec pytorchReplicaSpecs Worker template spec hostUsers", False, "hostUsers is false"),
        ("job spec pytorchReplicaSpecs Worker template spec hostIPC", True, "Mount a memory emptyDir at /dev/shm"),
    ),
    case(
        "GPU-125",
        {
            "pod": v.manifest(
                "v1", "Pod", "x", spec={"hostUsers": False, "hostIPC": True, "containers": [{"name": "a"}]}
            )
        },
        ("pod spec containers 0 resources", {"limits": {"nvidia.com/gpu": 1}}, "hostUsers is false"),
    ),
]
