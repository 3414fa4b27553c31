"""DeepSpeed's `ds_config.json`, from the same numbers as the job: batch sizes cannot disagree with the GPUs."""

import json
from typing import Any

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
