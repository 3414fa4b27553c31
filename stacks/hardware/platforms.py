"""Who brings driver, container toolkit and device plugin: one owner each, by platform, node image and driver owner.

Sources: NVIDIA/cloud-native-docs gpu-operator (amazon-eks, google-gke, microsoft-aks, getting-started), NVIDIA/aicr
docs/integrator, NVIDIA/gpu-operator#946 (Bottlerocket), #2731 (Talos). What else is true of a platform is a row of
`components/platforms.py`.
"""

from collections.abc import Mapping
from typing import Literal

from components.facts import Ownership

NodeOs = Literal[
    "ubuntu",
    "rhel",
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

_OPERATOR = Ownership(driver=True, toolkit=True)
_IN_IMAGE = Ownership(driver=False, toolkit=True)
_BOTH_IN_IMAGE = Ownership(driver=False, toolkit=False)


def _containerd(distribution: str) -> dict[str, str]:
    """k3s and rke2 keep containerd's configuration as a template and its socket under their own roof."""
    return {
        "CONTAINERD_CONFIG": f"/var/lib/rancher/{distribution}/agent/etc/containerd/config.toml.tmpl",
        "CONTAINERD_SOCKET": "/run/k3s/containerd/containerd.sock",
        "CONTAINERD_RUNTIME_CLASS": "nvidia",
        "CONTAINERD_SET_AS_DEFAULT": "true",
    }


def _rancher(distribution: str, *, driver: bool) -> Ownership:
    return Ownership(driver=driver, toolkit=True, toolkit_env=_containerd(distribution))


# GKE's COS: the driver is where GKE's installer put it, and containerd must be asked for its real configuration (GKE
# ≥ 1.33).
_GKE_COS = Ownership(
    driver=False, toolkit=True, toolkit_env={"RUNTIME_CONFIG_SOURCE": "file"}, install_dir="/home/kubernetes/bin/nvidia"
)
_AKS_MANAGED = Ownership(driver=False, toolkit=False, runtime_class="nvidia-container-runtime")

OWNERSHIP: Mapping[Combination, Ownership] = {
    **{("kubeadm", os, "operator"): _OPERATOR for os in ("ubuntu", "rhel")},
    **{("kubeadm", os, "image"): _IN_IMAGE for os in ("ubuntu", "rhel", "dgxos")},
    **{("rke2", os, "operator"): _rancher("rke2", driver=True) for os in ("ubuntu", "rhel")},
    **{("rke2", os, "image"): _rancher("rke2", driver=False) for os in ("ubuntu", "rhel", "dgxos")},
    **{("k3s", os, "operator"): _rancher("k3s", driver=True) for os in ("ubuntu", "rhel")},
    **{("k3s", os, "image"): _rancher("k3s", driver=False) for os in ("ubuntu", "rhel", "dgxos")},
    ("talos", "talos", "image"): _BOTH_IN_IMAGE,
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
