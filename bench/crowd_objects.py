"""The nodes, pods and Workloads of a crowd, as large as those of a busy cluster."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.facts.pools import GPU
from bedplate.components.verification.pools import device_pools, required_of
from bedplate.lab.nodes import Place, capacity, node
from bedplate.live import kinds
from bedplate.live.examine import ALWAYS
from bedplate.live.kinds import Kind
from bench.crowd import NONE, NUMBER, Copies, numbered

TEAM = "research"
IN_JOB = 100
"""Pods of one Workload."""
SINCE = "2026-11-23T08:00:00Z"


def lists(known: Facts, pods: int) -> dict[tuple[Kind, str], Copies]:
    """Every list of the crowd: the first node is not Ready, and the first pod has no Workload."""
    (pool,) = device_pools(known)
    bound = _pod(BOUND)
    found: dict[tuple[Kind, str], Copies] = {(kind, ""): NONE for kind in ALWAYS}
    return found | {
        (kinds.NODE, ""): Copies(_node(known, "True"), pool.nodes, _node(known, "False")),
        (kinds.POD, TEAM): Copies(bound, pods, _pod({})),
        (kinds.WORKLOAD, TEAM): Copies(_workload(pods), 1),
    }


def well(known: Facts) -> bytes:
    """The first node, Ready."""
    return numbered(0, _node(known, "True"))


def gate(known: Facts) -> dict[str, Any]:
    """What the gate of such a cluster is asked."""
    pools = [required_of(known, pool) for pool in device_pools(known)]
    return {"context": known.context, "pools": pools, "operators": [], "guards": "", "timeout": 600}


def _node(known: Facts, ready: str) -> bytes:
    (pool,) = device_pools(known)
    made = node(known, Place(pool, 0), capacity(known.fabric, pool))
    made["metadata"] |= _metadata("", f"{pool.name}-{NUMBER.decode()}", 60)
    made["metadata"]["labels"]["kubernetes.io/hostname"] = made["metadata"]["name"]
    made["spec"] |= {"podCIDR": "10.244.1.0/24", "providerID": f"bench://{made['metadata']['name']}"}
    made["status"] |= {
        "conditions": list(_conditions(ready)),
        "addresses": [{"type": "InternalIP", "address": "192.168.20.7"}, {"type": "Hostname", "address": pool.name}],
        "nodeInfo": {"kubeletVersion": "v1.35.4", "osImage": "Ubuntu 24.04.3 LTS", "architecture": pool.arch},
        # A kubelet tells of the 50 largest (kubelet v1.35, `nodeStatusMaxImages`).
        "images": [{"names": [f"{IMAGE}-{n}@sha256:{n:064}", f"{IMAGE}-{n}:v1"], "sizeBytes": n} for n in range(50)],
    }
    return json.dumps(made).encode()


IMAGE = "registry.example.com/mirror/nvidia/cloud-native/some-operand"
BOUND = {"annotations": {"kueue.x-k8s.io/workload": "work"}, "labels": {"kueue.x-k8s.io/podset": "main"}}


def _metadata(namespace: str, name: str, fields: int) -> dict[str, Any]:
    managed: list[Mapping[str, Any]] = [
        {"manager": f"manager-{n}", "operation": "Update", "time": SINCE, "fieldsV1": FIELDS} for n in range(3)
    ]
    place = {"namespace": namespace} if namespace else {}
    more: Mapping[str, Any] = {f"f:field-{n}.example.com/some-label": {} for n in range(fields)}
    managed.append({"manager": "kubelet", "operation": "Update", "fieldsV1": {"f:metadata": {"f:labels": more}}})
    return {**place, "name": name, "uid": f"uid-{name}", "resourceVersion": "900", "managedFields": managed}


FIELDS: Mapping[str, Any] = {
    "f:status": {"f:conditions": {f'k:{{"type":"Condition{n}"}}': {"f:status": {}} for n in range(6)}}
}


def _conditions(ready: str) -> Iterator[Mapping[str, str]]:
    conditions = {"Ready": ready, **dict.fromkeys(("MemoryPressure", "DiskPressure", "PIDPressure"), "False")}
    for kind, status in conditions.items():
        yield {"type": kind, "status": status, "lastHeartbeatTime": SINCE, "reason": f"Kubelet{kind}", "message": kind}


def _pod(bound: Mapping[str, Any]) -> bytes:
    name = f"train-{NUMBER.decode()}"
    metadata = {**_metadata(TEAM, name, 30), **bound}
    mounts = [{"name": f"volume-{n}", "mountPath": f"/mnt/some/path-{n}", "readOnly": True} for n in range(8)]
    env = [{"name": f"SOME_VARIABLE_{n}", "value": f"some value of it, {n}"} for n in range(25)]
    gpus = {"cpu": "8", "memory": "64Gi", GPU: "2"}
    main = {"name": "main", "image": f"{IMAGE}:v1", "env": env, "volumeMounts": mounts, "command": ["torchrun"]}
    volumes = [{"name": f"volume-{n}", "configMap": {"name": f"some-map-{n}", "defaultMode": 420}} for n in range(8)]
    spec = {
        "nodeName": f"h100-{NUMBER.decode()}",
        "schedulerName": "default-scheduler",
        "containers": [main | {"resources": {"limits": gpus, "requests": gpus}}],
        "volumes": volumes,
        "tolerations": [{"key": f"some.io/taint-{n}", "operator": "Exists", "effect": "NoExecute"} for n in range(5)],
    }
    state = {"name": "main", "image": f"{IMAGE}:v1", "imageID": f"{IMAGE}@sha256:{0:064}", "ready": True}
    conditions = [{"type": kind, "status": "True", "lastTransitionTime": SINCE} for kind in ("Ready", "PodScheduled")]
    status = {"phase": "Running", "conditions": conditions, "containerStatuses": [state], "podIP": "10.244.1.7"}
    return json.dumps({"metadata": metadata, "spec": spec, "status": status}).encode()


def _workload(pods: int) -> bytes:
    usage = {"cpu": f"{8 * pods}", "memory": f"{64 * pods}Gi", GPU: f"{2 * pods}"}
    admission = {"podSetAssignments": [{"name": "main", "resourceUsage": usage}]}
    conditions = [{"type": "Admitted", "status": "True"}]
    metadata = {"namespace": TEAM, "name": "work", "uid": "work"}
    return json.dumps({"metadata": metadata, "status": {"admission": admission, "conditions": conditions}}).encode()
