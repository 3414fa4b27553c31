"""TrainJob of Kubeflow Trainer v2, with a TrainingRuntime of its own in the team's namespace.

A runtime for the whole cluster could not name the team's networks, and a TrainJob alone can change little of a pod.
"""

from typing import Any

from bedplate.components.marks import marks
from bedplate.components.training.jobs import jobset
from bedplate.components.workload.contract import Contract
from bedplate.components.workload.deepspeed import command
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, job_share, pod_template, resources

NODE = Role(container="node")
"""The trainer fills in the container of this name."""
STEP = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
"""Without this label the TrainJob's image and arguments never reach the pods."""


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """Runtime and job."""
    asked, share = gang(job, contract), job_share(job, contract)
    size = resources(job, share, NODE)
    runtime = {"apiGroup": job.row.group, "kind": "TrainingRuntime", "name": job.name}
    trainer = {
        "image": job.image,
        "command": command(job, share),
        "numNodes": job.nodes,
        "numProcPerNode": share.gpus,
        # These replace the runtime's, so they are complete (NVIDIA/aicr fabric-attached-training).
        "resourcesPerNode": {"requests": size, "limits": dict(size)},
    }
    return [
        training_runtime(job, contract),
        {
            **job.row.type_meta,
            "metadata": asked.metadata(job),
            "spec": {"runtimeRef": runtime, "trainer": trainer},
        },
    ]


def training_runtime(job: TrainingJob, contract: Contract) -> dict[str, Any]:
    """Queue and gang of Volcano are the runtime's to say (trainer, Volcano plugin)."""
    asked = gang(job, contract)
    pod = jobset.job_spec(pod_template(job, contract, NODE))
    metadata = {"metadata": marks(annotations=asked.annotations)} if asked.annotations else {}
    return {
        "apiVersion": job.row.api,
        "kind": "TrainingRuntime",
        "metadata": {
            "name": job.name,
            "namespace": job.team,
            "labels": {"trainer.kubeflow.org/framework": "torch"},
        },
        "spec": {
            "mlPolicy": {"numNodes": job.nodes, "torch": {}},
            **asked.policy,
            "template": {**metadata, "spec": jobset.spec(job, pod, STEP)},
        },
    }
