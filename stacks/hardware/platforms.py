"""Who brings driver, container toolkit and device plugin: one owner each, by platform, node image and driver owner.

Sources: NVIDIA/cloud-native-docs gpu-operator (amazon-eks, google-gke, microsoft-aks, getting-started), NVIDIA/aicr
docs/integrator, NVIDIA/gpu-operator#946 (Bottlerocket), #2731 (Talos). What else is true of a platform is a row of
`components/platforms.py`.
"""

from collections.abc import Mapping
from typing import Literal

from bedplate.components.facts import Ownership

NodeOs = Literal[
    "ubuntu",
    "rhel",
    "rocky",
    "sles",
    "dgxos",
    "talos",
    "rhcos",
    "al2023-nvidia",
    "bottlerocket-nvidia",
    "cos",
    "azurelinux",
    "oraclelinux",
]
DriverOwner = Literal["operator", "image", "cloud"]
Combination = tuple[str, str, str]

_DRIVER_CONTAINERS = ("ubuntu", "rhel", "rocky")
"""Systems of which NVIDIA publishes driver containers; that of SLES is its vendor's (NVIDIA/cloud-native-docs,
"Partner Validated")."""
_WITH_DRIVER = (*_DRIVER_CONTAINERS, "sles", "dgxos")
_OPERATOR = Ownership(driver=True, toolkit=True)
_IN_IMAGE = Ownership(driver=False, toolkit=True)
_BOTH_IN_IMAGE = Ownership(driver=False, toolkit=False)


def _rancher(*, driver: bool) -> Ownership:
    """rke2 and k3s find the toolkit by themselves; it only needs their socket, to have them start anew.

    Never `CONTAINERD_CONFIG`: what the toolkit writes to `config.toml.tmpl` they take for their whole configuration,
    and the node does not come back (rancher/rke2-docs docs/add-ons/gpu_operators.md; NVIDIA/gpu-operator#992, #623).
    """
    socket = {"CONTAINERD_SOCKET": "/run/k3s/containerd/containerd.sock"}
    return Ownership(driver=driver, toolkit=True, toolkit_env=socket)


# GKE's COS: the driver is where GKE's installer put it, and containerd must be asked for its real configuration (GKE
# ≥ 1.33).
_GKE_COS = Ownership(
    driver=False, toolkit=True, toolkit_env={"RUNTIME_CONFIG_SOURCE": "file"}, install_dir="/home/kubernetes/bin/nvidia"
)
# Talos' extensions keep the driver and the hooks below /usr/local, where neither validator nor device plugin looks by
# itself (docs.siderolabs.com, Talos 1.13, nvidia-gpu; siderolabs/docs#449; NVIDIA/gpu-operator#1687).
_TALOS = Ownership(
    driver=False,
    toolkit=False,
    install_dir="/usr/local",
    device_plugin_env={"NVIDIA_CDI_HOOK_PATH": "/usr/local/bin/nvidia-cdi-hook"},
)
_AKS_MANAGED = Ownership(driver=False, toolkit=False, runtime_class="nvidia-container-runtime")

OWNERSHIP: Mapping[Combination, Ownership] = {
    **{("kubeadm", os, "operator"): _OPERATOR for os in _DRIVER_CONTAINERS},
    **{("kubeadm", os, "image"): _IN_IMAGE for os in _WITH_DRIVER},
    **{("rke2", os, "operator"): _rancher(driver=True) for os in _DRIVER_CONTAINERS},
    **{("rke2", os, "image"): _rancher(driver=False) for os in _WITH_DRIVER},
    **{("k3s", os, "operator"): _rancher(driver=True) for os in _DRIVER_CONTAINERS},
    **{("k3s", os, "image"): _rancher(driver=False) for os in _WITH_DRIVER},
    ("talos", "talos", "image"): _TALOS,
    ("openshift", "rhcos", "operator"): _OPERATOR,
    ("eks", "al2023-nvidia", "image"): _BOTH_IN_IMAGE,
    # Bottlerocket runs the device plugin itself.
    ("eks", "bottlerocket-nvidia", "image"): Ownership(driver=False, toolkit=False, device_plugin=False),
    ("eks", "ubuntu", "operator"): _OPERATOR,
    ("gke", "cos", "cloud"): _GKE_COS,
    ("gke", "ubuntu", "operator"): _OPERATOR,
    ("aks", "ubuntu", "cloud"): _AKS_MANAGED,
    ("aks", "azurelinux", "cloud"): _AKS_MANAGED,
    ("aks", "ubuntu", "operator"): _OPERATOR,
    ("oke", "oraclelinux", "image"): _BOTH_IN_IMAGE,
    ("oke", "ubuntu", "image"): _BOTH_IN_IMAGE,
    ("oke", "ubuntu", "operator"): _OPERATOR,
}
