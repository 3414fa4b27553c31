"""General faults, as classes: what reaches nothing, and what Kubernetes refuses of any pod."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import Case, case
from tests.unit.policies.cases_severity import pod

SERVER = "pod spec containers 0"
POD = "server spec template spec containers 0"
LABELS = {"app": "vllm"}
ADDED = {"apps.kubernetes.io/pod-index": "0", "leaderworkerset.sigs.k8s.io/worker-index": "0"}


def asks(limits: v.Doc, **requests: Any) -> v.Doc:
    wanted = {key.replace("__", "/").replace("_", "."): count for key, count in requests.items()}
    resources = {"limits": limits, **({"requests": wanted} if wanted else {})}
    return {"name": "main", "image": "registry.example/a:1", "resources": resources}


def service(**spec: Any) -> v.Doc:
    made = {"selector": dict(LABELS), "ports": [{"name": "http", "port": 80, "targetPort": "http"}], **spec}
    return v.manifest("v1", "Service", "vllm", "serve", labels=dict(LABELS), spec=made)


def monitor(kind: str, key: str, **spec: Any) -> v.Doc:
    made = {"selector": {"matchLabels": dict(LABELS)}, key: [{"port": "http"}], **spec}
    return v.manifest("monitoring.coreos.com/v1", kind, "vllm", "serve", spec=made)


def server() -> v.Doc:
    made = v.deployment()
    made["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"name": "http", "containerPort": 8000}]
    return made


BESIDE = {"server": server(), "service": service(), "pods": monitor("PodMonitor", "podMetricsEndpoints")}
BUDGET = v.manifest("policy/v1", "PodDisruptionBudget", "vllm", "serve", spec={"selector": {"matchLabels": LABELS}})
CASES: list[Case] = [
    case(
        "GPU-128",
        {"pod": pod(asks({"nvidia.com/gpu": 1, "hugepages-2Mi": "4Mi", "cpu": "500m"}))},
        (f"{SERVER} resources limits nvidia.com/gpu", "0.4", "nvidia.com/gpu is 0.4, which is no multiple of 1"),
        (f"{SERVER} resources limits hugepages-2Mi", "3Mi", "hugepages-2Mi is 3Mi, which is no multiple of 2Mi"),
        (f"{SERVER} resources requests", {"nvidia.com/gpu": 2}, "is requested 2 times with a limit of 1"),
        (f"{SERVER} resources", {"requests": {"nvidia.com/gpu": 1}}, "nvidia.com/gpu is requested without a limit"),
        (f"{SERVER} resources", {"requests": {"hugepages-1Gi": "1Gi"}}, "hugepages-1Gi is requested without a limit"),
    ),
    case(
        "GPU-128",
        {"pod": pod(asks({"nvidia.com/gpu": 1}), nodeSelector={"disk": "ssd"}), "facts": {"platform": "eks"}},
        (
            f"{SERVER} resources",
            {"requests": {"nvidia.com/gpu": 1}},
            "without a limit. Kubernetes refuses",
            "mandatory",
        ),
        (f"{SERVER} resources", {"requests": {"nvidia.com/gpu": 2}, "limits": {"nvidia.com/gpu": 1}}, "2", "mandatory"),
    ),
    case(
        "GPU-128",
        {"pod": pod(asks({"nvidia.com/gpu": 1}), nodeSelector={"cloud.google.com/gke-accelerator": "nvidia-l4"})},
        (f"{SERVER} resources", {"requests": {"nvidia.com/gpu": 1}}, "right only on Autopilot", "advisory"),
        (f"{SERVER} resources limits nvidia.com/gpu", "0.5", "is no multiple of 1", "mandatory"),
    ),
    case(
        "GPU-128",
        {
            "pod": pod(asks({"rdma/ib": "1", "kubernetes.io/x": "0.5", "cpu": "0.5"}, rdma__ib=1, memory="1Gi")),
            "partial": v.train_job(resourcesPerNode={"requests": {"nvidia.com/gpu": 8}}),
        },
        (f"{SERVER} resources requests rdma/ib", 2, "rdma/ib is requested 2 times"),
        ("partial", pod(asks({"sub.kubernetes.io.x/y": 1}, sub_kubernetes_io_x__y=2)), "is requested 2 times"),
    ),
    case(
        "NET-227",
        {**BESIDE, "budget": BUDGET},
        (
            "service spec selector app",
            "vllm-server",
            "selects app=vllm-server, which the pods of Deployment serve/vllm",
        ),
        ("pods spec selector matchLabels app", "x", "PodMonitor serve/vllm: selects app=x"),
        ("budget spec selector matchLabels app", "x", "PodDisruptionBudget serve/vllm: selects app=x"),
    ),
    case(
        "NET-227",
        {
            "server": server(),
            "other": {**service(selector={"app": "redis"}), "metadata": {"name": "redis", "namespace": "serve"}},
            "far": {**service(selector={"app": "x"}), "metadata": {"name": "vllm", "namespace": "far"}},
            "chosen": {
                **BUDGET,
                "spec": {
                    "selector": {
                        "matchLabels": {"app": "vllm"},
                        "matchExpressions": [{"key": "app", "operator": "Exists"}],
                    }
                },
            },
        },
        ("other metadata name", "vllm-http", "selects app=redis"),
        ("far metadata namespace", "serve", "selects app=x"),
        (
            "chosen spec selector",
            {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["vllm"]}]},
            "selects app NotIn vllm, which",
        ),
    ),
    case(
        "NET-227",
        {
            "server": v.manifest("v1", "Pod", "vllm", "serve", labels=dict(LABELS), spec={"containers": [v.server()]}),
            "service": service(),
        },
        ("server metadata labels app", "other", "selects app=vllm, which the pods of Pod serve/vllm do not have"),
    ),
    case(
        "NET-227",
        {
            "group": v.leader_worker_set(),
            "service": v.manifest("v1", "Service", "llama", "serve", spec={"selector": {"made.example/by": "lws"}}),
        },
        (
            "group",
            {**server(), "metadata": {"name": "llama", "namespace": "serve"}},
            "selects made.example/by=lws, which the pods of Deployment serve/llama do not have",
        ),
    ),
    case(
        "NET-227",
        {"server": server(), "service": service(selector={**LABELS, **ADDED})},
        ("service spec selector app", "other", "selects app=other, which"),
    ),
    case(
        "NET-228",
        {**BESIDE, "services": monitor("ServiceMonitor", "endpoints")},
        ("service spec ports 0 targetPort", "web", "names the port web, which Deployment serve/vllm does not have"),
        ("pods spec podMetricsEndpoints 0 port", "metrics", "names the port metrics, which Deployment serve/vllm"),
        ("services spec endpoints 0 port", "metrics", "names the port metrics, which Service serve/vllm does not have"),
    ),
    case(
        "NET-228",
        {
            "server": server(),
            "number": service(ports=[{"port": 80, "targetPort": 9000}]),
            "none": service(ports=[{"port": 80, "targetPort": "web"}], selector={"app": "x"}),
            "all": service(ports=[{"port": 80, "targetPort": "web"}], selector={}),
            "services": monitor("ServiceMonitor", "endpoints", selector={"matchLabels": {"app": "x"}}),
            "every": monitor("ServiceMonitor", "endpoints", selector={}),
        },
        ("none spec selector app", "vllm", "names the port web"),
        ("number spec ports 0 targetPort", "web", "names the port web"),
        ("services spec selector matchLabels app", "vllm", "names the port http, which Service"),
    ),
    case(
        "INF-616",
        {"server": server()},
        (f"{POD} readinessProbe httpGet port", "web", "readinessProbe asks the port web, which container vllm has not"),
        (f"{POD} startupProbe httpGet port", 8001, "startupProbe asks the port 8001, vLLM listens on 8000", "advisory"),
        (f"{POD} livenessProbe", {"tcpSocket": {"port": 80}}, "asks the port 80, vLLM listens on 8000", "advisory"),
    ),
    case(
        "INF-616",
        {
            "told": pod(
                v.server(
                    args=["--port", "9000"],
                    startupProbe={"httpGet": {"port": 9000}},
                    readinessProbe=None,
                    livenessProbe=None,
                )
            ),
            "pair": pod(v.server(), v.server(args=["--port", "9000"])),
            "later": pod(v.server(args=["--port", "$(PORT)"])),
            "named": pod({"name": "a", "ports": [{"name": "web"}], "startupProbe": {"httpGet": {"port": "web"}}}),
        },
        ("told spec containers 0 args 1", "9001", "asks the port 9000, vLLM listens on 9001"),
        ("named spec containers 0 ports", [], "asks the port web, which container a has not", "mandatory"),
    ),
    case(
        "INF-616",
        {
            "script": pod(
                {
                    "name": "vllm",
                    "command": [
                        "sh",
                        "-c",
                        "ray start --head --port=6379\nexec vllm serve m \\\n --port 8000 && sleep 1",
                    ],
                    "readinessProbe": {"httpGet": {"port": 8000}},
                }
            ),
        },
        ("script spec containers 0 readinessProbe httpGet port", 6379, "asks the port 6379, vLLM listens on 8000"),
        ("script spec containers 0 command 2", "vllm serve m --port 80; a --port 8000", "8000, vLLM listens on 80"),
    ),
]
