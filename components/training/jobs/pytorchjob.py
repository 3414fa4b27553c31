"""PyTorchJob of the Training Operator v1, static or elastic; the operator sets torchrun's variables."""

from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import Elastic, TrainingJob
from bedplate.components.workload.pod import Role, job_share, pod_template

WORKER = Role(container="pytorch", restart_policy=None)
"""The operator's webhook refuses any other container name (training-operator pytorchjob_webhook.go)."""


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; elastic without a Master, which cannot come and go."""
    asked = gang(job, contract)
    roles = {"Worker": job.nodes} if job.elastic else _static(job.nodes)
    return [
        {
            **job.row.type_meta,
            "metadata": asked.metadata(job),
            "spec": {
                "nprocPerNode": str(job_share(job, contract).gpus),
                "runPolicy": {
                    # Kueue frees the quota of a finished job, so its pods must be gone (kubernetes-sigs/kueue#1574).
                    "cleanPodPolicy": "Running",
                    # The operator adds up the restarts of all pods, and one failure restarts every one of them.
                    "backoffLimit": job.max_restarts * job.nodes,
                    **asked.policy,
                },
                **({"elasticPolicy": _elastic(job.elastic, job.max_restarts)} if job.elastic else {}),
                "pytorchReplicaSpecs": {
                    role: {
                        "replicas": count,
                        "restartPolicy": "OnFailure",
                        "template": pod_template(job, contract, WORKER),
                    }
                    for role, count in roles.items()
                },
            },
        }
    ]


def _static(nodes: int) -> dict[str, int]:
    """The first node is the Master, where the others meet."""
    return {"Master": 1, **({"Worker": nodes - 1} if nodes > 1 else {})}


def _elastic(elastic: Elastic, restarts: int) -> dict[str, Any]:
    """The operator gives torchrun the endpoint of worker 0; naming one here would be wrong."""
    nodes = {"minReplicas": elastic.min_nodes, "maxReplicas": elastic.max_nodes}
    return {**nodes, "rdzvBackend": "c10d", "maxRestarts": restarts}
