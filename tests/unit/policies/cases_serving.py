"""INF-6xx."""

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

POD = "server spec template spec"
CONTAINER = f"{POD} containers 0"
LEADER = "group spec leaderWorkerTemplate leaderTemplate spec containers 0"
BUDGET = v.manifest(
    "policy/v1",
    "PodDisruptionBudget",
    "vllm",
    "serve",
    spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "vllm"}}},
)


def scaler(name: str = "vllm_num_requests_waiting", most: int = 2) -> v.Doc:
    metric = {"type": "Pods", "pods": {"metric": {"name": name}}}
    spec = {"maxReplicas": most, "scaleTargetRef": {"kind": "Deployment", "name": "vllm"}, "metrics": [metric]}
    return v.manifest("autoscaling/v2", "HorizontalPodAutoscaler", "vllm", "serve", spec=spec)


def keda(query: str = "sum(vllm:num_requests_waiting)", target: str = "other") -> v.Doc:
    trigger = {"type": "prometheus", "metadata": {"query": query}}
    spec = {"maxReplicaCount": 2, "scaleTargetRef": {"name": target}, "triggers": [trigger]}
    return v.manifest("keda.sh/v1alpha1", "ScaledObject", "vllm", "serve", spec=spec)


def adapter(**rules: object) -> v.Doc:
    made = {"default": False, "custom": [{"name": {"as": "vllm_num_requests_waiting"}}]}
    return v.release("prometheus-adapter", "5.3.0", "monitoring", rules={**made, **rules})


