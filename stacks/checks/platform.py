"""Rules about platforms on which a component cannot be what it is elsewhere."""

from collections.abc import Iterator

from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import semantic
from bedplate.stacks.checks.networks import attaches
from bedplate.stacks.checks.versions import installed
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.problem import Problem, problem
from bedplate.stacks.profile.profile import Profile

CATALOGUE = {
    "nfd": "install the Node Feature Discovery Operator from OperatorHub and remove nfd",
    "gpuOperator": "install it from OperatorHub, remove gpuOperator and say existingDevicePlugin: true",
    "networkOperator": "install it from OperatorHub, remove networkOperator and name its devices in"
    " fabric.existingDevices",
    "multus": "remove it: the cluster's network operator runs Multus",
    "whereabouts": "remove it: the cluster's network operator runs Whereabouts",
}
"""What to do on OpenShift instead (NVIDIA/cloud-native-docs openshift; Mellanox/network-operator-docs
deployment-guide-openshift; Cluster Network Operator)."""
TALOS_SINCE = "26.3.1"
"""The first GPU Operator that knows Talos' version (NVIDIA/gpu-operator#2239)."""

CNI_DIRECTORY_SINCE = "25.7.0"
"""The first Network Operator whose chart has `operator.cniNetworkDirectory` (its values.yaml at v25.7.0)."""


def check_platform(profile: Profile) -> Iterator[Problem]:
    """Every fault; with operators of its own, charts miss their lifecycle: driver toolkits, labels, contexts."""
    for name, field in type(profile).model_fields.items() if PLATFORMS[profile.platform].own_operators else ():
        if (key := field.alias or name) in CATALOGUE and getattr(profile, name) is not None:
            yield problem("platform.from-the-catalogue", "present", key, profile=profile, instead=CATALOGUE[key])
    if profile.platform == "talos":
        yield from _talos(profile)
    elif profile.platform == "k3s":
        yield from _k3s(profile)


def _talos(profile: Profile) -> Iterator[Problem]:
    """Kernel modules and NIC firmware belong to the image, which has no shell.

    It bundles bridge, firewall, flannel, host-local, loopback, portmap (siderolabs/docs changelog.mdx).
    """
    section, gpu = profile.fabric, profile.gpu_operator
    if profile.network_operator and profile.network_operator.ofed:
        yield problem("platform.ofed-on-talos", "present")
    if isinstance(section, RailFabric) and section.exposure == "sriov" and not section.existing_devices:
        yield problem("platform.sriov-on-talos", "sriov")
    if (release := installed(gpu)) and release < semantic(TALOS_SINCE):
        yield problem("platform.gpu-operator-on-talos", gpu and gpu.version, talos_since=TALOS_SINCE)
    needed = {"shared": "macvlan", "host-device": "host-device"}
    if profile.multus and isinstance(section, RailFabric) and attaches(profile) and section.exposure in needed:
        yield problem("platform.plug-in-on-talos", "present", plugin=needed[section.exposure])


def _k3s(profile: Profile) -> Iterator[Problem]:
    """Manifests write where k3s does not look (docs.k3s.io networking/multus-ipams).

    Nor can an older Network Operator be told (Mellanox/network-operator@4f26ee16).
    """
    folder, operator = PLATFORMS["k3s"].cni.networks, profile.network_operator
    for key, section in (("multus", profile.multus), ("whereabouts", profile.whereabouts)):
        if section:
            yield problem("platform.manifests-on-k3s", "present", key, folder=folder)
    if (release := installed(operator)) and release < semantic(CNI_DIRECTORY_SINCE):
        version, since = operator and operator.version, CNI_DIRECTORY_SINCE
        yield problem("platform.network-operator-on-k3s", version, folder=folder, since=since)
