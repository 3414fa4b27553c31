"""Pods beyond what their queue counts are named, in the shapes of the attacks; sound ones never are."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bedplate.live.amounts import requests
from bedplate.live.checks.ledger import ledger
from bedplate.live.examine import observe
from bedplate.live.finding import Finding
from bedplate.live.kinds import CLUSTER_QUEUE, POD, POD_GROUP, VOLCANO_QUEUE, WORKLOAD
from tests.live_cluster import FakeCluster
from tests.unit.live.test_doctor import made

GPU, RDMA = "nvidia.com/gpu", "rdma/rdma_shared_device_a"
ROCE, IB = "onprem-h100-roce", "onprem-h100-ib"
Amounts = dict[str, str]


def pod(name: str, asks: Amounts, workload: str = "", **more: Any) -> dict[str, Any]:
    """Of research's, as it runs under Kueue."""
    notes = {"annotations": {"kueue.x-k8s.io/workload": workload}} if workload else {}
    metadata = {
        "name": name,
        "namespace": more.pop("namespace", "research"),
        "labels": {"kueue.x-k8s.io/podset": "main"},
    }
    spec = {
        "nodeName": "h100-0",
        "containers": [{"name": "main", "resources": {"requests": asks}}],
        **more.pop("spec", {}),
    }
    whole = {"metadata": {**metadata, **notes, **more.pop("metadata", {})}, "spec": spec}
    return {"apiVersion": POD.version, "kind": "Pod", "status": {"phase": more.pop("phase", "Running")}, **whole}


def workload(name: str, uses: Amounts, *conditions: str) -> dict[str, Any]:
    held = [{"type": one, "status": "True"} for one in conditions or ("QuotaReserved", "Admitted")]
    sets = [{"name": "main", "count": 2, "resourceUsage": uses}]
    status = {"conditions": held, "admission": {"clusterQueue": "research", "podSetAssignments": sets}}
    metadata = {"name": name, "namespace": "research"}
    return {"apiVersion": WORKLOAD.version, "kind": "Workload", "metadata": metadata, "status": status}


def group(name: str, queue: str = "pretraining") -> dict[str, Any]:
    metadata = {"name": name, "namespace": "pretraining"}
    return {"apiVersion": POD_GROUP.version, "kind": "PodGroup", "metadata": metadata, "spec": {"queue": queue}}


def by_volcano(
    name: str, asks: Amounts, named: str = "", scheduler: str = "volcano", metadata: Any = None
) -> dict[str, Any]:
    notes = {"annotations": {"scheduling.k8s.io/group-name": named}} if named else {}
    metadata = {**notes, **(metadata or {})}
    return pod(name, asks, namespace="pretraining", metadata=metadata, spec={"schedulerName": scheduler})


def named(stack: str, *objects: dict[str, Any], used: Amounts | None = None) -> list[Finding]:
    """Findings with these objects, where the team's queue counts so much."""
    desired, cluster = made(stack)
    there = cluster.copy()
    for one in objects:
        there.add(one)
    if stack == ROCE:
        resources = [{"name": name, "total": total} for name, total in (used or {}).items()]
        there.one(CLUSTER_QUEUE, "research")["status"]["flavorsUsage"] = [{"name": "h100", "resources": resources}]
    else:
        there.one(VOLCANO_QUEUE, "pretraining").setdefault("status", {})["allocated"] = used or {}
    return list(ledger(desired, observe(desired, there.get)))


EIGHT = {GPU: "8", RDMA: "8", "cpu": "4", "memory": "64Gi"}
SOUND = (
    workload("job", {GPU: "16", RDMA: "16", "cpu": "8", "memory": "128Gi"}),
    pod("a", EIGHT, "job"),
    pod("b", EIGHT, "job"),
)


def deleted(grace: int, ago: timedelta) -> dict[str, Any]:
    """Of a pod that was deleted so long ago with so many seconds to end."""
    end = datetime.now(UTC) - ago + timedelta(seconds=grace)
    return {"deletionTimestamp": f"{end:%Y-%m-%dT%H:%M:%SZ}", "deletionGracePeriodSeconds": grace}


