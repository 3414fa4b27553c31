"""Why a job waits, from conditions as Kueue 0.19, Volcano 1.15, kube-scheduler and the kubelet write them."""

from typing import Any

import pytest

from bedplate.cluster.objects import Object
from bedplate.jobs.kueue import explain as kueue
from bedplate.jobs.pods import explain as pods
from bedplate.jobs.volcano import explain as volcano
from bedplate.jobs.why import Seen, why

SHORT = "couldn't assign flavors to pod set node: insufficient unused quota for {} in flavor h100, {} more needed"
TOPOLOGY = 'couldn\'t assign flavors to pod set node: topology "default" {}'
EXCLUDED = '. Total nodes: 8; excluded: resource "nvidia.com/gpu": 6'
PREEMPTED = (
    "Preempted to accommodate a workload (UID: 5c0, JobUID: 7d1) due to prioritization in the ClusterQueue; "
    "preemptor path: /research; preemptee path: /research"
)
ORIGIN = "3/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 3 Unschedulable, 1 Undetermined. Origin reason is llama-node-0: {}"
NO_PREEMPTION = " preemption: 0/8 nodes are available: 8 Preemption is not helpful for scheduling."


def condition(kind: str, reason: str, message: str = "", *, true: bool = False) -> Object:
    return {"type": kind, "status": "True" if true else "False", "reason": reason, "message": message}


def workload(*known: Object, **more: Any) -> Object:
    owner = [{"kind": "JobSet", "name": "llama"}]
    spec = {"queueName": "research", **more.pop("spec", {})}
    return {
        "metadata": {"name": "jobset-llama-1a2b3", "ownerReferences": owner},
        "spec": spec,
        "status": {"conditions": list(known), **more},
    }


def waiting(message: str, reason: str = "Pending") -> Object:
    return workload(condition("QuotaReserved", reason, message))


KUEUE = {
    "quota used up": (waiting(SHORT.format("nvidia.com/gpu", 16)), "quota", "16 more nvidia.com/gpu of h100 needed"),
    "GPUs named first": (
        waiting(
            SHORT.format("cpu", 4) + ", insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed"
        ),
        "quota",
        "left: 8 more nvidia.com/gpu of h100 needed, 4 more cpu",
    ),
    "never fits": (
        waiting(
            "couldn't assign flavors to pod set node: insufficient quota for nvidia.com/gpu in flavor h100, previously "
            "considered podsets requests (0) + current podset request (128) > maximum capacity (64)"
        ),
        "quota",
        "it never fits: it asks for 128 nvidia.com/gpu, and the queue can have 64 of h100",
    ),
    "never fits beside its launcher": (
        waiting(
            "couldn't assign flavors to pod set worker: insufficient quota for cpu in flavor h100, previously "
            "considered podsets requests (4) + current podset request (128) > maximum capacity (130)"
        ),
        "quota",
        "128 cpu besides 4 of its other pods",
    ),
    "no place at all": (
        waiting(TOPOLOGY.format("doesn't allow to fit any of 4 pod(s)") + EXCLUDED),
        "topology",
        'doesn\'t allow to fit any of 4 pod(s). Total nodes: 8; excluded: resource "nvidia.com/gpu": 6',
    ),
    "a place for some": (
        waiting(TOPOLOGY.format("allows to fit only 2 out of 4 pod(s)")),
        "topology",
        "fit only 2 out of 4 pod(s)",
    ),
    "an unknown level": (
        waiting("couldn't assign flavors to pod set node: no requested topology level: example.com/rack"),
        "topology",
        "no requested topology level: example.com/rack",
    ),
    "others must leave": (
        waiting(SHORT.format("nvidia.com/gpu", 8) + ". Pending the preemption of 2 workload(s)"),
        "priority",
        "more urgent than 2 other job(s)",
    ),
    "no flavor for it": (
        waiting("couldn't assign flavors to pod set node: flavor h100 doesn't match node affinity"),
        "nodes",
        "flavor h100 doesn't match node affinity",
    ),
    "a taint": (
        waiting(
            "couldn't assign flavors to pod set node: untolerated taint {nvidia.com/gpu present NoSchedule} in flavor h100"
        ),
        "nodes",
        "untolerated taint",
    ),
    "no such queue": (
        waiting("LocalQueue main doesn't exist", "Inadmissible"),
        "admission",
        "LocalQueue main doesn't exist",
    ),
    "a stopped queue": (waiting("ClusterQueue research is inactive", "Inadmissible"), "admission", "is inactive"),
    "others are starting": (
        waiting("waiting for all admitted workloads to be in PodsReady condition", "Waiting"),
        "gang",
        "still starting",
    ),
    "an unknown message with a reason": (
        waiting("words of tomorrow", "TopologyPlacementFailed"),
        "topology",
        "words of tomorrow",
    ),
    "not looked at yet": (workload(), "quota", "other jobs are before it in queue research"),
    "preempted": (
        workload(
            condition("QuotaReserved", "Pending", SHORT.format("nvidia.com/gpu", 8)),
            condition("Evicted", "Preempted", PREEMPTED, true=True),
            condition("Preempted", "InClusterQueue", PREEMPTED, true=True),
        ),
        "priority",
        "gave way to another job (prioritization in the ClusterQueue), and waits again: queue research has too little",
    ),
    "not ready in time": (
        workload(
            condition("QuotaReserved", "Pending", "Exceeded the PodsReady timeout research/jobset-llama-1a2b3"),
            condition("Evicted", "PodsReadyTimeout", "Exceeded the PodsReady timeout", true=True),
        ),
        "gang",
        "not all ready in time",
    ),
    "given up": (
        workload(
            condition(
                "Evicted",
                "DeactivatedDueToRequeuingLimitExceeded",
                "The workload is deactivated due to exceeding the maximum number of re-queuing retries",
                true=True,
            ),
            spec={"active": False},
        ),
        "gang",
        "maximum number of re-queuing retries",
    ),
    "an open check": (
        workload(
            condition("QuotaReserved", "QuotaReserved", "Quota reserved in ClusterQueue research", true=True),
            admissionChecks=[
                {"name": "ready", "state": "Ready", "message": ""},
                {"name": "capacity", "state": "Pending", "message": "Waiting for the ProvisioningRequest."},
            ],
        ),
        "admission",
        "capacity is Pending: Waiting for the ProvisioningRequest",
    ),
    "checks done": (
        workload(condition("QuotaReserved", "QuotaReserved", true=True)),
        "admission",
        "about to admit it",
    ),
}


