"""DeepSpeed's `ds_config.json`, from the same numbers as the job: batch sizes cannot disagree with the GPUs."""

import json
from collections.abc import Sequence
from typing import Any

from bedplate.components.workload.contract import PodShare
from bedplate.components.workload.job import DeepSpeed, TrainingJob

CONFIG_FOLDER = "/etc/deepspeed"
CONFIG_FILE = "ds_config.json"
"""A script reads it with `--deepspeed_config /etc/deepspeed/ds_config.json` (transformers: `--deepspeed`)."""


def config_name(job: TrainingJob) -> str:
    """Name of the ConfigMap."""
    return f"{job.name}-deepspeed"


def train_batch(section: DeepSpeed, world: int) -> int:
    """DeepSpeed's identity: train batch = micro batch x accumulation x GPUs."""
    return section.micro_batch * section.accumulation * world


def config_map(job: TrainingJob, section: DeepSpeed, world: int) -> dict[str, Any]:
    """The file, in the team's namespace."""
    text = json.dumps(config(section, world), indent=2) + "\n"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": config_name(job), "namespace": job.team},
        "data": {CONFIG_FILE: text},
    }


def config(section: DeepSpeed, world: int) -> dict[str, Any]:
    """What DeepSpeed reads; everything else keeps its default."""
    return {
        "train_batch_size": train_batch(section, world),
        "train_micro_batch_size_per_gpu": section.micro_batch,
        "gradient_accumulation_steps": section.accumulation,
        "gradient_clipping": section.gradient_clipping,
        section.precision: {"enabled": True},
        "zero_optimization": _zero(section),
    }


def _zero(section: DeepSpeed) -> dict[str, Any]:
    cpu = {"device": "cpu", "pin_memory": True}
    offload: dict[str, Any] = {"offload_optimizer": cpu} if section.offload == "cpu" else {}
    if section.zero_stage < 3:  # noqa: PLR2004 - the stage that also shards parameters
        return {"stage": section.zero_stage, "overlap_comm": True, **offload}
    parameters = {"offload_param": cpu} if section.offload == "cpu" else {}
    # Without it a checkpoint holds shards only, which nothing but DeepSpeed can read.
    whole = {"stage3_gather_16bit_weights_on_model_save": True}
    return {"stage": 3, "overlap_comm": True, "contiguous_gradients": True, **whole, **offload, **parameters}


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
