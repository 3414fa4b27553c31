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


@rule("NCCL-318", ADVISORY, on=Pod)
def carries_library(pod: Pod, _: Facts) -> Complaints:
    """Images that are known to lack libibverbs, or aws-ofi-nccl where the devices are EFA's."""
    for container in pod.containers:
        devices, image = requested(container), text(container.get("image"))
        on_efa = EFA in devices
        lacks = WITHOUT_OFI if on_efa else WITHOUT_VERBS
        if any(map(pod.is_rdma, devices)) and lacks.search(image):
            yield f"{image} carries no {'aws-ofi-nccl' if on_efa else 'libibverbs'}"
