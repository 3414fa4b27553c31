"""What a pod asks of device plugins and of the container runtime: whole devices, equal requests, the right runtime."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.manifests.derived import platforms_in
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import UNKNOWN, Tree, dig, quantity, text, tree, whole

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
    images = [text(container.get("image")) for container in pod.containers]
    if value is None and pod.env_known and chosen and any(map(CUDA.search, images)) and not _asks(pod):
        yield f"selects a GPU node with a CUDA image, which sets {VISIBLE} to all, and asks for no GPU"


@rule("GPU-127", ADVISORY, on=Pod)
def plugin_by_nvidia_runtime(pod: Pod, _: Facts) -> Complaints:
    """k3s, RKE2 and k0s add the runtime beside the default one, which the plugin's own manifest counts on."""
    plugin = any(PLUGIN.search(text(container.get("image"))) for container in pod.containers)
    if pod.resource.kind == "DaemonSet" and plugin and pod.spec.get("runtimeClassName") is None:
        yield "has no runtimeClassName"


EXTENDED = re.compile(r"(?!([^/]*\.)?kubernetes\.io/)[^/]+/.+")
"""Names with a domain other than Kubernetes' own: IsExtendedResourceName."""
PAGES = re.compile(r"hugepages-(.+)")


def _faults(name: str, request: object, limit: object) -> Iterator[str]:
    """Why Kubernetes refuses the two amounts of one resource."""
    pages = PAGES.fullmatch(name)
    step = quantity(pages[1]) if pages else 1
    written = request if limit is None else limit
    amount = quantity(written)
    if step and amount is not None and amount % step:
        yield f"{name} is {written}, which is no multiple of {pages[1] if pages else 1}"
    elif limit is None:
        yield f"{name} is requested without a limit"
    elif request is not None and quantity(request) != quantity(limit):
        yield f"{name} is requested {request} times with a limit of {limit}"


@rule("GPU-128", MANDATORY, also=ADVISORY, on=Pod)
def whole_and_equal(pod: Pod, facts: Facts) -> Complaints:
    """Extended resources and huge pages have a limit, in whole devices or pages, and no other request.

    Autopilot of GKE alone writes the limit that is absent (GKE documentation, Autopilot resource requests).
    """
    for container in pod.all_containers if not (pod.completed or pod.partial) else ():
        requests, limits = (tree(dig(container, "resources", part)) for part in ("requests", "limits"))
        for name in sorted({*requests, *limits}) if whole(container.get("resources")) else ():
            if EXTENDED.fullmatch(name) or PAGES.fullmatch(name):
                for fault in _faults(name, requests.get(name), limits.get(name)):
                    what = f"container {text(container.get('name'))}: {fault}"
                    if not fault.endswith("without a limit"):
                        yield Complaint(what)
                    elif "gke" in {facts.platform, *platforms_in(pod.spec)}:
                        said = f"{what}; right only on Autopilot"
                        yield Complaint(said, severity=ADVISORY, edits=_limit(container, name))
                    else:
                        yield Complaint(what, edits=_limit(container, name))


def _limit(container: Tree, name: str) -> tuple[Edit, ...]:
    """The limit that Kubernetes asks for can only be the request."""
    resources = tree(container.get("resources"))
    amount = dig(resources, "requests", name)
    limits = tree(resources.get("limits"))
    return (Edit(limits, name, amount) if limits else Edit(resources, "limits", {name: amount}),)
