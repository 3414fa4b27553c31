"""Volcano's own Job: queue, gang and topology are fields of it."""

from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.deepspeed import rendezvous
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, job_share, pod_template

TASK = "node"


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; its plug-in `svc` makes the headless Service, and one failed or evicted pod restarts all."""
    asked = gang(job, contract)
    env = rendezvous(job, job_share(job, contract), f"{job.name}-{TASK}-0.{job.name}")
    task = {"name": TASK, "replicas": job.nodes, "minAvailable": job.nodes}
    return [
        {
            **job.row.type_meta,
            "metadata": asked.metadata(job),
            "spec": {
                "schedulerName": asked.scheduler,
                **asked.policy,
                "maxRetry": job.max_restarts,
                "plugins": {"svc": ["--publish-not-ready-addresses=true", "--disable-network-policy=true"]},
                "policies": [
                    {"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"},
                    {"event": "TaskCompleted", "action": "CompleteJob"},
                ],
                "tasks": [{**task, "template": pod_template(job, contract, Role(env=env))}],
            },
        }
    ]