CASES = [
    case(
        "INF-601",
        {"server": v.deployment(), "group": v.leader_worker_set(), "facts": {}},
        (f"{CONTAINER} args 5", "2", "serves over 2 GPUs, the pods have 4. The engine does not start", "advisory"),
        (f"{CONTAINER} args 5", "8", "serves over 8 GPUs, the pods have 4", "mandatory"),
        ("group spec leaderWorkerTemplate size", 4, "serves over 16 GPUs, the pods have 32"),
        (
            f"{CONTAINER} args",
            ["--model", "Qwen/Qwen2.5-7B", "-tp", "8"],
            "--tensor-parallel-size 8 does not divide the 28 heads",
        ),
    ),
    case(
        "INF-602",
        {"server": v.deployment(), "group": v.leader_worker_set()},
        (
            f"{CONTAINER} startupProbe",
            GONE,
            "no startupProbe and its livenessProbe gives up after 30 s. The kubelet",
            "advisory",
        ),
        (f"{CONTAINER} startupProbe failureThreshold", 30, "startupProbe gives up after 300 s"),
    ),
    case(
        "INF-603",
        {"server": v.deployment()},
        (f"{CONTAINER} readinessProbe", GONE, "has no readinessProbe. A container without one is ready"),
    ),
    case(
        "INF-604",
        {"scaler": scaler(), "keda": keda()},
        ("scaler spec metrics 0 pods metric name", "gpu_utilization", "scales on gpu_util. Decoding keeps"),
        ("keda spec triggers 0 metadata query", "avg(DCGM_FI_DEV_GPU_UTIL)", "scales on"),
        ("keda spec triggers 0 metadata query", "avg(nvidia_gpu_duty_cycle)", "scales on"),
    ),
    case(
        "INF-605",
        {"scaler": scaler(), "adapter": adapter()},
        ("scaler spec metrics 0 pods metric name", "vllm:num_requests_waiting", "has a colon"),
        ("scaler spec metrics 0 pods metric name", "requests", "nothing makes the metric requests"),
        ("adapter", GONE, "nothing makes the metric vllm_num_requests_waiting"),
    ),
    case(
        "INF-605",
        {"scaler": scaler(), "adapter": adapter(default=True, custom=[])},
        ("adapter helmRelease values rules default", False, "nothing makes the metric"),
    ),
    case(
        "INF-605",
        {"scaler": {**scaler(), "spec": {"metrics": [{"type": "Resource", "resource": {"metric": {"name": "a:b"}}}]}}},
        ("scaler", scaler("a:b"), "the metric a:b has a colon"),
    ),
    case(
        "INF-606",
        {"scaler": scaler(), "keda": keda()},
        ("keda spec scaleTargetRef name", "vllm", "scales Deployment vllm, as HorizontalPodAutoscaler serve/vllm does"),
    ),
    case(
        "INF-607",
        {"scaler": scaler(), "server": v.deployment(), "facts": {"pools": [v.pool(nodes=1)]}},
        ("scaler spec maxReplicas", 3, "3 replicas need 12 GPUs, the pools have 8"),
        ("facts pools 0 gpusPerNode", 4, "2 replicas need 8 GPUs"),
    ),
    case(
        "INF-607",
        {
            "scaler": scaler(),
            "server": v.deployment(),
            "facts": {"pools": [v.pool(nodes=1, gpusPerNode=1, mig=True, unitsPerNode=8)]},
        },
        ("facts pools 0 unitsPerNode", 7, "2 replicas need 8 GPUs, the pools have 7"),
    ),
    case(
        "INF-608",
        {"server": v.deployment(), "facts": {"spareGpus": 0}},
        ("server spec strategy", {}, "surges by 4 GPUs, 0 are free"),
        ("server spec strategy rollingUpdate maxSurge", 1, "surges by 4 GPUs"),
    ),
    case(
        "INF-608",
        {"server": v.deployment(strategy={"type": "Recreate"}), "facts": {"spareGpus": 0}},
        ("server spec strategy type", "RollingUpdate", "surges by 4 GPUs"),
    ),
    case(
        "INF-608",
        {"server": v.deployment(strategy={}), "facts": {"spareGpus": 4}},
        ("facts spareGpus", 2, "surges by 4 GPUs, 2 are free"),
    ),
    case(
        "INF-609",
        {"server": v.deployment(), "service": v.manifest("v1", "Service", "vllm", "serve", spec={})},
        (f"{POD} enableServiceLinks", GONE, "Service vllm sets VLLM_PORT and enableServiceLinks is not false"),
        (f"{POD} enableServiceLinks", True, "enableServiceLinks is not false"),
    ),
    case(
        "INF-609",
        {
            "server": v.manifest("v1", "Pod", "x", "serve", spec={"containers": [v.server()]}),
            "service": v.manifest("v1", "Service", "vllm-server", "serve", spec={}),
            "far": v.manifest("v1", "Service", "vllm", "other", spec={}),
        },
        ("service metadata name", "vllm-dp-master", "Service vllm-dp-master sets VLLM_DP_MASTER_PORT"),
        ("far metadata namespace", "serve", "Service vllm sets VLLM_PORT"),
    ),
    case(
        "INF-610",
        {"server": v.deployment()},
        (f"{CONTAINER} args", ["--model", "/models/llama"], "serves /models/llama without --served-model-name"),
    ),
    case(
        "INF-610",
        {"server": v.manifest("v1", "Pod", "x", spec={"containers": [v.server(args=["--model", "meta/llama"])]})},
        ("server spec containers 0 args 1", "/llama", "serves /llama without"),
    ),
    case(
        "INF-611",
        {"server": v.deployment(), "claim": v.claim("models", "serve", storageClassName="local")},
        ("claim spec accessModes", ["ReadWriteOnce"], "several replicas mount it but claim models is ReadWriteOnce"),
    ),
    case(
        "INF-611",
        {
            "server": v.deployment(replicas=1),
            "claim": v.claim("models", "serve", "ReadWriteOnce", storageClassName="local"),
        },
        ("server spec replicas", 2, "several replicas mount it"),
        ("scaler", scaler(), "several replicas mount it"),
    ),
    case(
        "INF-612",
        {
            "server": v.manifest(
                "v1", "Pod", "x", spec={"containers": [v.server(args=["--model", "meta/Llama-3-70B", "-tp", "4"])]}
            ),
            "facts": {"pools": [v.pool()]},
        },
        ("server spec containers 0 args 3", "2", "meta/Llama-3-70B takes 77 GB per GPU of 72 GB"),
        ("facts pools 0 gpuMemoryGb", 24, "takes 38 GB per GPU of 22 GB"),
    ),
    case(
        "INF-612",
        {
            "server": v.manifest(
                "v1", "Pod", "x", "serve", spec={"containers": [v.server(args=["--model", "meta/Llama-3-70B"])]}
            ),
            "facts": {"pools": [v.pool()], "fitted": ["serve/x"]},
        },
        ("facts fitted", ["serve/y"], "takes 154 GB per GPU of 72 GB"),
        ("facts fitted", ["other/x"], "takes 154 GB per GPU of 72 GB"),
    ),
    case(
        "INF-612",
        {
            "server": v.manifest(
                "v1", "Pod", "x", spec={"containers": [v.server(args=["--model", "Llama-3-70B-AWQ"])]}
            ),
            "facts": {"pools": [v.pool()]},
        },
        ("server spec containers 0 args 1", "Llama-3-70B", "takes 154 GB per GPU"),
    ),
    case(
        "INF-613",
        {"server": v.deployment(), "budget": BUDGET},
        ("budget", GONE, "has 2 replicas and no PodDisruptionBudget"),
        ("budget spec selector matchLabels app", "other", "no PodDisruptionBudget"),
        ("budget spec minAvailable", 2, "minAvailable 2 lets no pod of Deployment serve/vllm go"),
        ("budget metadata namespace", "other", "no PodDisruptionBudget"),
    ),
    case(
        "INF-613",
        {"server": v.deployment(replicas=1)},
        ("server spec replicas", 2, "has 2 replicas and no"),
    ),
    case(
        "INF-614",
        {
            "ingress": v.manifest(
                "networking.k8s.io/v1", "Ingress", "x", annotations={"a": "b"}, spec={"ingressClassName": "cilium"}
            )
        },
        ("ingress spec ingressClassName", "nginx", "ingressClassName is nginx"),
        ("ingress metadata annotations", {"nginx.ingress.kubernetes.io/rewrite-target": "/"}, "has annotations of"),
    ),
    case(
        "INF-615",
        {"group": v.leader_worker_set(), "server": v.deployment(), "facts": {"pools": [v.pool()], "fabric": "roce"}},
        (f"{LEADER} resources", {"limits": {"nvidia.com/gpu": 8}}, "serves over 16 GPUs and leader requests no fabric"),
        (f"{CONTAINER} args", ["-tp", "8", "-pp", "2"], "serves over 16 GPUs as a Deployment; a node has 8"),
    ),
]