@pytest.mark.parametrize(
    "objects",
    [
        SOUND,
        (
            pod("waits", EIGHT, spec={"nodeName": ""}),
            pod("done", EIGHT, phase="Succeeded"),
            pod("bad", EIGHT, phase="Failed"),
        ),
        (pod("agent", {"cpu": "1"}, namespace="kube-system"),),
        (workload("small", {"cpu": "1"}), pod("disk", {"cpu": "1", "ephemeral-storage": "9Gi"}, "small")),
    ],
    ids=["a job", "nothing held", "another namespace", "what no quota covers"],
)
def test_a_sound_cluster_has_nothing_beyond_its_queues(objects: tuple[dict[str, Any], ...]) -> None:
    assert named(ROCE, *objects, used={}) == []


def test_a_pod_that_ends_in_time_is_not_beyond_its_queue() -> None:
    assert named(ROCE, pod("ends", EIGHT, metadata=deleted(600, timedelta(minutes=9))), used={}) == []


KUEUE = {
    "a hash written by hand": (
        [
            workload("a1f", {"cpu": "2", GPU: "0"}),
            pod("a1f-0", {"cpu": "1"}, "a1f"),
            pod("a1f-1", {"cpu": "1", GPU: "8"}, "a1f"),
        ],
        "research: pods a1f-0, a1f-1",
        "Workload a1f was admitted for less nvidia.com/gpu",
    ),
    "a resource that was never counted": (
        [workload("rails", {"cpu": "1"}), pod("rails", {"cpu": "1", RDMA: "1"}, "rails")],
        "research: pod rails",
        f"Workload rails was admitted for less {RDMA}",
    ),
    "orphans of a job that is gone": (
        [pod("left", EIGHT, "gone")],
        "research: pod left",
        "Workload gone is no longer there",
    ),
    "orphans of a job that has ended": (
        [workload("d2c", EIGHT, "Admitted", "Finished"), pod("left", EIGHT, "d2c")],
        "research: pod left",
        "8 nvidia.com/gpu, 8 rdma/rdma_shared_device_a, 4 cpu, 64.0 GiB of memory beyond the queue: Workload d2c has finished",
    ),
    "an evicted job that goes on": (
        [workload("evicted", EIGHT, "Evicted"), pod("goes-on", EIGHT, "evicted")],
        "research: pod goes-on",
        "Workload evicted is not admitted",
    ),
    "the order of a LimitRange": (
        [workload("cpu2", {"cpu": "1", "memory": "2Gi"}), pod("cpu2", {"cpu": "150", "memory": "2Gi"}, "cpu2")],
        "research: pod cpu2",
        "admitted for less cpu",
    ),
    "a pod let out of Kueue's hands": ([pod("d3-0", EIGHT)], "research: pod d3-0", "no Workload is theirs"),
    "a grace of a year": (
        [pod("d1b", EIGHT, metadata=deleted(31536000, timedelta(hours=1)))],
        "research: pod d1b",
        "no Workload is theirs",
    ),
    "a pod that does not end": (
        [pod("stuck", EIGHT, metadata=deleted(60, timedelta(minutes=9)))],
        "research: pod stuck",
        "no Workload is theirs",
    ),
    "GPUs of a container that comes first": (
        [
            workload("early", {"cpu": "1"}),
            pod(
                "early",
                {"cpu": "1"},
                "early",
                spec={"initContainers": [{"name": "x", "resources": {"limits": {GPU: "8"}}}]},
            ),
        ],
        "research: pod early",
        "admitted for less nvidia.com/gpu",
    ),
}


@pytest.mark.parametrize("shape", KUEUE)
def test_pods_beyond_kueues_count_are_named_with_the_reason(shape: str) -> None:
    objects, where, what = KUEUE[shape]
    first, *rest = named(ROCE, *objects, used=EIGHT)
    assert first.where == where
    assert what in first.what
    assert [one for one in rest if not one.where.startswith("ClusterQueue")] == []


def test_a_job_that_has_no_pods_yet_hides_nobody_in_the_sum() -> None:
    (one,) = named(ROCE, workload("admitted", EIGHT), pod("orphan", EIGHT, "gone"), used=EIGHT)
    assert one.where == "research: pod orphan"
    assert one.page == "docs/security.md#the-ledger"


