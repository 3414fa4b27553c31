"""What the container runtime gives a pod: the GPUs that it asked for, by the runtime that knows them."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, Complaints, rule
from bedplate.policies.values import UNKNOWN, text, tree

VISIBLE = "NVIDIA_VISIBLE_DEVICES"
NONE = {"", "none", "void"}
CUDA = re.compile(r"(^|/)nvidia/cuda|nvcr\.io/nvidia/(cuda|pytorch|tensorflow)")
"""Images whose own environment asks the runtime for all GPUs."""
ANY_GPU = re.compile(r"(nvidia|amd|habana)\.(com|ai)/.+|gpu\..+|.+/(gpu|vgpu).*")
GPU_NODES = re.compile(r"nvidia\.com/.+|cloud\.google\.com/gke-accelerator|k8s\.amazonaws\.com/accelerator")
PLUGIN = re.compile(r"k8s-device-plugin|gpu-feature-discovery")


def _asks(pod: Pod) -> bool:
    """Whether a pod asks for GPUs, or may."""
    return bool(pod.requests(ANY_GPU)) or pod.spec.get("resourceClaims") is not None or not pod.devices_known


@rule("GPU-126", ADVISORY, on=Pod)
def visible_devices(pod: Pod, _: Facts) -> Complaints:
    """NVIDIA_VISIBLE_DEVICES belongs to the device plugin; CUDA images set it to all by themselves.

    DaemonSets that watch or configure every GPU may set it.
    """
    if pod.resource.kind == "DaemonSet":
        return
    value = pod.env.get(VISIBLE)
    if value is not None and value is not UNKNOWN and text(value) not in NONE:
        yield f"{VISIBLE} is {text(value)} {'beside' if _asks(pod) else 'without'} a request for GPUs"
    chosen = any(GPU_NODES.fullmatch(key) for key in tree(pod.spec.get("nodeSelector")))
    images = [text(each.get("image")) for each in pod.containers]
    if value is None and pod.env_known and chosen and any(map(CUDA.search, images)) and not _asks(pod):
        yield f"selects a GPU node with a CUDA image, which sets {VISIBLE} to all, and asks for no GPU"


@rule("GPU-127", ADVISORY, on=Pod)
def plugin_by_nvidia_runtime(pod: Pod, _: Facts) -> Complaints:
    """k3s, RKE2 and k0s add the runtime beside the default one, which the plugin's own manifest counts on."""
    plugin = any(PLUGIN.search(text(each.get("image"))) for each in pod.containers)
    if pod.resource.kind == "DaemonSet" and plugin and pod.spec.get("runtimeClassName") is None:
        yield "has no runtimeClassName"
