"""Rules that the fourth search for threads taught: references, selectors, settings and sizes that do not fit together."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, Case, case, put

APP = {"app": "web"}
FIRST = "spec template spec containers 0"
PODSET = "kueue.x-k8s.io/podset-"
RAY = "spec headGroupSpec rayStartParams"
GROUP = "leaderworkerset.sigs.k8s.io/worker-index"
PLUGIN = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
SHARED = "version: v1\nsharing:\n  timeSlicing: {renameByDefault: true}\n  mps: {failRequestsGreaterThanOne: true}\n"
POOL = "inference.networking.k8s.io"
RANK = "sglang --nnodes 2 --node-rank 1"
QUERY = "sum(vllm:num_requests_waiting) + my_vllm_num_requests_waiting"


def ray(kind: str = "RayCluster", key: str = "", **params: str) -> v.Doc:
    template = {"metadata": {"labels": dict(APP)}, "spec": {"containers": [{"name": "ray", "image": "ray:2"}]}}
    head = {"rayStartParams": {"num-cpus": "0", **params}, "template": template}
    spec: v.Doc = {"headGroupSpec": head, "workerGroupSpecs": [{**head, "groupName": "gpus", "replicas": 2}]}
    return v.manifest("ray.io/v1", kind, "web", "team", spec={key: spec} if key else spec)


def monitor(kind: str = "PodMonitor", **selector: Any) -> v.Doc:
    return v.manifest("monitoring.coreos.com/v1", kind, "web", "team", spec={"selector": selector})


def policy(*ingress: Any, **labels: str) -> v.Doc:
    spec = {"podSelector": {"matchLabels": labels or dict(APP)}, "ingress": list(ingress)}
    return v.manifest("networking.k8s.io/v1", "NetworkPolicy", "web", "team", spec=spec)


def peers(*ports: Any, **labels: str) -> v.Doc:
    return {"from": [{"podSelector": {"matchLabels": labels}}], "ports": list(ports)}


def gang() -> v.Doc:
    job = v.pytorch_job()
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        role["template"]["metadata"]["labels"] = dict(APP)
    return job


def group(**worker: Any) -> v.Doc:
    container = {"name": "rank", "image": "sglang:1", "args": [RANK], **worker}
    template = {"metadata": {"labels": dict(APP)}, "spec": {"containers": [container]}}
    spec = {"leaderWorkerTemplate": {"size": 2, "workerTemplate": template}}
    return v.manifest("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "web", "team", spec=spec)


def service(**selector: str) -> v.Doc:
    spec = {"selector": {**APP, **selector}, "ports": [{"port": 80, "targetPort": 8000}]}
    return v.manifest("v1", "Service", "web", "team", spec=spec)


def pool(**picker: Any) -> v.Doc:
    return v.manifest(
        f"{POOL}/v1", "InferencePool", "web", "team", spec={"endpointPickerRef": {"name": "web", **picker}}
    )


def route(**ref: str) -> v.Doc:
    rules = [{"backendRefs": [{"kind": "InferencePool", "name": "web", "group": POOL, **ref}]}]
    return v.manifest("gateway.networking.k8s.io/v1", "HTTPRoute", "way", "team", spec={"rules": rules})


def settings(name: str = "sharing", text: str = SHARED) -> v.Doc:
    return v.manifest("v1", "ConfigMap", name, "kube-system", data={"any": text})


def plugin(**container: Any) -> v.Doc:
    spec = {
        "containers": [
            {"name": "plugin", "image": PLUGIN, "envFrom": [{"configMapRef": {"name": "more"}}], **container}
        ]
    }
    return v.manifest("apps/v1", "DaemonSet", "plugin", "kube-system", spec={"template": {"spec": spec}})


def scaler(query: str = QUERY) -> v.Doc:
    triggers = [{"type": "prometheus", "metadata": {"query": query}}]
    return v.manifest("keda.sh/v1alpha1", "ScaledObject", "web", "team", spec={"triggers": triggers})


def rules(*names: str) -> v.Doc:
    groups = [{"rules": [{"record": name, "expr": "1"} for name in names]}]
    return v.manifest("monitoring.coreos.com/v1", "PrometheusRule", "web", "team", spec={"groups": groups})


def cached(*args: str, **env: str) -> v.Doc:
    variables = [{"name": name, "value": value} for name, value in env.items()]
    limits = {"memory": "100Gi", "ephemeral-storage": "100Gi"}
    mounts = [{"name": "disk", "mountPath": "/disk"}, {"name": "tmp", "mountPath": "/cache"}]
    container = v.server(args=["--tensor-parallel-size", "2", *args], env=variables, volumeMounts=mounts)
    container["resources"] = {"limits": limits}
    volumes = [{"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}}, {"name": "tmp", "emptyDir": {}}]
    return v.manifest("v1", "Pod", "web", "team", spec={"containers": [container], "volumes": volumes})


CASES: list[Case] = [
    case(
        "NET-234",
        {
            "pods": monitor(
                matchLabels={"app": "web", "a.b/c": "x", "a.b/d": ""},
                matchExpressions=[
                    {"key": "app", "operator": "Exists"},
                    {"key": "a.b_c", "operator": "In", "values": ["x", "y"]},
                    {"key": "a_b_d", "operator": "NotIn", "values": ["z"]},
                ],
            ),
            "policy": policy(**{"a-b": "x", "a_b": "y"}),
        },
        ("pods spec selector matchLabels app", "", "asks for app= and for app Exists at once"),
        ("pods spec selector matchExpressions 0 operator", "DoesNotExist", "asks for app=web and for app DoesNotExist"),
        (
            "pods spec selector matchExpressions 1 values",
            ["y"],
            "asks for a.b/c=x and for a.b_c=y, whose labels are one to Prometheus",
        ),
        (
            "policy spec podSelector matchExpressions",
            [{"key": "a_b", "operator": "NotIn", "values": ["y"]}],
            "asks for a_b=y and for a_b NotIn y at once",
        ),
    ),
    case(
        "NET-234",
        {
            "services": monitor(
                "ServiceMonitor",
                matchExpressions=[
                    {"key": "a", "operator": "Exists"},
                    {"key": "a", "operator": "NotIn", "values": [""]},
                ],
            )
        },
        ("services spec selector matchLabels", {"a-b": "1", "a.b": "2"}, "asks for a-b=1 and for a.b=2, whose labels"),
    ),
    case(
        "NET-235",
        {"group": group(), "leaders": service(**{GROUP: "0"}), "other": service(app="other")},
        ("leaders spec selector", dict(APP), "selects the workers of LeaderWorkerSet team/web as well"),
        ("other spec selector app", "web", "selects the workers of LeaderWorkerSet team/web as well"),
        complete=False,
    ),
    case(
        "NET-235",
        {"group": group(), "names": put({"a": service()}, ("a", "spec", "clusterIP"), "None")["a"]},
        ("names spec clusterIP", "10.0.0.1", "selects the workers of LeaderWorkerSet team/web as well"),
        complete=False,
    ),
    case(
        "NET-235",
        {"group": put({"a": group()}, ("a", "spec", "leaderWorkerTemplate", "size"), 1)["a"], "service": service()},
        ("group spec leaderWorkerTemplate size", 2, "selects the workers of LeaderWorkerSet team/web as well"),
        complete=False,
    ),
    *(
        case(
            "NET-235",
            {"group": changed, "service": service()},
            (path, value, "selects the workers of LeaderWorkerSet team/web as well"),
            complete=False,
        )
        for changed, path, value in (
            (
                group(args=["vllm serve m"]),
                "group spec leaderWorkerTemplate workerTemplate spec containers 0 args 0",
                RANK,
            ),
            (
                group(readinessProbe={"httpGet": {"port": 8000}}),
                "group spec leaderWorkerTemplate workerTemplate spec containers 0 readinessProbe",
                None,
            ),
        )
    ),
    case(
        "NET-236",
        {
            "ray": ray(),
            "open": policy(peers(**APP), peers({"port": 6379}, app="other")),
            "range": policy(peers({"port": 10000, "endPort": 20000}, {"port": 6379}, **APP)),
            "world": policy({"ports": [{"port": 8265}]}, {}, peers({"port": 1}, **APP)),
            "others": policy(peers({"port": 1}, app="other")),
            "elsewhere": policy(peers({"port": 1}, **APP), app="other"),
        },
        ("open spec ingress 0 ports", [{"port": 10001}], "lets the pods of RayCluster team/web talk on 10001 alone"),
        ("range spec ingress 0 ports 0 endPort", GONE, "talk on 10000, 6379 alone"),
        ("world spec ingress 1", {"ports": [{"port": 2}]}, "talk on 8265, 2, 1 alone"),
        ("others spec ingress 0 from", [], "talk on 1 alone"),
        ("elsewhere spec podSelector matchLabels app", "web", "talk on 1 alone"),
    ),
    case(
        "NET-236",
        {
            "job": gang(),
            "alone": v.manifest("v1", "Pod", "alone", "team", labels={"app": "other"}, spec=v.pod_spec()),
            "guard": policy(peers({"port": 1}, app="other"), app="other"),
            "policy": policy(peers(**APP)),
        },
        ("policy spec ingress 0", {"ports": [{"port": 29500}]}, "lets the pods of PyTorchJob"),
    ),
    case(
        "NET-237",
        {
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                "team",
                spec={
                    "containers": [v.container(command=["sh", "-c", "ray start --ip=$(hostname -f)"])],
                    "hostNetwork": True,
                },
            ),
            "own": v.manifest("v1", "Pod", "y", "team", spec={"containers": [v.container(command=["hostname -i"])]}),
            "cpus": v.manifest(
                "v1",
                "Pod",
                "z",
                "team",
                spec={"containers": [{"name": "a", "command": ["hostname -i"], "resources": {}}], "hostNetwork": True},
            ),
        },
        (
            "pod spec containers 0 command 2",
            "ip=$(hostname -i)",
            "pod has hostNetwork and takes its address from hostname",
        ),
        ("own spec hostNetwork", True, "takes its address from hostname"),
        ("cpus spec containers 0 resources limits", {"nvidia.com/gpu": 1}, "takes its address from hostname"),
    ),
    case(
        "NET-229",
        {
            "pool": pool(port={"number": 80}),
            "service": service(),
            "route": route(),
            "old": route(namespace="b", group="c"),
        },
        ("pool spec endpointPickerRef port number", 9002, "leads to the port 9002 of Service web"),
        ("pool spec", {"extensionRef": {"name": "web", "portNumber": 9002}}, "leads to the port 9002 of Service web"),
        (
            "route spec rules 0 backendRefs 0 group",
            "inference.networking.x-k8s.io",
            f"leads to InferencePool web of the API group inference.networking.x-k8s.io, and it is of {POOL}",
        ),
        ("old spec rules 0 backendRefs 0 namespace", GONE, "of the API group c"),
    ),
    case(
        "NET-229",
        {"pool": pool(kind="Other", port={"number": 9}), "service": service(), "route": route(name="none", group="c")},
        ("pool spec endpointPickerRef kind", "Service", "leads to the port 9 of Service web"),
        ("route spec rules 0 backendRefs 0 name", "web", "of the API group c"),
    ),
    case(
        "NET-227",
        {
            "ray": ray(),
            "head": service(**{"app.kubernetes.io/name": "kuberay", "ray.io/node-type": "head"}),
            "named": {**monitor(matchLabels=dict(APP)), "metadata": {"name": "web-head", "namespace": "team"}},
        },
        (
            "head spec selector app.kubernetes.io/name",
            "ray",
            "selects app.kubernetes.io/name=ray, which the pods of RayC",
        ),
        ("named spec selector matchLabels app", "head", "selects app=head, which the pods of RayCluster team/web do"),
    ),
    case(
        "NET-227",
        {
            "pods": v.manifest(
                "v1",
                "Pod",
                "seldon-web",
                "team",
                labels=dict(APP),
                spec={"containers": [{"name": "a", "image": "a:1"}]},
            ),
            "named": monitor(matchLabels=dict(APP)),
        },
        ("named spec selector matchLabels app", "other", "selects app=other, which the pods of Pod team/seldon-web do"),
    ),
    case(
        "SCH-429",
        {
            "job": v.manifest(
                "batch/v1",
                "Job",
                "x",
                "team",
                spec={
                    "template": {
                        "metadata": {
                            "annotations": {
                                f"{PODSET}required-topology": "rack",
                                f"{PODSET}slice-required-topology": "rack",
                                f"{PODSET}slice-size": "2",
                            }
                        },
                        "spec": {"containers": [{"name": "a", "image": "a:1"}]},
                    }
                },
            ),
            "other": v.manifest("v1", "Pod", "y", "team", spec={"containers": [{"name": "a", "image": "a:1"}]}),
        },
        (
            f"job spec template metadata annotations {PODSET}preferred-topology",
            "block",
            f"pod has the annotations {PODSET}required-topology and {PODSET}preferred-topology. Kueue refuses",
        ),
        (
            f"job spec template metadata annotations {PODSET}slice-size",
            GONE,
            f"pod has the annotation {PODSET}slice-required-topology without {PODSET}slice-size",
        ),
    ),
    case(
        "GPU-131",
        {
            "settings": settings(),
            "other": settings("other", "a:\n  flags: {renameByDefault: true}\n"),
            "more": settings("more", "LEVEL: debug"),
            "plugin": plugin(),
            "web": {
                **plugin(image="web:1", envFrom=[{"configMapRef": {"name": "sharing"}}]),
                "metadata": {"name": "web", "namespace": "kube-system"},
            },
            "away": {
                **plugin(envFrom=[{"configMapRef": {"name": "sharing"}}]),
                "metadata": {"name": "away", "namespace": "b"},
            },
        },
        (
            "settings data any",
            "version: v1\nflags:\n  renameByDefault: true\n",
            "flags.renameByDefault stands where the device plugin does not read it",
        ),
        ("settings data any", "sharing:\n  failRequestsGreaterThanOne: true\n", "sharing.failRequestsGreaterThanOne"),
        (
            "plugin spec template spec containers 0 envFrom 0 configMapRef name",
            "sharing",
            "takes the device plugin's settings of ConfigMap kube-system/sharing as variables",
        ),
        ("web spec template spec containers 0 image", PLUGIN, "takes the device plugin's settings"),
        ("away metadata namespace", "kube-system", "takes the device plugin's settings"),
    ),
    case(
        "GPU-131",
        {
            "operator": v.gpu_operator(devicePlugin={"config": {"data": {"any": SHARED}}}),
            "plugin": plugin(envFrom=[{"configMapRef": {"name": "gpu-operator"}}]),
        },
        (
            "operator helmRelease values devicePlugin config data any",
            "flags: {renameByDefault: true}",
            "flags.renameByDefault stands where",
        ),
    ),
    case(
        "TRN-524",
        {
            "cluster": ray(resources="'{\"NPU\": 1}'"),
            "job": ray("RayJob", "rayClusterSpec"),
            "service": ray("RayService", "rayClusterConfig"),
            "own": {**ray(), "metadata": {"name": "own", "annotations": {"ray.io/overwrite-container-cmd": "true"}}},
        },
        (f"cluster {RAY} resources", '{"NPU": 1}', 'rayStartParams.resources of the head is {"NPU": 1}, which'),
        ("job spec rayClusterSpec workerGroupSpecs 0 rayStartParams labels", " {}", "rayStartParams.labels of gpus is"),
        (
            "service spec rayClusterConfig headGroupSpec rayStartParams labels",
            "{}",
            "rayStartParams.labels of the head",
        ),
        (
            "own",
            ray(resources="{}"),
            "rayStartParams.resources",
        ),
    ),
    case(
        "TRN-524",
        {
            "own": {
                **ray(resources="{}"),
                "metadata": {"name": "own", "annotations": {"ray.io/overwrite-container-cmd": "true"}},
            }
        },
        ("own metadata annotations", {}, "rayStartParams.resources of the head is {}"),
    ),
    case(
        "INF-605",
        {"scaler": scaler(), "made": scaler("vllm_kv_cache_usage"), "rules": rules("other", "vllm_kv_cache_usage")},
        (
            "scaler spec triggers 0 metadata query",
            "avg(vllm_num_requests_waiting)",
            "asks Prometheus for vllm_num_requests_waiting, which vLLM calls vllm:num_requests_waiting",
            "advisory",
        ),
        ("rules spec groups 0 rules 1 record", "x", "asks Prometheus for vllm_kv_cache_usage"),
    ),
    case(
        "INF-616",
        {
            "runtime": v.manifest(
                "serving.kserve.io/v1alpha1",
                "ServingRuntime",
                "x",
                "team",
                spec={
                    "containers": [
                        {
                            "name": "server",
                            "image": "a:1",
                            "ports": [{"name": "rest", "containerPort": 8080}],
                            "startupProbe": {"httpGet": {"port": "rest"}},
                            "livenessProbe": {"httpGet": {"port": 9000}},
                        }
                    ]
                },
            )
        },
        (
            "runtime spec containers 0 ports",
            [],
            "startupProbe asks the port rest, which container server has not",
            "advisory",
        ),
    ),
    case(
        "INF-621",
        {
            "server": cached("--cpu-offload-gb", "49", LMCACHE_MAX_LOCAL_CPU_SIZE="49"),
            "disk": cached(LMCACHE_MAX_LOCAL_DISK_SIZE="49", LMCACHE_LOCAL_DISK="file:///cache/a"),
            "volume": cached(LMCACHE_MAX_LOCAL_DISK_SIZE="500", LMCACHE_LOCAL_DISK="file:///disk/a"),
            "degrees": cached("--swap-space", "80", "-dp", "$(COPIES)"),
        },
        (
            "server spec containers 0 args 3",
            "50",
            "--cpu-offload-gb is 50 GiB for each of 2 ranks, and the limit of memory",
        ),
        ("server spec containers 0 env 0 value", "50", "LMCACHE_MAX_LOCAL_CPU_SIZE is 50 GiB for each of 2 ranks"),
        ("disk spec containers 0 env 0 value", "50", "LMCACHE_MAX_LOCAL_DISK_SIZE is 50 GiB"),
        ("volume spec volumes 0", {"name": "disk", "emptyDir": {}}, "and the limit of ephemeral-storage is 100 GiB"),
        ("volume spec containers 0 env 1 value", "file:///var/a", "LMCACHE_MAX_LOCAL_DISK_SIZE is 500 GiB"),
        ("degrees spec containers 0 args 5", "2", "--swap-space is 80 GiB for each of 4 ranks"),
    ),
]
