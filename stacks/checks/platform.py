"""Rules about platforms on which a component cannot be what it is elsewhere."""

from collections.abc import Iterator
from itertools import chain

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
    """Every fault."""
    if PLATFORMS[profile.platform].own_operators:
        yield from _catalogue(profile)
    match profile.platform:
        case "talos":
            yield from chain(_talos_modules(profile), _talos_operator(profile), _talos_plugins(profile))
        case "k3s":
            yield from chain(_k3s(profile), _k3s_operator(profile))
        case _:
            pass


def _catalogue(profile: Profile) -> Iterator[Problem]:
    """Charts miss the operators' own lifecycle there: driver toolkit images, node labels, security contexts."""
    for name, field in type(profile).model_fields.items():
        if (key := field.alias or name) in CATALOGUE and getattr(profile, name) is not None:
            yield problem("platform.from-the-catalogue", "present", key, profile=profile, instead=CATALOGUE[key])


def _talos_modules(profile: Profile) -> Iterator[Problem]:
    """Kernel modules and NIC firmware belong to the image, which has no shell."""
    if profile.network_operator and profile.network_operator.ofed:
        yield problem("platform.ofed-on-talos", "present")
    section = profile.fabric
    if isinstance(section, RailFabric) and section.exposure == "sriov" and not section.existing_devices:
        yield problem("platform.sriov-on-talos", "sriov")


def _talos_plugins(profile: Profile) -> Iterator[Problem]:
    """Talos bundles bridge, firewall, flannel, host-local, loopback, portmap (siderolabs/docs changelog.mdx)."""
    section = profile.fabric
    needed = {"shared": "macvlan", "host-device": "host-device"}
    if profile.multus and isinstance(section, RailFabric) and attaches(profile) and section.exposure in needed:
        yield problem("platform.plug-in-on-talos", "present", plugin=needed[section.exposure])


def _talos_operator(profile: Profile) -> Iterator[Problem]:
    found = installed(profile.gpu_operator)
    if found and found < semantic(TALOS_SINCE):
        version = profile.gpu_operator.version if profile.gpu_operator else None
        yield problem("platform.gpu-operator-on-talos", version, talos_since=TALOS_SINCE)


def _k3s_operator(profile: Profile) -> Iterator[Problem]:
    """Older ones cannot be told where k3s keeps its networks (Mellanox/network-operator@4f26ee16)."""
    found = installed(profile.network_operator)
    if found and found < semantic(CNI_DIRECTORY_SINCE):
        version = profile.network_operator.version if profile.network_operator else None
        yield problem(
            "platform.network-operator-on-k3s",
            version,
            folder=PLATFORMS["k3s"].cni.networks,
            cni_directory_since=CNI_DIRECTORY_SINCE,
        )


def _k3s(profile: Profile) -> Iterator[Problem]:
    """Their manifests write where k3s does not look (docs.k3s.io networking/multus-ipams)."""
    for key, section in (("multus", profile.multus), ("whereabouts", profile.whereabouts)):
        if section:
            where = PLATFORMS["k3s"].cni.networks
            yield problem("platform.manifests-on-k3s", "present", key, where=where)
