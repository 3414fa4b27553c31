"""What objects name of one another: volumes, keys, variables, ports of routes, targets of autoscalers, modes of claims."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import Case, case

APP = {"app": "web"}


def container(**more: Any) -> v.Doc:
    return {"name": "main", "image": "registry.example/a:1", **more}


def workload(kind: str = "Deployment", name: str = "web", volumes: Any = (), **more: Any) -> v.Doc:
    pod = {"containers": [container(**more)], "volumes": list(volumes)}
    spec = {"selector": {"matchLabels": APP}, "template": {"metadata": {"labels": dict(APP)}, "spec": pod}}
    return v.manifest("apps/v1", kind, name, "serve", spec=spec)


def service(**spec: Any) -> v.Doc:
    ports = [{"name": "http", "port": 80, "targetPort": 8000}]
    return v.manifest("v1", "Service", "web", "serve", spec={"selector": dict(APP), "ports": ports, **spec})


def route(**ref: Any) -> v.Doc:
    rules = [{"backendRefs": [{"name": "web", "port": 80, **ref}]}]
    return v.manifest("gateway.networking.k8s.io/v1", "HTTPRoute", "web", "serve", spec={"rules": rules})


def ingress(**port: Any) -> v.Doc:
    backend = {"service": {"name": "web", "port": port}}
    spec = {"defaultBackend": backend, "rules": [{"http": {"paths": [{"path": "/", "backend": dict(backend)}]}}]}
    return v.manifest("networking.k8s.io/v1", "Ingress", "web", "serve", spec=spec)


def scaler(**target: Any) -> v.Doc:
    wanted = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", **target}
    return v.manifest("autoscaling/v2", "HorizontalPodAutoscaler", "web", "serve", spec={"scaleTargetRef": wanted})


def claim(**spec: Any) -> v.Doc:
    made = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", **spec}
    return v.manifest("v1", "PersistentVolumeClaim", "model", "serve", spec=made)


def policy(**labels: str) -> v.Doc:
    spec = {"podSelector": {"matchLabels": labels}}
    return v.manifest("networking.k8s.io/v1", "NetworkPolicy", "web", "serve", spec=spec)


def labelled() -> v.Doc:
    return v.manifest("v1", "Service", "web", "serve", labels=dict(APP), spec={"ports": [{"port": 80}]})


def monitor(**labels: str) -> v.Doc:
    spec = {"selector": {"matchLabels": labels}, "endpoints": [{"port": "http"}]}
    return v.manifest("monitoring.coreos.com/v1", "ServiceMonitor", "web", "serve", spec=spec)


def gpu_pod(gpus: int) -> v.Doc:
    limits = {"limits": {"nvidia.com/gpu": gpus}}
    return v.manifest("v1", "Pod", "train", "team", spec={"containers": [container(resources=limits)]})


def queued(**spec: Any) -> v.Doc:
    pod = {"restartPolicy": "Never", "containers": [container()], **spec}
    return v.manifest("batch/v1", "Job", "train", "team", labels=dict(QUEUE), spec={"template": {"spec": pod}})


def two_flavors() -> v.Doc:
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "h100"}, {"name": "a100"}]}]
    return v.manifest("kueue.x-k8s.io/v1beta2", "ClusterQueue", "gpus", spec={"resourceGroups": groups})


POD = "spec containers 0"
QUEUE = {"kueue.x-k8s.io/queue-name": "training"}
FAST = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}}
DISKS = {**FAST, "provisioner": "ebs.csi.aws.com"}
FIRST = "spec template spec containers 0"
HUB = {"name": "hub", "key": "token"}
KEY = [{"name": "TOKEN", "valueFrom": {"secretKeyRef": HUB}}]
MAYBE = [{"name": "A", "valueFrom": {"secretKeyRef": {**HUB, "optional": True}}}]
PLACE = [{"name": "URL", "valueFrom": {"configMapKeyRef": {"name": "site", "key": "url"}}}]
NETWORKS = "k8s.v1.cni.cncf.io/networks"
DISK = [{"name": "data", "emptyDir": {}}]
STATEFUL = workload("StatefulSet", "db", volumeMounts=[{"name": "disk"}])
STATEFUL["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "disk"}}]
CASES: list[Case] = [
    case(
        "OBJ-906",
        {"web": workload(volumes=DISK, volumeMounts=[{"name": "data"}]), "set": STATEFUL, "job": v.pytorch_job()},
        (f"web {FIRST} volumeMounts 0 name", "wal", "container main mounts wal, which is no volume", "mandatory"),
        (f"set {FIRST} volumeMounts 0 name", "wal", "mounts wal, which is no volume", "mandatory"),
        (
            "job spec pytorchReplicaSpecs Worker template spec containers 0 volumeMounts",
            [{"name": "late"}],
            "mounts late, which is no volume",
            "advisory",
        ),
    ),
    case(
        "OBJ-907",
        {
            "web": workload(env=[*KEY, *PLACE]),
            "secret": v.manifest("v1", "Secret", "hub", "serve", stringData={"token": "x"}),
            "config": v.manifest("v1", "ConfigMap", "site", "serve", data={"url": "x"}),
        },
        ("config data", {"address": "x"}, "asks ConfigMap site for the key url, which it does not have", "mandatory"),
        ("secret stringData", {"tokens": "x"}, "asks Secret hub for the key token"),
        (f"web {FIRST} env 0 valueFrom secretKeyRef key", "password", "asks Secret hub for the key password"),
    ),
    case(
        "OBJ-907",
        {
            "web": {**workload(env=KEY), "file": "a.yaml"},
            "secret": {**v.manifest("v1", "Secret", "hub", "serve", data={"other": "x"}), "file": "b.yaml"},
        },
        (
            "secret",
            {**v.manifest("v1", "Secret", "hub", "serve", data={"other": "x"}), "file": "a.yaml"},
            "asks Secret hub for the key token",
        ),
        complete=False,
    ),
    case(
        "OBJ-907",
        {
            "web": workload(env=MAYBE),
            "secret": v.manifest("v1", "Secret", "hub", "serve", data={}),
        },
        (f"web {FIRST} env 0 valueFrom secretKeyRef optional", False, "asks Secret hub for the key token", "advisory"),
    ),
    case(
        "OBJ-908",
        {"web": workload(args=["--port=$(PORT)", "--a=$$(B)"], env=[{"name": "PORT", "value": "1"}])},
        (f"web {FIRST} args 0", "--port=$(VLLM_PORT)", "container main uses $(VLLM_PORT), which nobody sets"),
        (f"web {FIRST} env 0 name", "OTHER", "uses $(PORT), which nobody sets"),
    ),
    case(
        "OBJ-908",
        {
            "shell": workload(name="shell", command=["/bin/bash", "-c", "echo $(HOST)"]),
            "from": workload(name="from", args=["$(HOST)"], envFrom=[{"configMapRef": {"name": "a"}}]),
            "job": v.train_job(args=["$(HOST)"]),
        },
        (f"shell {FIRST} command 0", "/bin/server", "uses $(HOST), which nobody sets"),
        (f"from {FIRST} envFrom", [], "container main uses $(HOST)"),
    ),
    case(
        "OBJ-909",
        {"web": workload()},
        ("web metadata annotations", {NETWORKS: "rail-0"}, f"the annotation {NETWORKS} stands on the Deployment"),
        ("web metadata annotations", {"io.kubernetes.cri-o.ShmSize": "8Gi"}, "not on its pod template"),
    ),
    case(
        "OBJ-909",
        {
            "pod": v.manifest(
                "v1", "Pod", "a", "serve", annotations={NETWORKS: "a"}, spec={"containers": [container()]}
            ),
            "both": v.manifest(
                "apps/v1",
                "Deployment",
                "b",
                "serve",
                annotations={NETWORKS: "a", "team": "b"},
                spec={
                    "template": {"metadata": {"annotations": {NETWORKS: "a"}}, "spec": {"containers": [container()]}}
                },
            ),
        },
        ("both spec template metadata annotations", {"x": "y"}, f"the annotation {NETWORKS} stands on the Deployment"),
    ),
    case(
        "NET-229",
        {"service": service(), "route": route(), "ingress": ingress(number=80), "named": ingress(name="http")},
        (
            "route spec rules 0 backendRefs 0 port",
            8000,
            "leads to the port 8000 of Service web, which it does not have",
        ),
        ("ingress spec rules 0 http paths 0 backend service port number", 8000, "leads to the port 8000"),
        ("ingress spec defaultBackend service port number", 81, "leads to the port 81 of Service web"),
        ("named spec defaultBackend service port name", "web", "leads to the port web of Service web"),
    ),
    case(
        "NET-229",
        {
            "service": service(),
            "pool": route(kind="InferencePool", port=1),
            "far": route(namespace="other", port=1),
            "other": route(name="api", port=1),
        },
        ("pool spec rules 0 backendRefs 0 kind", "Service", "leads to the port 1 of Service web"),
        ("far spec rules 0 backendRefs 0 namespace", "serve", "leads to the port 1 of Service web"),
    ),
    case(
        "NET-229",
        {"service": {**service(), "file": "a.yaml"}, "route": {**route(port=1), "file": "b.yaml"}},
        ("route", {**route(port=1), "file": "a.yaml"}, "leads to the port 1 of Service web"),
        complete=False,
    ),
    case(
        "NET-229",
        {"service": service(ports=[]), "route": route(), "whole": route(port=None)},
        ("service spec ports", [{"port": 81}], "leads to the port 80 of Service web"),
    ),
    case(
        "NET-227",
        {"web": workload(), "policy": policy(app="web")},
        (
            "policy spec podSelector matchLabels app",
            "api",
            "NetworkPolicy serve/web: selects app=api, which the pods of",
        ),
    ),
    case(
        "NET-227",
        {"web": workload(), "other": workload(name="db"), "service": service()},
        ("service spec selector app", "api", "Service serve/web: selects app=api"),
    ),
    case(
        "INF-616",
        {"web": workload(ports=[{"containerPort": 8000}], livenessProbe={"httpGet": {"port": 8000}})},
        (
            f"web {FIRST} ports 0 containerPort",
            9000,
            "asks the port 8000, which container main does not name",
            "advisory",
        ),
    ),
    case(
        "INF-616",
        {"web": workload(livenessProbe={"httpGet": {"port": 8000}})},
        (f"web {FIRST} ports", [{"containerPort": 80}], "livenessProbe asks the port 8000, which container main"),
    ),
    case(
        "INF-616",
        {
            "options": workload(
                ports=[{"containerPort": 80}],
                args=["--health-probe-bind-address=:8081"],
                livenessProbe={"httpGet": {"port": 8081}},
            ),
            "variable": workload(
                name="variable",
                ports=[{"containerPort": 80}],
                env=[{"name": "HEALTH", "value": "0.0.0.0:8081"}],
                livenessProbe={"httpGet": {"port": 8081}},
            ),
        },
        (f"options {FIRST} args 0", "--health=:18081", "asks the port 8081, which container main does not name"),
        (f"variable {FIRST} env 0 value", "80812", "asks the port 8081, which container main does not name"),
    ),
    case(
        "INF-616",
        {
            "web": workload(
                ports=[{"containerPort": 53}, {"containerPort": 9153}], livenessProbe={"httpGet": {"port": 80}}
            ),
            "two": {
                **workload(name="two"),
                "spec": {
                    "template": {
                        "spec": {
                            "containers": [
                                container(ports=[{"containerPort": 1}], livenessProbe={"tcpSocket": {"port": 2}}),
                                container(name="probe"),
                            ]
                        }
                    }
                },
            },
        },
        (f"web {FIRST} ports", [{"containerPort": 53}], "asks the port 80, which container main does not name"),
        (f"two {FIRST} livenessProbe tcpSocket port", "x", "asks the port x"),
    ),
    case(
        "INF-617",
        {"web": workload(), "set": workload("StatefulSet", "db"), "scaler": scaler()},
        (
            "scaler spec scaleTargetRef apiVersion",
            "extensions/v1beta1",
            "scales a Deployment of the API extensions",
            "mandatory",
        ),
        ("scaler spec scaleTargetRef", {"kind": "Deployment", "name": "web"}, "of the API (none)", "mandatory"),
        ("web metadata name", "web-server", "beside which there is only Deployment serve/web-server", "advisory"),
        (
            "scaler spec scaleTargetRef name",
            "db",
            "scales Deployment db, beside which there is only StatefulSet serve/db",
        ),
    ),
    case(
        "INF-617",
        {
            "far": {**workload(), "metadata": {"name": "web-2", "namespace": "far"}},
            "scaler": scaler(),
            "ray": scaler(kind="RayCluster", apiVersion="ray.io/v1"),
        },
        ("far metadata namespace", "serve", "beside which there is only Deployment serve/web-2"),
    ),
    case(
        "INF-617",
        {"web": {**workload(name="web-2"), "file": "a.yaml"}, "scaler": {**scaler(), "file": "b.yaml"}},
        ("scaler", {**scaler(), "file": "a.yaml"}, "beside which there is only Deployment serve/web-2"),
    ),
    case(
        "STO-707",
        {"claim": claim(), "class": DISKS},
        ("claim spec accessModes", ["ReadWriteMany"], "asks for ReadWriteMany of class fast", "mandatory"),
    ),
    case(
        "STO-707",
        {
            "claim": claim(accessModes=["ReadWriteMany"], storageClassName="shared"),
            "raw": claim(accessModes=["ReadWriteMany"], storageClassName="gp3", volumeMode="Block"),
        },
        (
            "claim spec storageClassName",
            "gp3",
            "asks for ReadWriteMany of class gp3, which has block volumes",
            "advisory",
        ),
        ("raw spec volumeMode", "Filesystem", "asks for ReadWriteMany of class gp3"),
    ),
    case(
        "STO-707",
        {
            "claim": claim(accessModes=["ReadWriteMany"], storageClassName="gp3"),
            "class": {**FAST, "metadata": {"name": "gp3"}, "provisioner": "efs.csi.aws.com"},
        },
        ("class provisioner", "ebs.csi.aws.com", "asks for ReadWriteMany of class gp3", "mandatory"),
    ),
    case(
        "NET-230",
        {"service": labelled(), "monitor": monitor(app="web")},
        ("monitor spec selector matchLabels app", "api", "selects app=api, which Service serve/web does not have"),
        ("service metadata labels", {"team": "a"}, "selects app=web, which Service serve/web does not have"),
    ),
    case(
        "NET-230",
        {
            "service": {**labelled(), "metadata": {"name": "web", "namespace": "far"}},
            "monitor": monitor(app="api"),
            "several": {
                **monitor(app="api"),
                "spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}},
            },
        },
        ("service metadata namespace", "serve", "selects app=api, which Service serve/web does not have"),
    ),
    case(
        "NET-230",
        {"service": {**labelled(), "file": "a.yaml"}, "monitor": {**monitor(app="api"), "file": "b.yaml"}},
        ("monitor", {**monitor(app="api"), "file": "a.yaml"}, "selects app=api"),
    ),
    case(
        "NET-230",
        {
            "one": labelled(),
            "two": {**labelled(), "metadata": {"name": "b", "namespace": "serve"}},
            "m": {**monitor(app="x"), "metadata": {"name": "every", "namespace": "serve"}},
        },
        ("two", v.namespace("other"), "selects app=x"),
        ("m metadata name", "web", "selects app=x, which Service serve/web does not have"),
    ),
    case(
        "SCH-424",
        {
            "facts": {"pools": [v.pool(), v.pool(name="small", gpusPerNode=4)]},
            "pod": gpu_pod(8),
            "cpu": workload(),
        },
        (f"pod {POD} resources limits nvidia.com/gpu", 16, "asks for 16 GPUs, a node has at most 8"),
        (f"pod {POD} resources limits nvidia.com/gpu", 9, "asks for 9 GPUs, a node has at most 8"),
    ),
    case(
        "SCH-424",
        {"facts": {"pools": [v.pool(mig=True)]}, "pod": gpu_pod(16)},
        ("facts", {"pools": [v.pool()]}, "asks for 16 GPUs, a node has at most 8"),
    ),
    case(
        "SCH-424",
        {"facts": {"pools": [v.pool(timeSlicing=2)]}, "pod": gpu_pod(16)},
        ("facts", {"pools": [v.pool(unitsPerNode=8, timeSlicing=2)]}, "asks for 16 GPUs, a node has at most 8"),
    ),
    case(
        "SCH-425",
        {
            "queue": v.cluster_queue(),
            "local": v.local_queue(),
            "flavor": v.flavor(
                nodeTaints=[{"key": "ml", "value": "a", "effect": "NoSchedule"}], nodeLabels={"gpu": "h100"}
            ),
            "job": queued(tolerations=[{"key": "ml", "operator": "Exists"}], nodeSelector={"gpu": "h100", "zone": "a"}),
            "free": workload(),
            "partial": {**v.train_job(), "metadata": {"name": "t", "namespace": "team", "labels": QUEUE}},
        },
        ("job spec template spec tolerations 0 key", "other", "fits no flavor of its queue: h100 has the taint ml"),
        ("job spec template spec nodeSelector gpu", "a100", "fits no flavor of its queue: h100 has gpu=h100"),
    ),
    case(
        "SCH-425",
        {
            "queue": two_flavors(),
            "local": v.local_queue(),
            "flavor": v.flavor(nodeLabels={"gpu": "h100"}),
            "other": {**v.flavor(nodeLabels={"gpu": "a100"}), "metadata": {"name": "a100"}},
            "job": queued(nodeSelector={"gpu": "a100"}),
        },
        ("job spec template spec nodeSelector gpu", "l4", "h100 has gpu=h100; a100 has gpu=a100"),
    ),
    case(
        "SCH-425",
        {
            "queue": two_flavors(),
            "local": v.local_queue(),
            "flavor": v.flavor(nodeLabels={"gpu": "h100"}),
            "job": queued(nodeSelector={"gpu": "l4"}),
        },
        ("queue", v.cluster_queue(), "fits no flavor of its queue: h100 has gpu=h100"),
    ),
]
