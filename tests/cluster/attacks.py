"""What a member of a team would try, to be root on a node or to take GPUs past the queue: objects, by what they are."""

import copy
from typing import Any

HOME = "research"
QUEUE = {"kueue.x-k8s.io/queue-name": "default"}
SMALL = {"cpu": "1", "memory": "1Gi"}
GPUS: dict[str, Any] = {"resources": {"limits": {**SMALL, "nvidia.com/gpu": "8"}}}
TOLERATES = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
"""Or Kueue would never admit what asks for GPUs, and it is refused for that."""
ROOT: dict[str, Any] = {"volumes": [{"name": "node", "hostPath": {"path": "/"}}]}
PRIVILEGED: dict[str, Any] = {"securityContext": {"privileged": True}}
OWNER = [{"apiVersion": "batch/v1", "kind": "Job", "name": "admitted", "uid": "1-2-3", "controller": True}]


def container(**more: Any) -> dict[str, Any]:
    return {"name": "main", "image": "example.com/shell:1", "resources": {"limits": SMALL}, **more}


def secure(**context: Any) -> dict[str, Any]:
    """A container with this security context."""
    return {"containers": [container(securityContext=context)]}


def pod(name: str, home: str = HOME, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": home}
    whole = {"containers": [container()], "tolerations": TOLERATES, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": whole}


def template(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"labels": {"app": "x"}},
        "spec": {"restartPolicy": "Never", "containers": [container()], "tolerations": TOLERATES, **spec},
    }


def batch(name: str, owners: Any = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": HOME, "labels": QUEUE, **({"ownerReferences": owners} if owners else {})}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template(**spec)}}


def app(kind: str, name: str, replicas: int = 1, **spec: Any) -> dict[str, Any]:
    made = template(**spec)
    made["spec"].pop("restartPolicy")
    wanted = {"replicas": replicas, "selector": {"matchLabels": {"app": "x"}}, "template": made}
    if kind == "DaemonSet":
        wanted.pop("replicas")
    metadata = {"name": name, "namespace": HOME}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": wanted}


def cron(name: str, **spec: Any) -> dict[str, Any]:
    inner = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template(**spec)}}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name, "namespace": HOME}, "spec": inner}


def job_set(name: str, **spec: Any) -> dict[str, Any]:
    work = {"name": "node", "replicas": 1, "template": {"spec": {"template": template(**spec)}}}
    metadata = {"name": name, "namespace": HOME, "labels": QUEUE}
    api = "jobset.x-k8s.io/v1alpha2"
    return {"apiVersion": api, "kind": "JobSet", "metadata": metadata, "spec": {"replicatedJobs": [work]}}


def labelled(one: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {**copy.deepcopy(one), "metadata": {**one["metadata"], **metadata}}


def binding(name: str) -> dict[str, Any]:
    api = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{api}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": HOME},
        "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": api, "kind": "Group", "name": HOME}],
    }


