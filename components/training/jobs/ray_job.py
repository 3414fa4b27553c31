"""RayJob: a Ray cluster for one run, a head without GPUs and a worker per node."""

import shlex
from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.deepspeed import command
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, job_share, pod_template


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; KubeRay writes the containers' commands."""
    asked, share = gang(job, contract), job_share(job, contract)
    head = pod_template(job, contract, Role(container="ray-head", words=(), coordinator=True, restart_policy=None))
    worker = pod_template(job, contract, Role(container="ray-worker", words=(), restart_policy=None))
    workers = {"replicas": job.nodes, "minReplicas": job.nodes, "maxReplicas": job.nodes}
    return [
        {
            **job.row.type_meta,
            "metadata": asked.metadata(job),
            "spec": {
                "entrypoint": shlex.join(command(job, share)),
                # The operator submits by itself: a submitter pod would be one more role in the gang.
                "submissionMode": "HTTPMode",
                "shutdownAfterJobFinishes": True,
                "backoffLimit": job.max_restarts,
                "rayClusterSpec": {
                    "headGroupSpec": {"rayStartParams": {"num-cpus": "0"}, "template": head},
                    "workerGroupSpecs": [{"groupName": "gpu", **workers, "rayStartParams": {}, "template": worker}],
                },
            },
        }
    ]
