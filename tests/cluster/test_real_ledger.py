"""The ledger beside the real queues: what jobs hold is counted, whatever their kind, and pods past the queue are named."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bedplate.lab import stages
from bedplate.lab.watch import PHASE, watch
from bedplate.live.checks.ledger import ledger
from bedplate.live.desired import desired
from bedplate.live.examine import observe
from bedplate.live.finding import Finding
from tests.cluster.attacks import HOME, QUEUE, app, container, labelled, pod
from tests.cluster.conftest import TRAINING
from tests.cluster.guarding import unguarded
from tests.cluster.real import AS_OPERATOR, STAYS, Lab, lab_profile
from tests.cluster.settled import getter
from tests.stack_files import graph_of
from tests.training_jobs import job

AS_ADA = ("--as=ada", f"--as-group={HOME}", "--as-group=system:authenticated")
HERE = {"kubernetes.io/hostname": "h100-0"}
KINDS = ("Job", "JobSet", "TrainJob", "PyTorchJob", "MPIJob")


def beyond(lab: Lab, scheduler: str = "kueue") -> list[Finding]:
    """What `bedplate doctor` says of the ledger."""
    plan = desired(graph_of(lab_profile(4, TRAINING, scheduler)), lab.facts)
    return list(ledger(plan, observe(plan, getter(lab.cluster))))


@pytest.fixture(autouse=True)
def cleared(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for lab in (request.getfixturevalue(name) for name in ("kueue", "volcano") if name in request.fixturenames):
        lab.cluster.kubectl("delete", "deployments", "--all", "--namespace", HOME, "--timeout=120s")
        lab.clear()


def runs(lab: Lab, kind: Any, *, name: str = "runs") -> None:
    """A job of a kind, until all of its pods run."""
    lab.submit(job(kind, name=name), STAYS)
    selector = f"pods --namespace {HOME} --selector bedplate/job={name}"
    pods = 3 if kind == "MPIJob" else 2  # its launcher comes once the workers run
    watch(lab.cluster, selector, PHASE, lambda seen: len(seen) >= pods and set(seen.values()) == {"Running"})


@pytest.mark.parametrize("kind", KINDS)
def test_no_pod_of_a_job_that_kueue_admitted_is_beyond_its_count(kind: str, kueue: Lab) -> None:
    runs(kueue, kind)
    kueue.uses(16)
    assert beyond(kueue) == []


def test_no_pod_of_a_server_is_beyond_kueues_count(kueue: Lab) -> None:
    asks = container(resources={"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "4"}})
    kueue.cluster.apply([labelled(app("Deployment", "serve", 2, containers=[asks]), labels=QUEUE)], *AS_ADA)
    kueue.uses(8)
    running = lambda seen: list(seen.values()) == ["Running", "Running"]  # noqa: E731
    watch(kueue.cluster, f"pods --namespace {HOME} --selector app=x", PHASE, running)
    assert beyond(kueue) == []


def test_orphans_of_a_job_are_named_beside_a_sound_job(kueue: Lab) -> None:
    runs(kueue, "JobSet", name="sound")
    runs(kueue, "Job", name="orphaned")
    left = sorted(one["metadata"]["name"] for one in kueue.pods("orphaned"))
    with unguarded(kueue.cluster):
        kueue.cluster.kubectl("delete", "job", "orphaned", "--cascade=orphan", "--namespace", HOME, *AS_OPERATOR)
    kueue.uses(16)
    pods, queue = beyond(kueue)
    assert pods.where == f"research: pods {', '.join(left)}"
    assert pods.what.startswith("16 nvidia.com/gpu, ")
    assert "Workload job-orphaned-" in pods.what
    assert (queue.where, "32 nvidia.com/gpu" in queue.what) == ("ClusterQueue research", True)


def grouped(number: int, gpus: int) -> dict[str, Any]:
    """Of a group of two that Kueue takes for alike, as they say so themselves."""
    asks = container(resources={"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": str(gpus)}})
    made = pod(f"a1f-{number}", containers=[asks], restartPolicy="Never", nodeSelector=HERE)
    notes = {"pod-group-total-count": "2", "pod-group-fast-admission": "true", "role-hash": "same"}
    annotations = {**STAYS, **{f"kueue.x-k8s.io/{key}": value for key, value in notes.items()}}
    return labelled(made, labels={**QUEUE, "kueue.x-k8s.io/pod-group-name": "a1f"}, annotations=annotations)


def test_a_pod_that_kueue_let_by_for_another_is_named(kueue: Lab) -> None:
    with unguarded(kueue.cluster):
        for number, gpus in enumerate((0, 8)):
            kueue.cluster.apply([grouped(number, gpus)], *AS_ADA)
            started = lambda seen, name=f"a1f-{number}": seen.get(name) == "Running"  # noqa: E731
            watch(kueue.cluster, f"pods --namespace {HOME}", PHASE, started)
    kueue.uses(0)
    pods, queue = beyond(kueue)
    assert pods.where == "research: pods a1f-0, a1f-1"
    assert "Workload a1f was admitted for less" in pods.what
    assert "nvidia.com/gpu" in pods.what.rpartition("less")[2]
    assert queue.what.startswith("counts less than the 8 nvidia.com/gpu")


@contextmanager
def kubelets_wait(lab: Lab) -> Generator[None]:
    """While a pod that is deleted goes on for as long as it may, as one does that ignores every signal."""
    (stage,) = (one for one in stages.load() if one["metadata"]["name"] == "pod-delete")
    lab.cluster.kubectl("delete", "stages.kwok.x-k8s.io", "pod-delete")
    try:
        yield
    finally:
        lab.cluster.kubectl("delete", "pods", "--all", "--namespace", HOME, "--grace-period=0", "--force", *AS_OPERATOR)
        lab.cluster.apply([stage])


@pytest.mark.parametrize(("scheduler", "kind"), [("kueue", "Job"), ("volcano", "VolcanoJob")])
def test_pods_that_may_take_a_year_to_end_are_named_once_the_queue_forgets_them(
    scheduler: str, kind: Any, request: pytest.FixtureRequest
) -> None:
    lab: Lab = request.getfixturevalue(scheduler)
    runs(lab, kind)
    left = sorted(one["metadata"]["name"] for one in lab.pods("runs"))
    counts = lab.uses if scheduler == "kueue" else lab.queued
    with unguarded(lab.cluster), kubelets_wait(lab):
        place = ("--namespace", HOME, *AS_OPERATOR)
        lab.cluster.kubectl("delete", "pods", *left, f"--grace-period={365 * 24 * 3600}", "--wait=false", *place)
        if scheduler == "kueue":  # Volcano forgets them while their job and its PodGroup stand
            lab.cluster.kubectl("delete", "jobs.batch", "runs", "--wait=false", *place)
        counts(0)
        pods, queue = beyond(lab, scheduler)
        assert pods.where == f"research: pods {', '.join(left)}"
        assert pods.what.startswith("16 nvidia.com/gpu, ")
        assert queue.what.startswith("counts less than the 16 nvidia.com/gpu")


@pytest.mark.parametrize("kind", ["VolcanoJob", "JobSet"])
def test_pods_whose_pod_group_was_deleted_are_named_and_before_nobody_is(kind: Any, volcano: Lab) -> None:
    runs(volcano, kind)
    volcano.queued(16)
    assert beyond(volcano, "volcano") == []
    with unguarded(volcano.cluster):
        place = ("--all", "--namespace", HOME)
        volcano.cluster.kubectl("delete", "podgroups.scheduling.volcano.sh", *place, *AS_OPERATOR)
    volcano.queued(0)
    pods, queue = beyond(volcano, "volcano")
    assert pods.what.startswith("16 nvidia.com/gpu, ")
    assert pods.what.endswith("is not there")
    assert queue.where == "Queue research"