ROOT_ON_THE_NODE: dict[str, tuple[dict[str, Any], str]] = {
    "a privileged container": (pod("a", **secure(privileged=True)), "root on the node"),
    "a privileged init container": (pod("a", initContainers=[container(name="i", **PRIVILEGED)]), "root on the node"),
    "the node's processes": (pod("a", hostPID=True), "hostPID"),
    "the node's network": (pod("a", hostNetwork=True), "hostNetwork"),
    "the node's memory segments": (pod("a", hostIPC=True), "hostIPC"),
    "the node's root folder": (pod("a", **ROOT), "A folder of the node"),
    "the runtime's socket": (
        pod("a", volumes=[{"name": "s", "hostPath": {"path": "/run/containerd/containerd.sock"}}]),
        "A folder of the node",
    ),
    "a link below the cache": (
        pod("a", volumes=[{"name": "s", "hostPath": {"path": "/raid/cache/link"}}]),
        "A folder of the node",
    ),
    "a program run as a volume": (
        pod("a", volumes=[{"name": "f", "flexVolume": {"driver": "site/driver"}}]),
        "A folder of the node",
    ),
    "all capabilities": (pod("a", **secure(capabilities={"add": ["ALL"]})), "A capability beyond"),
    "the capability to administer": (pod("a", **secure(capabilities={"add": ["SYS_ADMIN"]})), "A capability beyond"),
    "a port of the node": (
        pod("a", containers=[container(ports=[{"containerPort": 80, "hostPort": 10250}])]),
        "A hostPort",
    ),
    "a probe of the node's own services": (
        pod("a", containers=[container(livenessProbe={"httpGet": {"host": "127.0.0.1", "port": 10255}})]),
        "no other address of the node's",
    ),
    "a hook that calls the node": (
        pod("a", containers=[container(lifecycle={"preStop": {"tcpSocket": {"host": "127.0.0.1", "port": 22}}})]),
        "no other address of the node's",
    ),
    "no seccomp": (pod("a", **secure(seccompProfile={"type": "Unconfined"})), "Seccomp and AppArmor"),
    "no AppArmor": (pod("a", securityContext={"appArmorProfile": {"type": "Unconfined"}}), "Seccomp and AppArmor"),
    "an unmasked /proc": (pod("a", hostUsers=False, **secure(procMount="Unmasked")), "/proc is masked"),
    "a sysctl of the node": (
        pod("a", securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
        "A sysctl",
    ),
    "another SELinux type": (pod("a", **secure(seLinuxOptions={"type": "spc_t"})), "SELinux"),
    "a Deployment of privileged pods": (app("Deployment", "a", **secure(privileged=True)), "root on the node"),
    "a StatefulSet on the node's root": (app("StatefulSet", "a", **ROOT), "A folder of the node"),
    "a Job in the node's processes": (batch("a", hostPID=True), "hostPID"),
    "a CronJob in the node's processes": (cron("a", hostPID=True), "hostPID"),
    "a JobSet of privileged pods": (job_set("a", **secure(privileged=True)), "root on the node"),
    "a DaemonSet": (app("DaemonSet", "a"), "forbidden"),
    "the cluster's own role": (binding("a"), "forbidden"),
    "another team's namespace": (pod("a", home="platform"), "forbidden"),
    "the system's namespace": (pod("a", home="kube-system"), "forbidden"),
}
PAST_THE_QUEUE: dict[str, tuple[dict[str, Any], str]] = {
    "a node by its name": (pod("a", nodeName="h100-0"), "nodeName skips the scheduler"),
    "a Job on a node by its name": (batch("a", nodeName="h100-0"), "nodeName skips the scheduler"),
    "another scheduler": (pod("a", schedulerName="volcano"), "A scheduler that is not this cluster's"),
    "the system's priority": (pod("a", priorityClassName="system-node-critical"), "A PriorityClass"),
    "NVIDIA's runtime class": (pod("a", runtimeClassName="nvidia"), "NVIDIA's runtime class"),
    "a Deployment of two whole nodes": (
        app("Deployment", "a", replicas=2, containers=[container(**GPUS)]),
        "waits in the team's queue",
    ),
    "a StatefulSet with GPUs": (app("StatefulSet", "a", containers=[container(**GPUS)]), "waits in the team's queue"),
    "a pod with GPUs": (pod("a", containers=[container(**GPUS)]), "waits in the team's queue"),
    "a pod with the fabric's devices": (
        pod("a", containers=[container(resources={"limits": {**SMALL, "rdma/rdma_shared_device_a": "1"}})]),
        "waits in the team's queue",
    ),
    "a queue that is not the team's": (
        labelled(pod("a", containers=[container(**GPUS)]), labels={"kueue.x-k8s.io/queue-name": "other"}),
        "waits in the team's queue",
    ),
    "a pod that says it belongs to an admitted job": (
        labelled(pod("a", containers=[container(**GPUS)]), ownerReferences=OWNER),
        "Only a controller",
    ),
    "a Job that says it belongs to an admitted job": (
        batch("a", OWNER, containers=[container(**GPUS)]),
        "Only a controller",
    ),
    "a ReplicaSet": (app("ReplicaSet", "a", containers=[container(**GPUS)]), "forbidden"),
}
