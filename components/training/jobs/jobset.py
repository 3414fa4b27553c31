"""JobSet: one Indexed Job whose pods know each other by name; a failure starts all of them anew."""

from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.deepspeed import rendezvous
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, job_share, pod_template

NODES = "node"
"""Name of the one replicated Job."""


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The set, and with Volcano its PodGroup."""
    asked = gang(job, contract)
    env = rendezvous(job, job_share(job, contract), f"{job.name}-{NODES}-0-0.{job.name}")
    pods = {"parallelism": job.nodes, "completions": job.nodes}
    job_set = {
        **job.row.type_meta,
        "metadata": asked.metadata(job),
        "spec": spec(job, pods | job_spec(pod_template(job, contract, Role(env=env)))),
    }
    return [*asked.groups, job_set]


def spec(job: TrainingJob, template: dict[str, Any], labels: dict[str, str] | None = None) -> dict[str, Any]:
    """A set of one Job; a disruption from outside, such as a drain, does not count against the restarts."""
    return {
        "failurePolicy": {
            "maxRestarts": job.max_restarts,
            "rules": [
                {
                    "name": "disruption",
                    "action": "RestartJobSetAndIgnoreMaxRestarts",
                    "onJobFailureReasons": ["PodFailurePolicy"],
                }
            ],
        },
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
        "replicatedJobs": [
            {
                "name": NODES,
                "replicas": 1,
                "template": {**({"metadata": {"labels": labels}} if labels else {}), "spec": template},
            }
        ],
    }


def job_spec(pod: dict[str, Any]) -> dict[str, Any]:
    """The Job in the set: it fails with its first pod, and says so if the pod was disrupted."""
    disrupted = {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    return {
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "podFailurePolicy": {"rules": [disrupted]},
        "template": pod,
    }