def test_the_queue_says_how_much_less_it_counts() -> None:
    *_, queue = named(
        ROCE, *SOUND, pod("orphan", EIGHT, "gone"), used={GPU: "16", "cpu": "12", "memory": "192Gi", RDMA: "24"}
    )
    assert (queue.where, queue.what) == (
        "ClusterQueue research",
        "counts less than the 24 nvidia.com/gpu that its team's pods hold",
    )


VOLCANO = {
    "its PodGroup was deleted": ([by_volcano("a", {GPU: "8"}, "gone")], "PodGroup gone is not there"),
    "it has none": ([by_volcano("a", {GPU: "8"})], "no PodGroup is theirs"),
    "it is in another team's queue": (
        [group("theirs", "alignment"), by_volcano("a", {GPU: "8"}, "theirs")],
        "PodGroup theirs is of queue alignment",
    ),
    "it was deleted and goes on for a year": (
        [group("mine"), by_volcano("a", {GPU: "8"}, "mine", metadata=deleted(31536000, timedelta(hours=1)))],
        "they were deleted, and have not ended in their time",
    ),
    "another scheduler placed it": (
        [by_volcano("a", {GPU: "8"}, scheduler="default-scheduler")],
        "Volcano did not place them",
    ),
}


@pytest.mark.parametrize("shape", VOLCANO)
def test_pods_that_volcano_counts_for_nobody_are_named(shape: str) -> None:
    objects, reason = VOLCANO[shape]
    first, queue = named(IB, *objects)
    assert (first.where, first.what) == ("pretraining: pod a", f"8 nvidia.com/gpu beyond the queue: {reason}")
    assert queue.where == "Queue pretraining"


def test_what_volcano_counts_and_what_asks_it_for_nothing_is_sound() -> None:
    desk = by_volcano("desk", {"cpu": "2", GPU: "0"}, scheduler="default-scheduler")
    assert named(IB, group("mine"), by_volcano("a", {GPU: "8"}, "mine"), desk) == []


def test_a_pod_that_has_gone_before_a_second_look_is_not_named() -> None:
    desired, cluster = made(ROCE)
    there = cluster.copy()
    there.add(pod("ended", EIGHT, "gone"))
    there.add(pod("stays", EIGHT, "left"))
    found = list(ledger(desired, observe(desired, Leaving(there, "ended").get)))
    assert [one.where for one in found if "pod" in one.where] == ["research: pod stays"]


class Leaving:
    """Lists pods, and then a pod is no longer there."""

    def __init__(self, cluster: FakeCluster, name: str) -> None:
        self.cluster, self.name, self.looks = cluster, name, 0

    def get(self, path: str) -> str:
        if "/namespaces/research/pods" in path:
            self.looks += 1
            if self.looks == 2:
                self.cluster.remove(POD, self.name, "research")
        return self.cluster.get(path)


@pytest.mark.parametrize("kind", [POD, WORKLOAD])
def test_what_may_not_be_listed_is_said_and_nobody_is_named(kind: Any) -> None:
    desired, cluster = made(ROCE)
    shy = cluster.copy()
    shy.add(pod("left", EIGHT))
    shy.forbidden.add(kind)
    observed = observe(desired, shy.get)
    assert kind in observed.hidden
    assert list(ledger(desired, observed)) == []


def test_a_pod_holds_what_the_scheduler_counts_for_it() -> None:
    def container(cpu: str, **more: Any) -> dict[str, Any]:
        return {"resources": {"requests": {"cpu": cpu}}, **more}

    first = [container("3"), container("1", restartPolicy="Always"), container("4")]
    spec = {"initContainers": first, "containers": [container("1"), container("500m")], "overhead": {"cpu": "250m"}}
    assert {key: str(number.normalize()) for key, number in requests({"spec": spec}).items()} == {"cpu": "5.25"}
    whole = {**spec, "resources": {"limits": {"cpu": "9"}, "requests": {"cpu": "8"}}}
    assert str(requests({"spec": whole})["cpu"].normalize()) == "8.25"
