"""Jobs of one replicated pod template: Kubernetes' own Job, JobSet, Kubeflow's TrainJob and Volcano's Job.

A TrainJob has a TrainingRuntime of its own in the team's namespace: one for the whole cluster could not name the team's
networks, and a TrainJob alone can change little of a pod.
"""

from typing import Any

from bedplate.components.marks import marks
from bedplate.components.workload.contract import Contract
from bedplate.components.workload.deepspeed import RENDEZVOUS_PORT, command, rendezvous
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import JOB_LABEL, Role, job_share, pod_template, resources

NODES = "node"
"""Name of the one replicated Job."""


def jobset(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The set, and with Volcano its PodGroup."""
    gathered = gang(job, contract)
    env = rendezvous(job, job_share(job, contract), f"{job.name}-{NODES}-0-0.{job.name}")
    pods = {"parallelism": job.nodes, "completions": job.nodes}
    job_set = gathered.whole(job, spec(job, pods | job_spec(pod_template(job, contract, Role(env=env)))))
    return [*gathered.groups, job_set]


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


def indexed_job(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """Service, Job, and with Volcano its PodGroup."""
    gathered = gang(job, contract)
    pod = pod_template(job, contract, Role(env=rendezvous(job, job_share(job, contract), f"{job.name}-0.{job.name}")))
    pod["spec"]["subdomain"] = job.name
    ignored = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    body: dict[str, Any] = {
        "completionMode": "Indexed",
        "parallelism": job.nodes,
        "completions": job.nodes,
        # One failure takes every pod with it, and each counts.
        "backoffLimit": job.max_restarts * job.nodes,
        # A drained or preempted pod is replaced without counting.
        "podFailurePolicy": {"rules": [ignored]},
        "template": pod,
    }
    indexed = gathered.whole(job, body)
    return [*gathered.groups, _rendezvous_service(job), indexed]


def _rendezvous_service(job: TrainingJob) -> dict[str, Any]:
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


NODE = Role(container="node")
"""The trainer fills in the container of this name."""
STEP = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
"""Without this label the TrainJob's image and arguments never reach the pods."""


def trainjob(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """Runtime and job."""
    gathered, share = gang(job, contract), job_share(job, contract)
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
    body: dict[str, Any] = {"runtimeRef": runtime, "trainer": trainer}
    return [
        training_runtime(job, contract),
        gathered.whole(job, body),
    ]


def training_runtime(job: TrainingJob, contract: Contract) -> dict[str, Any]:
    """Queue and gang of Volcano are the runtime's to say (trainer, Volcano plugin)."""
    gathered = gang(job, contract)
    pod = job_spec(pod_template(job, contract, NODE))
    metadata = {"metadata": marks(annotations=gathered.annotations)} if gathered.annotations else {}
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
            **gathered.policy,
            "template": {**metadata, "spec": spec(job, pod, STEP)},
        },
    }


TASK = "node"


def volcano_job(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; its plug-in `svc` makes the headless Service, and one failed or evicted pod restarts all."""
    gathered = gang(job, contract)
    env = rendezvous(job, job_share(job, contract), f"{job.name}-{TASK}-0.{job.name}")
    task = {"name": TASK, "replicas": job.nodes, "minAvailable": job.nodes}
    body: dict[str, Any] = {
        "schedulerName": gathered.scheduler,
        **gathered.policy,
        "maxRetry": job.max_restarts,
        "plugins": {"svc": ["--publish-not-ready-addresses=true", "--disable-network-policy=true"]},
        "policies": [
            {"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"},
            {"event": "TaskCompleted", "action": "CompleteJob"},
        ],
        "tasks": [{**task, "template": pod_template(job, contract, Role(env=env))}],
    }
    return [gathered.whole(job, body)]
