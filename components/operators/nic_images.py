"""Images of NicClusterPolicy's parts, by release (Mellanox/network-operator hack/release.yaml at each tag)."""

from collections.abc import Mapping
from typing import Any

from bedplate.components.version import line

ONE_REPOSITORY_SINCE = (25, 7)
"""From here all parts are in one repository, tagged with the operator's own version."""
IMAGES = {
    "sriovDevicePlugin": "sriov-network-device-plugin",
    "rdmaSharedDevicePlugin": "k8s-rdma-shared-dev-plugin",
    "cniPlugins": "plugins",
    "multus": "multus-cni",
    "ipoib": "ipoib-cni",
    "nvIpam": "nvidia-k8s-ipam",
}
CONFIGURATION = {"operator": "nic-configuration-operator", "configurationDaemon": "nic-configuration-operator-daemon"}
"""The NIC Configuration Operator's two, from one repository on."""
REPOSITORIES = {
    part: "ghcr.io/k8snetworkplumbingwg"
    if part in ("sriovDevicePlugin", "cniPlugins", "multus")
    else "ghcr.io/mellanox"
    for part in IMAGES
}
"""Where each part was before."""


def _versions(*tags: str) -> dict[str, str]:
    return dict(zip(IMAGES, tags, strict=True))


VERSIONS: Mapping[tuple[int, ...], Mapping[str, str]] = {
    (24, 7): _versions("v3.7.0", "v1.5.1", "v1.5.0", "v3.9.3", "v1.2.0", "v0.2.0"),
    (24, 10): _versions("v3.8.0", "v1.5.2", "v1.5.0", "v4.1.0", "v1.2.0", "v0.2.0"),
    (25, 1): _versions("v3.9.0", "v1.5.2", "v1.5.0", "v4.1.0", "v1.2.1", "v0.2.0"),
    (25, 4): _versions("v3.9.0", "v1.5.3", "v1.6.2-update.1", "v4.1.0", "v1.2.2", "v0.3.7"),
}
OFED_VERSIONS: Mapping[tuple[int, ...], str] = {
    (24, 7): "24.07-0.6.1.0-0",
    (24, 10): "24.10-0.7.0.0-0",
    (25, 1): "25.01-0.6.0.0-0",
    (25, 4): "25.04-0.6.1.0-2",
    (25, 7): "doca3.1.0-25.07-0.9.7.0-0",
    (25, 10): "doca3.2.0-25.10-1.2.8.0-2",
    (26, 1): "doca3.3.0-26.01-1.0.0.0-0",
    (26, 4): "doca3.4.1-26.04-1.1.0.0-1",
}
"""doca-driver of each release line."""


def image(part: str, version: str) -> dict[str, Any]:
    """Image, repository and version of one part at a release of the operator."""
    release = line(version)
    if release >= ONE_REPOSITORY_SINCE:
        return _own(IMAGES[part], version)
    return {"image": IMAGES[part], "repository": REPOSITORIES[part], "version": VERSIONS[release][part]}


def _own(name: str, version: str) -> dict[str, Any]:
    return {"image": name, "repository": "nvcr.io/nvidia/mellanox", "version": f"network-operator-v{version}"}


def configuration_images(version: str) -> dict[str, Any]:
    """Of the NIC Configuration Operator and its daemon."""
    return {part: _own(name, version) for part, name in CONFIGURATION.items()}


def ofed_version(version: str) -> str:
    """The doca-driver that belongs to a release of the operator."""
    return OFED_VERSIONS[line(version)]