@pytest.mark.parametrize("case", KUEUE)
def test_kueues_conditions_become_one_sentence(case: str) -> None:
    one, cause, text = KUEUE[case]
    reason = kueue(one)
    assert reason
    assert (reason.cause, text in reason.text, "\n" in str(reason)) == (cause, True, False), reason


def test_an_admitted_workload_leaves_the_word_to_its_pods() -> None:
    assert (
        kueue(
            workload(
                condition("QuotaReserved", "QuotaReserved", true=True), condition("Admitted", "Admitted", true=True)
            )
        )
        is None
    )


def group(phase: str, *known: Object) -> Object:
    return {
        "metadata": {"name": "llama"},
        "spec": {"queue": "research", "minMember": 4},
        "status": {"phase": phase, "conditions": list(known)},
    }


def event(reason: str, message: str, about: str = "llama", kind: str = "Warning") -> Object:
    return {"type": kind, "reason": reason, "message": message, "involvedObject": {"name": about}}


def unschedulable(origin: str, phase: str = "Inqueue") -> Object:
    return group(phase, condition("Unschedulable", "NotEnoughResources", ORIGIN.format(origin), true=True))


VOLCANO = {
    "half a gang": (
        unschedulable("0/8 nodes are unavailable: 8 Insufficient nvidia.com/gpu."),
        (),
        "gang",
        "all 4 pods start together, and 3 find no node: 0/8 nodes are unavailable: 8 Insufficient nvidia.com/gpu",
    ),
    "no switch": (
        unschedulable("In hyperNode s1: 0/4 nodes are unavailable: 4 node(s) resource fit failed."),
        (),
        "topology",
        "no such place is free: In hyperNode s1",
    ),
    "a queue's quota": (
        group("Pending"),
        (event("Unschedulable", "queue resource quota insufficient: insufficient nvidia.com/gpu", kind="Normal"),),
        "quota",
        "insufficient nvidia.com/gpu",
    ),
    "a full cluster": (
        group("Pending"),
        (event("Unschedulable", "resource in cluster is overused: overused nvidia.com/gpu", kind="Normal"),),
        "quota",
        "the cluster is full",
    ),
    "another's event": (
        group("Pending"),
        (event("Unschedulable", "resource in cluster is overused", "other"),),
        "quota",
        "has not let it in yet",
    ),
    "an event that says nothing of a queue": (
        group("Pending"),
        (event("Unschedulable", "pod group is not ready, 4 Pending, 4 minAvailable"),),
        "quota",
        "queue research has not let it in yet",
    ),
}


