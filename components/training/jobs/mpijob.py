"""MPIJob v2beta1: workers wait in sshd, a launcher without GPUs runs mpirun."""

from typing import Any

from bedplate.components.workload.contract import Contract
from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.deepspeed import command
from bedplate.components.workload.gang import gang
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, environment, job_share, pod_template

SSHD = ("sh", "-c", "mkdir -p /run/sshd && ssh-keygen -A && exec /usr/sbin/sshd -De -o StrictModes=no")
"""A server of ssh in an image as it is: without the folder it does not start, without keys of the host nobody gets in,
and it would not trust the modes of the user's key, which comes from a Secret (mpi-operator, build/base/Dockerfile)."""
RSH = "-o ConnectionAttempts=10 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
"""As the operator's base image is configured. The command line is Open MPI's last word, so this repeats the
operator's ConnectionAttempts (mpi-operator, OMPI_MCA_plm_rsh_args)."""
WORKER = Role(words=SSHD, root=True, capabilities=CONTROLLERS["mpiOperator"].capabilities, restart_policy=None)
"""Root, as the operator puts the key into its home and OpenShift would choose any user (mpi-operator v0.8.2,
pkg/apis/kubeflow/v2beta1/default.go). sshd changes its root before anybody has logged in, which containerd lets a
container do and CRI-O does not (kubeflow/mpi-operator#642)."""


def manifests(job: TrainingJob, contract: Contract) -> list[dict[str, Any]]:
    """The job; its launcher starts when every worker's sshd answers."""
    asked = gang(job, contract)
    launcher = Role(words=tuple(mpirun(job, contract)), coordinator=True, root=True, restart_policy=None)
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
        *("--mca", "plm_rsh_args", RSH),
        # MPI itself only starts the ranks and exchanges addresses, on the pods' own network; NCCL moves the data.
        *("--mca", "pml", "ob1"),
        *("--mca", "btl", "tcp,self"),
        *("--mca", "btl_tcp_if_include", "eth0"),
        *("--mca", "oob_tcp_if_include", "eth0"),
        *(token for name in passed for token in ("-x", name)),
        *command(job, share),
    ]
