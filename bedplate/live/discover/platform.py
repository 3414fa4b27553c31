"""Which Kubernetes it is, on which node image, and who brings the driver."""

import re
from collections.abc import Iterable, Iterator, Sequence

from bedplate.cluster.objects import Object, labels, part, place
from bedplate.components.version import numbers
from bedplate.folders import beside
from bedplate.live.kinds import CLUSTER_POLICY, DAEMON_SET, NODE
from bedplate.live.reading import Observed
from bedplate.stacks.hardware.platforms import OWNERSHIP

MARKS = beside(__file__, "marks.toml")
DRIVERS = re.compile(r"^nvidia-(driver-daemonset|vgpu-manager)")


def platform(observed: Observed) -> str:
    """By what the distribution or the cloud writes on nodes; else plain kubeadm."""
    nodes = observed.of(NODE)
    versions = {observed.version, *(info(node, "kubeletVersion") for node in nodes)}
    marks = {label for node in nodes for label in labels(node)}
    if any("Talos" in info(node, "osImage") for node in nodes):
        return "talos"
    by_label = (name for mark, name in MARKS["labels"].items() if any(label.startswith(mark) for label in marks))
    by_version = (name for mark, name in MARKS["versions"].items() if any(mark in version for version in versions))
    return next((*by_label, *by_version).__iter__(), "kubeadm")


def info(node: Object, key: str) -> str:
    """What the kubelet says of its machine."""
    return str(part(node, "status", "nodeInfo").get(key, ""))


def node_os(nodes: Iterable[Object]) -> str | None:
    """The image of the nodes with GPUs; None where it is none that we know."""
    for node in nodes:
        for words, name in MARKS["images"].items():
            if re.search(words, info(node, "osImage")):
                return name
    return None


def kubernetes(observed: Observed) -> str:
    """Minor version of the control plane."""
    return ".".join(map(str, numbers(observed.version)[:2]))


def driver_owner(observed: Observed, name: str, image: str | None) -> str:
    """The operator where it runs a driver; else whoever it can be on this platform and image."""
    able = [owner for where, os, owner in OWNERSHIP if where == name and image in (os, None)]
    ours = [obj for obj in observed.of(CLUSTER_POLICY) if part(obj, "spec", "driver").get("enabled") is not False]
    drives = bool(ours) or any(DRIVERS.match(place(obj)[1]) for obj in observed.of(DAEMON_SET))
    if drives and "operator" in able:
        return "operator"
    return next((owner for owner in able if owner != "operator"), "operator")


def unsure(observed: Observed, image: str | None) -> Iterator[str]:
    """What these did not tell."""
    if image is None:
        yield "nodeOs: no image that we know; ubuntu is put in"
    if not observed.of(CLUSTER_POLICY):
        yield "driverOwner: there is no ClusterPolicy that says who brings the driver; look on a node"


def gpu_nodes(nodes: Sequence[Object]) -> list[Object]:
    """Those with GPUs, or all where there are none yet."""
    return [node for node in nodes if any(label.startswith("nvidia.com/gpu") for label in labels(node))] or list(nodes)