@pytest.mark.parametrize("case", VOLCANO)
def test_volcanos_conditions_become_one_sentence(case: str) -> None:
    one, events, cause, text = VOLCANO[case]
    reason = volcano(one, events)
    assert reason
    assert (reason.cause, text in reason.text) == (cause, True), reason


def test_of_volcanos_two_conditions_the_later_holds() -> None:
    early, late = {"lastTransitionTime": "2026-01-01T10:00:00Z"}, {"lastTransitionTime": "2026-01-01T11:00:00Z"}
    stuck = {**condition("Unschedulable", "NotEnoughResources", ORIGIN.format("x"), true=True)}
    ready = {**condition("Scheduled", "tasks in gang are ready to be scheduled", true=True)}
    assert volcano(group("Inqueue", stuck | early, ready | late)) is None
    assert volcano(group("Inqueue", stuck | late, ready | early)) is not None
    assert volcano(group("Running", stuck | late)) is None


def pod(phase: str = "Pending", *known: Object, **status: Any) -> Object:
    labels = {"bedplate/job": "llama"}
    return {
        "metadata": {"name": "llama-0", "labels": labels},
        "spec": {},
        "status": {"phase": phase, "conditions": list(known), **status},
    }


def unplaced(message: str) -> Object:
    return pod("Pending", condition("PodScheduled", "Unschedulable", message))


def held(reason: str, message: str, **more: Any) -> Object:
    container = {
        "name": "trainer",
        "image": "ghcr.io/team/train:v2",
        "state": {"waiting": {"reason": reason, "message": message}},
    }
    return pod("Pending", containerStatuses=[container | more])


PULL = 'Back-off pulling image "ghcr.io/team/train:v2": ErrImagePull: rpc error: code = {}'
PODS = {
    "no free GPUs": (
        unplaced(
            "0/8 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }, 6 Insufficient nvidia.com/gpu."
            + NO_PREEMPTION
        ),
        "nodes",
        "no node takes its pods: 0/8 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }, 6 Insufficient nvidia.com/gpu",
    ),
    "no claim": (unplaced('persistentvolumeclaim "state" not found'), "volume", '"state" not found'),
    "unbound claim": (
        unplaced("0/8 nodes are available: pod has unbound immediate PersistentVolumeClaims." + NO_PREEMPTION),
        "volume",
        "unbound immediate",
    ),
    "gang of a scheduler": (unplaced("pod group is not ready, 2 Pending, 4 minAvailable"), "gang", "4 minAvailable"),
    "quota of KAI": (
        unplaced("Workload requested 16 GPUs, but research over capacity. Non-preemptible workload is over quota."),
        "quota",
        "over quota",
    ),
    "registry refuses": (
        held("ImagePullBackOff", PULL.format("Unknown desc = failed to fetch oauth token: 401 Unauthorized")),
        "image",
        "pull secret",
    ),
    "no such tag": (
        held("ErrImagePull", PULL.format("NotFound desc = ghcr.io/team/train:v2: not found")),
        "image",
        "is the tag right?",
    ),
    "no image name": (
        held("InvalidImageName", 'Failed to apply default image tag "A:b:c": invalid reference format'),
        "image",
        "invalid reference format",
    ),
    "missing config": (
        held("CreateContainerConfigError", 'configmap "settings" not found'),
        "program",
        'configmap "settings" not found',
    ),
    "crash": (
        held(
            "CrashLoopBackOff",
            "back-off 5m0s restarting failed container=trainer",
            lastState={"terminated": {"reason": "OOMKilled", "exitCode": 137}},
        ),
        "program",
        "OOMKilled, exit code 137",
    ),
    "gate": (
        {
            **pod(
                "Pending",
                condition("PodScheduled", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"),
            ),
            "spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/topology"}]},
        },
        "topology",
        "kueue.x-k8s.io/topology",
    ),
    "running": (pod("Running"), "running", "1 of 1 pods"),
    "done": (pod("Succeeded"), "finished", "ended well"),
    "failed": (pod("Failed"), "program", "1 of 1 pods failed"),
    "starting": (pod("Pending"), "starting", "1 of 1 pods are starting"),
}


