"""What is kept of a pod is all that anybody reads of it."""

import json
from typing import Any

from bedplate.components.quantity import amount
from bedplate.jobs.pods import explain
from bedplate.live.amounts import holds, requests
from bedplate.live.lean import Pods

RESOURCES = {"requests": {"cpu": "1", "nvidia.com/gpu": "8"}}


def pod(name: str) -> dict[str, Any]:
    container = {"name": "main", "image": "a:1", "env": [{"name": "A"}], "resources": RESOURCES, "volumeMounts": [{}]}
    running = {"state": {"running": {"startedAt": f"{name} o'clock"}}, "containerID": name, "image": "a:1"}
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": name}]
    notes = {"kueue.x-k8s.io/workload": "w", "k8s.v1.cni.cncf.io/network-status": "1" * 300}
    return {
        "metadata": {"namespace": "a", "name": name, "uid": name, "labels": {"b": "c"}, "annotations": notes},
        "spec": {"nodeName": "n", "volumes": [{}], "containers": [container], "initContainers": None},
        "status": {"phase": "Running", "podIP": "10.0.0.1", "conditions": conditions, "containerStatuses": [running]},
    }


def test_a_pod_holds_after_it_what_it_held_before() -> None:
    lean = Pods()(pod("x"))
    assert holds(lean)
    assert requests(lean) == requests(pod("x")) == {"cpu": amount("1"), "nvidia.com/gpu": amount("8")}
    assert lean["metadata"]["annotations"] == {"kueue.x-k8s.io/workload": "w"}
    assert not {"volumes", "env", "volumeMounts", "podIP"} & set(json.dumps(lean).replace('"', " ").split())


def test_what_pods_have_alike_is_kept_once() -> None:
    pods = Pods()
    one, other = pods(pod("x")), pods(pod("y"))
    assert one["spec"]["containers"] is other["spec"]["containers"]
    assert one["status"]["conditions"] is other["status"]["conditions"]
    assert one["status"]["containerStatuses"] is other["status"]["containerStatuses"]
    assert one["metadata"]["uid"] != other["metadata"]["uid"]


def test_why_a_pod_waits_is_kept_with_its_words() -> None:
    waits = {"name": "main", "image": "a:1", "state": {"waiting": {"reason": "ErrImagePull", "message": "not found"}}}
    whole = pod("x") | {"status": {"phase": "Pending", "containerStatuses": [waits]}}
    assert explain([Pods()(whole)]) == explain([whole])
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": "gated"}
    held = {"spec": {"schedulingGates": [{"name": "x/topology"}]}, "status": {"conditions": [gated]}}
    assert explain([Pods()(pod("x") | held)]) == explain([pod("x") | held])
