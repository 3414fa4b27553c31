"""What people have on a cluster while operators come and go. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.workload.kinds import KINDS
from tests.training_jobs import job, rendered

TEAM = "research"
FINALIZER = "kueue.x-k8s.io/resource-in-use"
RUNS = {"lab.bedplate/runs-for": "600s"}
SUSPENDED = frozenset({"Job", "JobSet", "TrainJob", "RayJob"})
"""Kinds that say by `spec.suspend` that they wait in a queue."""
SMALL = {"requests": {"cpu": "100m", "memory": "64Mi"}}
"""A queue counts what containers ask for, so each says it."""
POD = {"containers": [{"name": "main", "image": "example.com/train:1", "resources": SMALL}], "restartPolicy": "Never"}


def manifest(api: str, kind: str, name: str, spec: Mapping[str, Any], **metadata: Any) -> dict[str, Any]:
    place = {"name": name, "namespace": TEAM, **metadata}
    return {"apiVersion": api, "kind": kind, "metadata": place, "spec": dict(spec)}


def workload(name: str) -> dict[str, Any]:
    """As Kueue makes one for each job, and lets it go only when it has given back what the job held."""
    pods = [{"name": "main", "count": 1, "template": {"spec": POD}}]
    spec = {"queueName": "default", "podSets": pods}
    return manifest("kueue.x-k8s.io/v1beta2", "Workload", name, spec, finalizers=[FINALIZER])


def fifty() -> Iterator[dict[str, Any]]:
    """Ten each of what a team has with Kueue and JobSet."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    for i in range(10):
        yield manifest("jobset.x-k8s.io/v1alpha2", "JobSet", f"train-{i}", {"suspend": True, "replicatedJobs": []})
        yield manifest("batch/v1", "Job", f"prepare-{i}", {"suspend": True, "template": {"spec": POD}})
        yield workload(f"waits-{i}")
        yield manifest("v1", "PersistentVolumeClaim", f"data-{i}", claim)
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"settings-{i}", "namespace": TEAM}}


def of_every_kind(facts: Facts) -> Iterator[dict[str, Any]]:
    """Jobs and servers of every kind with a controller of ours: one in the queue, one at work, one done."""
    for kind, row in KINDS.items():
        if row.scheduler:
            continue
        for state in ("queued", "running", "done"):
            written = job(kind, name=f"{state}-{row.object.lower()}", annotations=RUNS if state == "running" else {})
            *beside, own = rendered(written, facts)
            if state == "queued" and row.object in SUSPENDED:
                own["spec"]["suspend"] = True
            yield from (*beside, own)
        yield workload(f"of-{row.object.lower()}")
