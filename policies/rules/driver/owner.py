"""Exactly one owner for the driver, the toolkit, the device plugin and node feature discovery."""

from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, text

GPU_OPERATOR = "gpu-operator"
AKS_RUNTIME = "nvidia-container-runtime"
NFD = "node-feature-discovery"
WITH_DRIVER = {"dgxos", "talos", "al2023-nvidia", "bottlerocket-nvidia"}
"""Node images that carry the GPU driver."""


def _nfd(stack: Stack) -> Iterator[tuple[Release, bool | None]]:
    for release in stack.releases(NFD):
        yield release, True
    for release in stack.releases(GPU_OPERATOR, "network-operator"):
        yield release, release.switch("nfd", "enabled", default=True)


@rule("GPU-103", MANDATORY, also=ADVISORY, on=Stack)
def one_node_feature_discovery(stack: Stack) -> Complaints:
    """Standalone NFD, the GPU operator's, the network operator's and the site's make one together.

    OpenShift brings its own by an operator, so none is right there.
    """
    found = list(_nfd(stack))
    sure = [release for release, on in found if on]
    unsure = any(on is None for _, on in found)
    site = "nfd" in stack.facts.site_runs
    if len(sure) > 1:
        names = ", ".join(release.chart for release in sure)
        what = f"{len(sure)} charts bring node feature discovery ({names})"
        yield Complaint(what, about=sure[-1].resource, beside=sure[-2].resource)
    for release in sure if site else ():
        what = f"chart {release.chart} brings node feature discovery beside the site's"
        yield Complaint(what, about=release.resource)
    brought_otherwise = site or stack.facts.platform in {None, "openshift"} or not stack.lacks(NFD)
    for release in stack.releases(GPU_OPERATOR):
        if not (brought_otherwise or sure or unsure):
            yield Complaint("no chart brings node feature discovery", about=release.resource)


def _brings_driver(resource: Resource) -> bool:
    """Whether a node group's image carries the GPU driver: EKS image types say so by name."""
    image = text(resource.at("amiType"))
    return "NVIDIA" in image or image.endswith("_GPU")


def _expected(stack: Stack) -> tuple[bool, str] | None:
    """Whether the operator must bring the driver, and why; None where that cannot be told."""
    facts = stack.facts
    if image := next((resource for resource in stack.of("NodeGroup") if _brings_driver(resource)), None):
        return False, f"node group {image.object_name} has the image type {text(image.at('amiType'))}"
    if facts.platform == "talos" or facts.node_os in WITH_DRIVER:
        return False, f"{facts.node_os or 'talos'} carries the driver"
    if facts.driver_owner is None:
        return None
    reasons = {"image": "the node image carries the driver", "cloud": "the cloud installs the driver"}
    return facts.driver_owner == "operator", reasons.get(facts.driver_owner, "nothing else brings a driver")


@rule("GPU-104", MANDATORY, on=Stack)
def one_driver_owner(stack: Stack) -> Complaints:
    """The operator's driver is on exactly where neither the node image nor the cloud brings one."""
    expected = _expected(stack)
    for release in stack.releases(GPU_OPERATOR):
        on = release.switch("driver", "enabled", default=True)
        if expected is None or on is None or on is expected[0]:
            continue
        fix = f"Set driver.enabled: {str(expected[0]).lower()}"
        yield Complaint(f"driver.enabled is {str(on).lower()} but {expected[1]}", fix, about=release.resource)


@rule("GPU-105", MANDATORY, on=Release)
def toolkit_with_driver(release: Release, facts: Facts) -> Complaints:
    """Clouds and images that bring the driver bring the toolkit as well; the operator's driver needs the operator's.

    Machines with a driver installed by hand may have either.
    """
    if release.chart != GPU_OPERATOR:
        return
    on = release.switch("toolkit", "enabled", default=True)
    managed = facts.platform in {"eks", "talos", "aks", "oke"} and facts.driver_owner in {"image", "cloud"}
    if on and managed:
        what = f"toolkit.enabled is true but {facts.platform} brings the toolkit"
        yield Complaint(what, "Set toolkit.enabled: false")
    if on is False and facts.driver_owner == "operator":
        what = "toolkit.enabled is false but the operator brings the driver"
        yield Complaint(what, "Set toolkit.enabled: true")
    runtime = release.value("operator", "runtimeClass", default="nvidia")
    if managed and facts.platform == "aks" and runtime is not UNKNOWN and runtime != AKS_RUNTIME:
        what = f"operator.runtimeClass is {text(runtime)}, AKS calls it {AKS_RUNTIME}"
        yield Complaint(what, f"Set operator.runtimeClass: {AKS_RUNTIME}")


def _advertisers(stack: Stack) -> Iterator[tuple[str, Resource]]:
    """Everything in the stack that surely advertises nvidia.com/gpu."""
    for release in stack.releases(GPU_OPERATOR):
        if release.switch("devicePlugin", "enabled", default=True):
            yield "the GPU operator's device plugin", release.resource
    for release in stack.releases("nvidia-device-plugin"):
        yield "the standalone device plugin", release.resource
    for release in stack.releases("nvidia-dra-driver-gpu"):
        if release.switch("resources", "gpus", "enabled", default=True):
            yield "the DRA driver", release.resource
    for pod in stack.pods:
        images = [text(container.get("image")) for container in pod.containers]
        if pod.resource.kind == "DaemonSet" and any("k8s-device-plugin" in image for image in images):
            yield "a device plugin DaemonSet", pod.resource
    for addon in stack.of("Addon"):
        if text(addon.at("addonName")) == "NvidiaGpuPlugin":
            yield "the OKE add-on NvidiaGpuPlugin", addon


@rule("GPU-107", MANDATORY, also=ADVISORY, on=Stack)
def one_gpu_advertiser(stack: Stack) -> Complaints:
    """One device plugin or DRA driver per cluster, and either a ClusterPolicy or a GPUCluster."""
    found = list(_advertisers(stack))
    if len(found) > 1:
        what = f"GPUs are advertised by {' and '.join(name for name, _ in found)}"
        yield Complaint(what, about=found[-1][1], beside=found[-2][1])
    for release in stack.releases(GPU_OPERATOR):
        both = release.switch("gpuCluster", "deployCR", default=False)
        if both and release.switch("clusterPolicy", "deployCR", default=True):
            what = "gpuCluster.deployCR and clusterPolicy.deployCR are both true"
            yield Complaint(what, "Set clusterPolicy.deployCR: false", about=release.resource)
