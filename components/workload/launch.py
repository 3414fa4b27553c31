"""What a pod runs: torchrun around the script, and the cloud's NCCL script before it."""

from collections.abc import Sequence

from bedplate.components.workload.contract import PodShare
from bedplate.components.workload.job import TrainingJob

RENDEZVOUS_PORT = 29400
PATIENCE = 1800
"""Seconds that the first node waits for the last, whose image may take that long."""


def command(job: TrainingJob, share: PodShare) -> list[str]:
    """The job's own words, started the way its kind starts programs."""
    if job.command:
        words: Sequence[str] = job.command
    elif job.row.torchrun:
        words = ("torchrun", *job.script)
    else:
        words = ("python", *job.script)
    return sourced(words, share.env_file)


def sourced(words: Sequence[str], env_file: str | None) -> list[str]:
    """GKE's variables come from a script of the node image, which must be sourced by the process that uses them."""
    return ["bash", "-c", '. "$0" && exec "$@"', env_file, *words] if env_file else list(words)


def rendezvous(job: TrainingJob, share: PodShare, first_host: str) -> dict[str, str]:
    """Arguments of torchrun as its variables (PyTorch elastic run), alike in all pods: c10d gives out the ranks.

    Not needed where the job's operator sets them: PyTorchJob and TrainJob.
    """
    return {
        "PET_NNODES": str(job.nodes),
        "PET_NPROC_PER_NODE": str(share.gpus),
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ENDPOINT": f"{first_host}:{RENDEZVOUS_PORT}",
        "PET_RDZV_ID": job.name,
        "PET_RDZV_CONF": f"join_timeout={PATIENCE},read_timeout={PATIENCE}",
    }
