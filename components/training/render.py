"""From a job to the objects that `kubectl apply` takes."""

from collections.abc import Callable, Mapping
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.platforms import CLOUDS
from bedplate.components.training.jobs.batch import indexed_job, jobset, trainjob, volcano_job
from bedplate.components.training.jobs.operators import leader_worker_set, mpijob, pytorchjob, ray_job
from bedplate.components.workload.contract import Contract, contract
from bedplate.components.workload.deepspeed import config_map
from bedplate.components.workload.job import Checkpoint, TrainingJob
from bedplate.components.workload.kinds import Kind
from bedplate.components.workload.pod import JOB_LABEL, job_share, labels

RENDERERS: Mapping[Kind, Callable[[TrainingJob, Contract], list[dict[str, Any]]]] = {
    "PyTorchJob": pytorchjob,
    "TrainJob": trainjob,
    "MPIJob": mpijob,
    "JobSet": jobset,
    "Job": indexed_job,
    "VolcanoJob": volcano_job,
    "LeaderWorkerSet": leader_worker_set,
    "RayJob": ray_job,
}


def manifests(job: TrainingJob, facts: Facts) -> list[dict[str, Any]]:
    """Everything of the job, in the order in which it must be made; `stacks/jobs/checks.py` has found it sound."""
    agreed = contract(facts, job.team)
    claim = [_claim(job, job.checkpoint)] if job.checkpoint and job.checkpoint.size else []
    goes_with_it = [*_deepspeed(job, agreed), *_budget(job, facts), *RENDERERS[job.kind](job, agreed)]
    return [*claim, *(_labelled(job, obj) for obj in goes_with_it)]


def _labelled(job: TrainingJob, obj: dict[str, Any]) -> dict[str, Any]:
    """So that it is found again, and goes when the job goes; checkpoints stay, and are not labelled."""
    labels = {**obj["metadata"].get("labels", {}), JOB_LABEL: job.name}
    return obj | {"metadata": obj["metadata"] | {"labels": labels}}


def world_size(job: TrainingJob, agreed: Contract) -> int:
    """Ranks of the job."""
    return job.nodes * job_share(job, agreed).gpus


def _deepspeed(job: TrainingJob, agreed: Contract) -> list[dict[str, Any]]:
    if job.deepspeed is None:
        return []
    return [config_map(job, job.deepspeed, world_size(job, agreed))]


def _claim(job: TrainingJob, checkpoint: Checkpoint) -> dict[str, Any]:
    """All nodes write at once; `stacks/jobs/claims.py` refuses a claim without a class."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": checkpoint.claim, "namespace": job.team},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": checkpoint.storage_class,
            "resources": {"requests": {"storage": checkpoint.size}},
        },
    }


def _budget(job: TrainingJob, facts: Facts) -> list[dict[str, Any]]:
    """On nodes of one's own a drain must wait for the job; servers can spare a group if there are several.

    A number: these pods have no scale from which a percentage could be taken.
    """
    fewest = job.nodes * (job.replicas - 1) if job.row.serves else job.fewest_nodes
    if facts.platform in CLOUDS or job.nodes == 1 or not fewest:
        return []
    return [
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": job.name, "namespace": job.team},
            "spec": {"minAvailable": fewest, "selector": {"matchLabels": labels(job, coordinator=False)}},
        }
    ]