@pytest.mark.parametrize("case", PODS)
def test_what_pods_say_becomes_one_sentence(case: str) -> None:
    one, cause, text = PODS[case]
    reason = pods([one])
    assert reason
    assert (reason.cause, text in reason.text) == (cause, True), reason
    assert "preemption:" not in reason.text


@pytest.mark.parametrize(("reason", "cause"), [("FailedMount", "volume"), ("FailedCreatePodSandBox", "network")])
def test_a_pod_with_a_node_and_no_container_is_explained_by_its_events(reason: str, cause: str) -> None:
    found = pods([pod()], [event(reason, "the kubelet's words", "llama-0"), event(reason, "another's", "other-0")])
    assert found
    assert (found.cause, found.text) == (cause, "pod llama-0 cannot start: the kubelet's words")


def test_one_pod_that_cannot_pull_says_more_than_others_that_wait() -> None:
    found = pods([unplaced("0/8 nodes are available: 8 Insufficient cpu."), held("ErrImagePull", "not found")])
    assert found
    assert found.cause == "image"


JOB = {"kind": "JobSet", "metadata": {"name": "llama"}}
ADMITTED = workload(condition("QuotaReserved", "", true=True), condition("Admitted", "", true=True))
WHOLE = {
    "Kueue before its pods": (
        Seen("llama", [JOB], [waiting(SHORT.format("nvidia.com/gpu", 8))], pods=[pod()]),
        "quota",
    ),
    "pods once admitted": (Seen("llama", [JOB], [ADMITTED], pods=[held("ErrImagePull", "not found")]), "image"),
    "another's workload": (Seen("other", [JOB], [waiting("x")], pods=[pod("Running")]), "running"),
    "another's gang": (Seen("other", [JOB], groups=[unschedulable("x")], pods=[pod("Running")]), "running"),
    "Volcano": (Seen("llama", [JOB], groups=[unschedulable("0/8 nodes are unavailable")]), "gang"),
    "refused pods": (
        Seen(
            "llama",
            [JOB],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "llama-node-0-0-x" is forbidden: violates PodSecurity "baseline:latest": hostPath',
                    "llama-node-0",
                )
            ],
        ),
        "admission",
    ),
    "the namespace's quota": (
        Seen(
            "llama",
            [JOB],
            [ADMITTED],
            events=[
                event(
                    "FailedCreate",
                    'Error creating: pods "llama-0" is forbidden: exceeded quota: team, requested: requests.nvidia.com/gpu=8, used: 8, limited: 8',
                )
            ],
        ),
        "quota",
    ),
    "ended": (
        Seen(
            "llama",
            [
                {
                    **JOB,
                    "status": {
                        "conditions": [condition("Completed", "AllJobsCompleted", "jobset completed", true=True)]
                    },
                }
            ],
            [waiting("x")],
        ),
        "finished",
    ),
    "failed": (
        Seen(
            "llama",
            [{**JOB, "status": {"conditions": [condition("Failed", "BackoffLimitExceeded", "too many", true=True)]}}],
        ),
        "finished",
    ),
    "suspended without a queue": (Seen("llama", [{**JOB, "spec": {"suspend": True}}]), "admission"),
    "nobody says anything": (Seen("llama", [JOB]), "starting"),
}


@pytest.mark.parametrize("case", WHOLE)
def test_the_first_who_has_a_say_explains_the_job(case: str) -> None:
    seen, cause = WHOLE[case]
    reason = why(seen)
    assert reason
    assert reason.cause == cause, reason


def test_a_job_that_is_not_there_has_no_reason() -> None:
    assert why(Seen("llama")) is None
