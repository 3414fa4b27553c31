"""Cases of rules on claims, queues, pools, probes and variables that exclude one another: each from a public thread."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, Case, case

LABELS = {"app": "web"}
EXISTS = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
MOUNT = [{"name": "state", "persistentVolumeClaim": {"claimName": "state"}}]
POD = "spec template spec"


def web(name: str = "web", gpus: int = 0, **spec: Any) -> v.Doc:
    """A Deployment of one pod with a claim."""
    main = {"name": "main", "image": "r.example/web:1", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [main], "volumes": MOUNT}}
    made = {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": dict(LABELS)},
        "template": template,
    }
    return v.manifest("apps/v1", "Deployment", name, "serve", spec={**made, **spec})


def claim(mode: str = "ReadWriteOnce", **spec: Any) -> v.Doc:
    made = {"accessModes": [mode], "resources": {"requests": {"storage": "10Gi"}}, **spec}
    return v.manifest("v1", "PersistentVolumeClaim", "state", "serve", spec=made)


def volume(**spec: Any) -> v.Doc:
    made = {"accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "capacity": {"storage": "10Gi"}, **spec}
    return v.manifest("v1", "PersistentVolume", "disk", spec={"storageClassName": "local", **made})


def job(mode: str = "Pod") -> v.Doc:
    return v.manifest(
        "v1", mode, "reader", "serve", spec={"containers": [{"name": "r", "image": "r:1"}], "volumes": MOUNT}
    )


def volcano(**spec: Any) -> v.Doc:
    main = {"name": "a", "image": "x:1", "resources": {"limits": {"nvidia.com/gpu": 4}}}
    task = {"name": "t", "replicas": 2, "template": {"spec": {"containers": [main]}}}
    return v.manifest("batch.volcano.sh/v1alpha1", "Job", "train", spec={"queue": "a", "tasks": [task], **spec})


def queue(gpus: int, api: str = "scheduling.volcano.sh/v1beta1") -> v.Doc:
    return v.manifest(api, "Queue", "a", spec={"capability": {"nvidia.com/gpu": gpus}})


def pool(**template: Any) -> v.Doc:
    spec = {
        "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
        "requirements": [{"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["g6"]}],
    }
    made = {"metadata": {"labels": {"type": "gpu"}}, "spec": spec, **template}
    return v.manifest("karpenter.sh/v1", "NodePool", "gpu", spec={"template": made})


def picky(selector: dict[str, str], *tolerations: dict[str, str]) -> v.Doc:
    spec = {"containers": [{"name": "a", "image": "a:1"}], "nodeSelector": selector, "tolerations": list(tolerations)}
    return v.manifest("v1", "Pod", "p", "serve", spec=spec)


def told(*words: str, kind: str = "command", **container: Any) -> v.Doc:
    main = {"name": "main", "image": "a:1", kind: list(words), **container}
    return v.manifest("v1", "Pod", "p", "serve", spec={"containers": [main]})


def torch(number: str, *command: str, gpus: int = 8) -> v.Doc:
    made = v.pytorch_job(nprocPerNode=number)
    for role in made["spec"]["pytorchReplicaSpecs"].values():
        main = role["template"]["spec"]["containers"][0]
        main.pop("args", None)
        main |= {"command": list(command), "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return made


def labels_policy(**peer: Any) -> v.Doc:
    spec = {"podSelector": {"matchLabels": LABELS}, "ingress": [{"from": [peer]}]}
    return v.manifest("networking.k8s.io/v1", "NetworkPolicy", "web", "serve", spec=spec)


def service(**spec: Any) -> v.Doc:
    made = {"selector": LABELS, "ports": [{"port": 80, "targetPort": 8000}], **spec}
    return v.manifest(
        "v1", "Service", "web", "serve", spec={key: each for key, each in made.items() if each is not None}
    )


def ported(number: int, name: str = "web") -> v.Doc:
    """A Deployment that names a port."""
    made = web(name)
    if number:
        made["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": number}]
    return made


def ray(key: str = "", **group: Any) -> v.Doc:
    """A cluster that Ray scales, as it stands in one of its kinds."""
    first = {"containers": [{"name": "ray", "image": "ray:1", "resources": {"requests": {"cpu": 1}}}]}
    head = {"rayStartParams": {}, "template": {"spec": first}}
    worker = {
        "groupName": "w",
        "rayStartParams": {"num-cpus": "2"},
        "template": {"spec": {"containers": [{}]}},
        **group,
    }
    spec = {"enableInTreeAutoscaling": True, "headGroupSpec": head, "workerGroupSpecs": [worker]}
    kind = {"": "RayCluster", "rayClusterSpec": "RayJob", "rayClusterConfig": "RayService"}[key]
    return v.manifest("ray.io/v1", kind, "r", spec={key: spec} if key else spec)


def fixed() -> v.Doc:
    """A cluster of a fixed size."""
    made = ray(rayStartParams={})
    return {**made, "spec": {**made["spec"], "enableInTreeAutoscaling": False}}


def machines(*types: str) -> v.Doc:
    stated = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": list(types)}]
    return pool(spec={"taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}], "requirements": stated})


def greedy(gpus: int) -> v.Doc:
    """A pod that is meant for the pool, with GPUs."""
    made = picky({}, EXISTS)
    made["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
    return made


def patch(selector: dict[str, str]) -> v.Doc:
    """A Deployment that only changes another one, by its containers."""
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "main"}]}}
    spec = {"selector": {"matchLabels": selector}, "template": template}
    return v.manifest("apps/v1", "Deployment", "web", "serve", spec=spec)


OTHER = {"name": "web", "namespace": "serve"}
GATEWAY = {"matchLabels": {**LABELS, "gateway": "yes"}}
STACK = v.release("kube-prometheus-stack", "87.16.1", "monitoring")
SURGES = "starts its new pod beside the old one, and both mount claim state"
CASES: list[Case] = [
    case(
        "NET-233",
        {
            "web": web(),
            "gateway": labels_policy(podSelector={"matchLabels": {"gateway": "yes"}}),
            "own": labels_policy(podSelector={"matchLabels": LABELS}),
            "far": labels_policy(podSelector=GATEWAY, namespaceSelector={}),
        },
        (
            "gateway spec ingress 0 from 0 podSelector",
            GATEWAY,
            "has a peer with gateway=yes and all labels of its own pods",
        ),
        ("far spec ingress 0 from 0 namespaceSelector", GONE, "has a peer with gateway=yes"),
    ),
    case(
        "NET-233",
        {
            "web": web(),
            "blue": web("blue", template={**web()["spec"]["template"], "metadata": {"labels": GATEWAY["matchLabels"]}}),
            "policy": labels_policy(podSelector=GATEWAY),
            "none": {**labels_policy(podSelector=GATEWAY), "metadata": {"name": "web", "namespace": "empty"}},
            "all": {
                **labels_policy(),
                "spec": {"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"a": "b"}}}]}]},
            },
        },
        ("blue spec template metadata labels", LABELS, "has a peer with gateway=yes"),
    ),
    case(
        "NET-227",
        {"web": web(), "service": service(), "out": {**service(type="ExternalName", selector=None), "metadata": OTHER}},
        ("service spec selector", GONE, "has no selector, and so none of the pods of Deployment serve/web"),
        ("service spec selector", {}, "has no selector"),
        ("out spec type", "ClusterIP", "has no selector"),
    ),
    case(
        "NET-227",
        {"web": web(), "all": {**service(selector=None), "metadata": {"name": "web-all", "namespace": "serve"}}},
        ("all metadata name", "web", "has no selector, and so none of the pods of Deployment serve/web"),
    ),
    case(
        "NET-228",
        {"web": ported(8000), "job": ported(8000, "web-two"), "none": ported(0, "bare"), "service": service()},
        (
            "job spec template spec containers 0 ports 0 containerPort",
            9000,
            "leads port 8000 of Deployment serve/web to Deployment serve/web-two as well",
        ),
        ("web spec template spec containers 0 ports 0 containerPort", 9000, "to Deployment serve/web as well"),
    ),
    case(
        "STO-708",
        {"claim": claim(), "web": web()},
        ("web spec strategy", {"type": "RollingUpdate"}, SURGES),
        ("web spec strategy", GONE, SURGES),
        ("web spec replicas", 2, "has 2 replicas, which all mount claim state, which is ReadWriteOnce"),
    ),
    case(
        "STO-708",
        {
            "claim": claim(),
            "web": web(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}),
        },
        ("web spec strategy rollingUpdate maxSurge", 1, SURGES),
        ("web spec strategy rollingUpdate maxSurge", "25%", SURGES),
    ),
    case(
        "STO-708",
        {"claim": claim("ReadWriteMany"), "web": web(strategy={}), "reader": job()},
        ("claim spec accessModes", ["ReadWriteOnce"], "Deployment serve/web and Pod serve/reader mount claim state"),
    ),
    case(
        "STO-708",
        {"claim": claim(), "web": web(gpus=1, replicas=3)},
        (f"web {POD} containers 0 resources", {}, "has 3 replicas, which all mount"),
    ),
    case(
        "STO-708",
        {"claim": claim(), "off": web(replicas=0, strategy={}), "file": {**web("elsewhere"), "file": "b.yaml"}},
        ("off spec replicas", 1, SURGES),
        complete=False,
    ),
    case(
        "STO-709",
        {"claim": claim("ReadWriteOncePod"), "both": claim("ReadWriteOnce")},
        (
            "claim spec accessModes",
            ["ReadWriteOnce", "ReadWriteOncePod"],
            "asks for ReadWriteOnce, ReadWriteOncePod: ReadWriteOncePod stands alone",
        ),
    ),
    case(
        "STO-709",
        {"claim": claim(volumeName="disk", storageClassName="local", volumeMode="Filesystem"), "disk": volume()},
        ("claim spec storageClassName", "fast", "names PersistentVolume disk, whose class is local, not fast"),
        ("claim spec storageClassName", "", "whose class is local, not"),
        ("disk spec storageClassName", GONE, "whose class is none, not local"),
        ("claim spec accessModes", ["ReadWriteMany"], "which has not ReadWriteMany"),
        ("claim spec resources requests storage", "11Gi", "which has 10737418240 bytes of 11811160064"),
        ("claim spec volumeMode", "Block", "whose volumeMode is Filesystem, not Block"),
    ),
    case(
        "STO-709",
        {
            "claim": claim(volumeName="other", storageClassName="fast"),
            "none": {**claim(volumeName="disk"), "metadata": {"name": "n", "namespace": "serve"}},
            "disk": volume(),
        },
        ("claim spec volumeName", "disk", "whose class is local, not fast"),
    ),
    case(
        "STO-709",
        # Kubernetes binds a volume that names its claim and compares nothing.
        {
            "claim": claim(volumeName="disk", storageClassName="fast"),
            "disk": volume(claimRef={"namespace": "serve", "name": "state"}),
        },
        ("disk spec claimRef", GONE, "whose class is local, not fast"),
    ),
    case(
        "SCH-426",
        {
            "spot": v.manifest(
                "kueue.x-k8s.io/v1beta1",
                "ResourceFlavor",
                "spot",
                spec={
                    "nodeTaints": [{"key": "spot", "value": "true", "effect": "NoSchedule"}],
                    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
                },
            )
        },
        ("spot spec tolerations 0 key", "spot", "tolerates its own taint spot:NoSchedule"),
    ),
    case(
        "SCH-427",
        {"job": volcano(), "queue": queue(8)},
        ("queue spec capability nvidia.com/gpu", 7, "asks for 8 nvidia.com/gpu at once, Queue a has at most 7"),
        ("job spec tasks 0 replicas", 3, "asks for 12 nvidia.com/gpu at once"),
        ("job spec tasks", [*volcano()["spec"]["tasks"], *volcano()["spec"]["tasks"]], "asks for 16 nvidia.com/gpu"),
    ),
    case(
        "SCH-427",
        {"job": volcano(minAvailable=1), "queue": queue(7)},
        ("job spec minAvailable", 2, "asks for 8 nvidia.com/gpu at once"),
    ),
    case(
        "SCH-427",
        {
            "job": volcano(tasks=[{**volcano()["spec"]["tasks"][0], "minAvailable": 1}]),
            "queue": queue(7),
        },
        ("job spec tasks 0 minAvailable", GONE, "asks for 8 nvidia.com/gpu at once"),
    ),
    case(
        "SCH-427",
        {"job": volcano(), "queue": queue(7, "scheduling.run.ai/v2")},
        ("queue", queue(7), "asks for 8 nvidia.com/gpu at once"),
    ),
    case(
        "SCH-428",
        {"pool": pool(), "pod": picky({"type": "gpu", "karpenter.k8s.aws/instance-family": "g6"}, EXISTS)},
        ("pod spec nodeSelector type", "cpu", "asks for a node that no NodePool makes: NodePool gpu has not type=cpu"),
        ("pod spec nodeSelector", {"tier": "a"}, "NodePool gpu has not tier=a"),
        (
            "pod spec nodeSelector",
            {"karpenter.k8s.aws/instance-family": "p5"},
            "has not karpenter.k8s.aws/instance-family=p5",
        ),
    ),
    case(
        "SCH-428",
        {
            "pool": pool(),
            "second": pool(metadata={"labels": {"type": "cpu"}}),
            "pod": picky({"type": "cpu", "kubernetes.io/arch": "arm64"}, EXISTS),
            "other": picky({"type": "none"}),
        },
        ("second spec template metadata labels type", "gpu", "has not type=cpu; NodePool gpu has not type=cpu"),
        ("other spec tolerations", [EXISTS], "has not type=none"),
    ),
    case(
        "SCH-428",
        {"pool": pool(spec={"requirements": []}), "pod": picky({"type": "none"}, EXISTS)},
        ("pool spec template", pool()["spec"]["template"], "has not type=none"),
    ),
    case(
        "SCH-428",
        {"pool": machines("g5.12xlarge", "g4dn.xlarge"), "pod": greedy(4)},
        ("pool", machines("g4dn.2xlarge", "g4dn.xlarge"), "NodePool gpu has not a machine with 4 GPUs"),
        ("pod spec containers 0 resources limits nvidia.com/gpu", 5, "has not a machine with 5 GPUs"),
    ),
    case(
        "SCH-428",
        {"pool": machines("g4dn.xlarge", "nobody.knows"), "pod": greedy(4)},
        ("pool", machines("g4dn.xlarge"), "has not a machine with 4 GPUs"),
    ),
    case(
        "OBJ-912",
        {"web": web(), "other": {**web(), "apiVersion": "example.org/v1"}},
        ("web spec selector matchLabels app", "api", "selects app=api, which its own pod template does not have"),
        ("web spec template metadata labels", {"app": "api"}, "selects app=web, which its own pod template"),
    ),
    case(
        "OBJ-912",
        {
            "other": {
                **web(),
                "apiVersion": "example.org/v1",
                "spec": {**web()["spec"], "selector": {"matchLabels": {"a": "b"}}},
            },
            "patch": {**patch({"a": "b"}), "file": "patch.yaml"},
        },
        ("other apiVersion", "apps/v1", "selects a=b"),
        ("patch spec template spec containers 0 image", "web:1", "selects a=b"),
    ),
    case(
        "TRN-523",
        {"cluster": ray(), "job": ray("rayClusterSpec"), "service": ray("rayClusterConfig")},
        (
            "cluster spec workerGroupSpecs 0 rayStartParams",
            {},
            "is scaled by Ray, and the group w says neither num-cpus nor what cpu its container has",
        ),
        ("cluster spec headGroupSpec template spec containers 0 resources", {}, "and the group head says neither"),
        ("job spec rayClusterSpec workerGroupSpecs 0 rayStartParams", {}, "and the group w says neither"),
        ("service spec rayClusterConfig workerGroupSpecs 0 rayStartParams", {}, "and the group w says neither"),
    ),
    case(
        "TRN-523",
        {
            "limited": ray(
                rayStartParams={}, template={"spec": {"containers": [{"resources": {"limits": {"cpu": 1}}}, {}]}}
            ),
            "hand": fixed(),
        },
        ("limited spec workerGroupSpecs 0 template spec containers 0 resources limits", {}, "and the group w says"),
        ("hand spec enableInTreeAutoscaling", True, "and the group w says neither"),
    ),
    case(
        "OBJ-911",
        {"pod": told("python3", "-m", "a", "--addr", "$(MASTER_ADDR):1", "--cost", "$PRICE")},
        ("pod spec containers 0 command 4", "$MASTER_ADDR:1", "container main has $MASTER_ADDR in its arguments"),
        ("pod spec containers 0 command 4", "${WORLD_SIZE}", "has $WORLD_SIZE in its arguments"),
        ("pod spec containers 0 env", [{"name": "PRICE", "value": "1"}], "has $PRICE in its arguments"),
    ),
    case(
        "OBJ-911",
        {
            "shell": told("bash", "-c", "a $RANK"),
            "later": told("timeout", "60", "sh", "-c", "a $RANK"),
            "python": told("python3", "-c", "$RANK"),
            "image": told("$RANK", kind="args"),
            "doubled": told("a", "$$RANK"),
        },
        ("shell spec containers 0 command", ["a", "$RANK"], "has $RANK in its arguments"),
        ("python spec containers 0 command 1", "x", "has $RANK in its arguments"),
        ("later spec containers 0 command", ["timeout", "60", "a", "$RANK"], "has $RANK in its arguments"),
        ("image spec containers 0 command", ["a"], "has $RANK in its arguments"),
        ("doubled spec containers 0 command 1", "$RANK", "has $RANK in its arguments"),
    ),
    case(
        "INF-620",
        {"pod": told("a", livenessProbe={"exec": {"command": ["sh", "-c", "exit 1"]}}, readinessProbe={"httpGet": {}})},
        (
            "pod spec containers 0 livenessProbe exec command 2",
            "exit 0",
            "livenessProbe of container main is `sh -c exit 0`, which always succeeds",
        ),
        ("pod spec containers 0 livenessProbe exec command", ["/bin/true"], "is `/bin/true`, which always succeeds"),
    ),
    case(
        "TRN-522",
        {"job": torch("auto", "torchrun", "train.py")},
        (
            "job spec pytorchReplicaSpecs Worker template spec containers 0 command",
            ["python", "train.py"],
            "nprocPerNode is auto for 8 GPUs, and Worker starts a script without a launcher",
        ),
    ),
    case(
        "TRN-522",
        {"one": torch("1", "python", "a.py"), "single": torch("auto", "python", "a.py", gpus=1)},
        ("one spec nprocPerNode", "8", "nprocPerNode is 8 for 8 GPUs"),
        ("single", torch("auto", "python", "a.py", gpus=2), "nprocPerNode is auto for 2 GPUs"),
    ),
    case(
        "TRN-522",
        {
            "module": torch("auto", "python", "-m", "torch.distributed.run", "a.py"),
            "file": torch("auto", "./run.sh"),
            "own": torch("auto", "./train"),
        },
        (
            "module spec pytorchReplicaSpecs Worker template spec containers 0 command",
            ["python3.11", "a.py"],
            "nprocPerNode is auto",
        ),
        (
            "file spec pytorchReplicaSpecs Worker template spec containers 0 command",
            ["python", "a.py"],
            "nprocPerNode is auto",
        ),
    ),
    case(
        "GPU-130",
        {
            "operator": v.gpu_operator(dcgmExporter={"serviceMonitor": {"enabled": True}}),
            "stack": STACK,
        },
        (
            "operator helmRelease values dcgmExporter serviceMonitor enabled",
            False,
            "dcgmExporter.serviceMonitor.enabled is false beside kube-prometheus-stack",
        ),
    ),
    case(
        "GPU-130",
        {"operator": v.gpu_operator(dcgmExporter={"serviceMonitor": {"enabled": False}})},
        ("stack", STACK, "is false beside kube-prometheus-stack"),
    ),
]
