"""Whether a job's image can use the fabric that its pods ask for."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.devices import EFA
from bedplate.policies.resources.pod import Pod, requested
from bedplate.policies.rule import ADVISORY, Complaints, rule
from bedplate.policies.values import text

END = r"(?=[:@]|$)"
RAY = rf"(^|/)rayproject/ray(-ml)?{END}"
WITHOUT_VERBS = re.compile(rf"(^|/)pytorch/pytorch:[^@]*-runtime|{RAY}")
"""PyTorch's runtime images and Ray's own install none (dstackai/dstack#2712; ray-project/ray docker/base-deps)."""
WITHOUT_OFI = re.compile(rf"(^|/)pytorch/pytorch{END}|{RAY}|(^|/)vllm/vllm-openai{END}|(^|/)coreweave/nccl-tests{END}")
"""None of these installs AWS's plug-in (coreweave/nccl-tests Dockerfile); AWS's own Deep Learning Containers do."""


@rule(
    "NCCL-318",
    "Images carry the library of the fabric",
    ADVISORY,
    on=Pod,
    why="NCCL finds no library for the fabric's devices, uses TCP and says so in its log only (`Using network Socket`)",
    fix="Use an image with it, such as NVIDIA's of NGC (on EFA: AWS's), or install libibverbs1 and ibverbs-providers",
    source="dstackai/dstack#2712; pytorch/pytorch#73790; ray-project/ray docker/base-deps/Dockerfile",
)
def carries_library(pod: Pod, _: Facts) -> Complaints:
    """Images that are known to lack libibverbs, or aws-ofi-nccl where the devices are EFA's."""
    for container in pod.containers:
        devices, image = requested(container), text(container.get("image"))
        on_efa = EFA in devices
        lacks = WITHOUT_OFI if on_efa else WITHOUT_VERBS
        if any(map(pod.is_rdma, devices)) and lacks.search(image):
            yield f"{image} carries no {'aws-ofi-nccl' if on_efa else 'libibverbs'}"
