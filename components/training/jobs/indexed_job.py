"""A plain Indexed Job and the headless Service by which its pods find the first of them; needs no operator."""

from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.deepspeed import RENDEZVOUS_PORT, rendezvous
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import JOB_LABEL, Role, job_share, pod_template


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """Service, Job, and with Volcano its PodGroup."""
    asked = gang(job, contract)
    pod = pod_template(job, contract, Role(env=rendezvous(job, job_share(job, contract), f"{job.name}-0.{job.name}")))
    pod["spec"]["subdomain"] = job.name
    ignored = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    indexed = {
        **job.row.type_meta,
        "metadata": asked.metadata(job),
        "spec": {
            "completionMode": "Indexed",
            "parallelism": job.nodes,
            "completions": job.nodes,
            # One failure takes every pod with it, and each counts.
            "backoffLimit": job.max_restarts * job.nodes,
            # A drained or preempted pod is replaced without counting.
            "podFailurePolicy": {"rules": [ignored]},
            "template": pod,
        },
    }
    return [*asked.groups, _service(job), indexed]


def _service(job: TrainingJob) -> dict[str, Any]:
    """Names resolve before pods are ready: they become ready only after they have met."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": job.name, "namespace": job.team},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {JOB_LABEL: job.name},
            "ports": [{"name": "rendezvous", "port": RENDEZVOUS_PORT}],
        },
    }
