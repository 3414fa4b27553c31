"""MPIJob v2beta1: workers wait in sshd, a launcher without GPUs runs mpirun."""

from typing import Any

from components.workload.contract import Contract
from components.workload.gang import gang
from components.workload.job import TrainingJob
from components.workload.launch import command
from components.workload.pod import Role, environment, job_share, pod_template

SSHD = ("/usr/sbin/sshd", "-De")
WORKER = Role(words=SSHD, restart_policy=None)


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; its launcher starts when every worker's sshd answers."""
    asked = gang(job, contract)
    launcher = Role(words=tuple(mpirun(job, contract)), coordinator=True, restart_policy=None)
    return [
        {
            **job.row.type_meta,
            "metadata": asked.metadata(job),
            "spec": {
                "slotsPerWorker": job_share(job, contract).gpus,
                "mpiImplementation": "OpenMPI",
                "launcherCreationPolicy": "WaitForWorkersReady",
                # Kueue frees the quota of a job that is over, so its workers must be gone (kubernetes-sigs/kueue#1574).
                "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": job.max_restarts, **asked.policy},
                "mpiReplicaSpecs": {
                    "Launcher": _replicas(1, "OnFailure", pod_template(job, contract, launcher)),
                    "Worker": _replicas(job.nodes, "Never", pod_template(job, contract, WORKER)),
                },
            },
        }
    ]


def _replicas(count: int, restart: str, template: dict[str, Any]) -> dict[str, Any]:
    return {"replicas": count, "restartPolicy": restart, "template": template}


def mpirun(job: TrainingJob, contract: Contract) -> list[str]:
    """One token per list item: `-np 16` in one item is an unknown option (Open MPI)."""
    share = job_share(job, contract)
    passed = dict.fromkeys(["PATH", "LD_LIBRARY_PATH", *environment(job, share, WORKER)])
    return [
        "mpirun",
        "--allow-run-as-root",
        *("-np", str(job.nodes * share.gpus)),
        *("-npernode", str(share.gpus)),
        *("--bind-to", "none"),
        # MPI itself only starts the ranks and exchanges addresses, on the pods' own network; NCCL moves the data.
        *("--mca", "pml", "ob1"),
        *("--mca", "btl", "tcp,self"),
        *("--mca", "btl_tcp_if_include", "eth0"),
        *("--mca", "oob_tcp_if_include", "eth0"),
        *(token for name in passed for token in ("-x", name)),
        *command(job, share),
    ]
