"""Jobs whose roles an operator tells apart: PyTorchJob, MPIJob, RayJob and LeaderWorkerSet.

PyTorchJobs are those of the Training Operator v1, static or elastic, which sets torchrun's variables. LeaderWorkerSets
are for servers only: their pods restart after success too (kubernetes-sigs/lws#570).
"""

import shlex
from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.deepspeed import command
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import Elastic, TrainingJob
from bedplate.components.workload.pod import Role, environment, job_share, pod_template

PYTORCH = Role(container="pytorch", restart_policy=None)
"""The operator's webhook refuses any other container name (training-operator pytorchjob_webhook.go)."""


def pytorchjob(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; elastic without a Master, which cannot come and go."""
    gathered = gang(job, contract)
    roles = {"Worker": job.nodes} if job.elastic else _static(job.nodes)
    body: dict[str, Any] = {
        "nprocPerNode": str(job_share(job, contract).gpus),
        "runPolicy": {
            # Kueue frees the quota of a finished job, so its pods must be gone (kubernetes-sigs/kueue#1574).
            "cleanPodPolicy": "Running",
            # The operator adds up the restarts of all pods, and one failure restarts every one of them.
            "backoffLimit": job.max_restarts * job.nodes,
            **gathered.policy,
        },
        **({"elasticPolicy": _elastic(job.elastic, job.max_restarts)} if job.elastic else {}),
        "pytorchReplicaSpecs": {
            role: {
                "replicas": count,
                "restartPolicy": "OnFailure",
                "template": pod_template(job, contract, PYTORCH),
            }
            for role, count in roles.items()
        },
    }
    return [gathered.whole(job, body)]


def _static(nodes: int) -> dict[str, int]:
    """The first node is the Master, where the others meet."""
    return {"Master": 1, **({"Worker": nodes - 1} if nodes > 1 else {})}


def _elastic(elastic: Elastic, restarts: int) -> dict[str, Any]:
    """The operator gives torchrun the endpoint of worker 0; naming one here would be wrong."""
    nodes = {"minReplicas": elastic.min_nodes, "maxReplicas": elastic.max_nodes}
    return {**nodes, "rdzvBackend": "c10d", "maxRestarts": restarts}


SSHD = ("sh", "-c", "mkdir -p /run/sshd && ssh-keygen -A && exec /usr/sbin/sshd -De -o StrictModes=no")
"""A server of ssh in an image as it is: without the folder it does not start, without keys of the host nobody gets in,
and it would not trust the modes of the user's key, which comes from a Secret (mpi-operator, build/base/Dockerfile)."""
RSH = "-o ConnectionAttempts=10 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
"""As the operator's base image is configured. The command line is Open MPI's last word, so this repeats the
operator's ConnectionAttempts (mpi-operator, OMPI_MCA_plm_rsh_args)."""
MPI_WORKER = Role(words=SSHD, root=True, capabilities=CONTROLLERS["mpiOperator"].capabilities, restart_policy=None)
"""Root, as the operator puts the key into its home and OpenShift would choose any user (mpi-operator v0.8.2,
pkg/apis/kubeflow/v2beta1/default.go). sshd changes its root before anybody has logged in, which containerd lets a
container do and CRI-O does not (kubeflow/mpi-operator#642)."""


def mpijob(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; its launcher starts when every worker's sshd answers."""
    gathered = gang(job, contract)
    launcher = Role(words=tuple(mpirun(job, contract)), coordinator=True, root=True, restart_policy=None)
    body: dict[str, Any] = {
        "slotsPerWorker": job_share(job, contract).gpus,
        "mpiImplementation": "OpenMPI",
        "launcherCreationPolicy": "WaitForWorkersReady",
        # Kueue frees the quota of a job that is over, so its workers must be gone (kubernetes-sigs/kueue#1574).
        "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": job.max_restarts, **gathered.policy},
        "mpiReplicaSpecs": {
            "Launcher": _replicas(1, "OnFailure", pod_template(job, contract, launcher)),
            "Worker": _replicas(job.nodes, "Never", pod_template(job, contract, MPI_WORKER)),
        },
    }
    return [gathered.whole(job, body)]


def _replicas(count: int, restart: str, template: dict[str, Any]) -> dict[str, Any]:
    return {"replicas": count, "restartPolicy": restart, "template": template}


def mpirun(job: TrainingJob, contract: Contract) -> list[str]:
    """One token per list item: `-np 16` in one item is an unknown option (Open MPI)."""
    share = job_share(job, contract)
    passed = dict.fromkeys(["PATH", "LD_LIBRARY_PATH", *environment(job, share, MPI_WORKER)])
    return [
        "mpirun",
        "--allow-run-as-root",
        *("-np", str(job.nodes * share.gpus)),
        *("-npernode", str(share.gpus)),
        *("--bind-to", "none"),
        *("--mca", "plm_rsh_args", RSH),
        # MPI itself only starts the ranks and exchanges addresses, on the pods' own network; NCCL moves the data.
        *("--mca", "pml", "ob1"),
        *("--mca", "btl", "tcp,self"),
        *("--mca", "btl_tcp_if_include", "eth0"),
        *("--mca", "oob_tcp_if_include", "eth0"),
        *(token for name in passed for token in ("-x", name)),
        *command(job, share),
    ]


def ray_job(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; KubeRay writes the containers' commands."""
    gathered, share = gang(job, contract), job_share(job, contract)
    head = pod_template(job, contract, Role(container="ray-head", words=(), coordinator=True, restart_policy=None))
    worker = pod_template(job, contract, Role(container="ray-worker", words=(), restart_policy=None))
    workers = {"replicas": job.nodes, "minReplicas": job.nodes, "maxReplicas": job.nodes}
    body: dict[str, Any] = {
        "entrypoint": shlex.join(command(job, share)),
        # The operator submits by itself: a submitter pod would be one more role in the gang.
        "submissionMode": "HTTPMode",
        "shutdownAfterJobFinishes": True,
        "backoffLimit": job.max_restarts,
        "rayClusterSpec": {
            "headGroupSpec": {"rayStartParams": {"num-cpus": "0"}, "template": head},
            "workerGroupSpecs": [{"groupName": "gpu", **workers, "rayStartParams": {}, "template": worker}],
        },
    }
    return [gathered.whole(job, body)]


def leader_worker_set(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """Leaders and workers alike; LWS_WORKER_INDEX and LWS_LEADER_ADDRESS tell the program which it is."""
    gathered = gang(job, contract)
    leader = pod_template(job, contract, Role(container="server", port=job.port, restart_policy=None))
    worker = pod_template(job, contract, Role(container="server", restart_policy=None))
    body: dict[str, Any] = {
        "replicas": job.replicas,
        "startupPolicy": "LeaderCreated",
        "networkConfig": {"subdomainPolicy": "Shared"},
        # No spare GPUs are needed for a new version: one group gives way at a time.
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxSurge": 0, "maxUnavailable": 1},
        },
        "leaderWorkerTemplate": {
            "size": job.nodes,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": leader,
            "workerTemplate": worker,
        },
    }
    group = gathered.whole(job, body)
    return [_leaders_service(job), group]


def _leaders_service(job: TrainingJob) -> dict[str, Any]:
    """Before the leaders only; the controller makes the headless one under the job's name."""
    leaders = {
        "leaderworkerset.sigs.k8s.io/name": job.name,
        "leaderworkerset.sigs.k8s.io/worker-index": "0",
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": f"{job.name}-http", "namespace": job.team},
        "spec": {"selector": leaders, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]},
    }
