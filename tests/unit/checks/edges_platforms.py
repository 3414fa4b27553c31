"""Platforms and who owns what on them: profiles on either side of a limit, and just beside what is refused."""

from typing import Any

from tests.unit.checks.case import GONE, edited, refused, taken
from tests.unit.cloud.test_cloud_checks import aks, oke

ROCE, IB, L40S, EKS, GKE = "onprem-h100-roce", "onprem-h100-ib", "inference-l40s", "eks-p5", "gke-a3-mega"
SITE = {"existingDevicePlugin": True, "gpuOperator": GONE}
WITHOUT_CHARTS = {**SITE, "nfd": GONE, "networkOperator": GONE}
OPENSHIFT: dict[str, Any] = {"platform": "openshift", "nodeOs": "rhcos"}
TALOS: dict[str, Any] = {"platform": "talos", "nodeOs": "talos", "driverOwner": "image", "gpuOperator": {}}
OWN_DEVICES: dict[str, Any] = {"fabric.existingDevices": {"example.com/hca": 1}, "fabric.ipam.kind": "whereabouts"}
TALOS_RAILS = {**TALOS, **OWN_DEVICES, "networkOperator": GONE, "multus": {}, "whereabouts": {}}
WITHOUT_MONITORING = {"monitoring": GONE, "autoscaling": GONE, "serving": GONE}
B200 = {"pools.1.shape": "dgx-b200", "serving": GONE}
GB200_NODE = {"gpu": "GB200", "gpus": 4, "cpus": 144, "memoryGib": 960, "arch": "arm64", "nvlinkDomain": 72}
ONE_B200 = {"gpu": "B200", "gpus": 1, "cpus": 32, "memoryGib": 256}

OLD = {"kubernetesVersion": "1.32", "gpuOperator.version": "v25.10.1"}
NO_DISKS = {"cloud.localDisks": GONE, "storage.cache": GONE}

EDGES = {
    "the site's own GPU Operator": taken(edited(L40S, SITE)),
    "a driver in the image and the site's own plugin": taken(edited(L40S, {**SITE, "driverOwner": "image"})),
    "the operator's driver without an operator": refused(
        edited(L40S, {"gpuOperator": GONE}), ("gpuOperator = absent", "nobody installs the driver")
    ),
    "a driver in the image and nobody's plugin": refused(
        edited(L40S, {"gpuOperator": GONE, "driverOwner": "image"}),
        ("gpuOperator = absent", "nothing advertises the GPUs of l40s, a100-mig, l4-shared"),
    ),
    "no GPUs to advertise": taken(
        edited(
            L40S,
            {
                "gpuOperator": GONE,
                "serving": GONE,
                "pools": [{"name": "system", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 1}],
            },
        )
    ),
    "Bottlerocket's own plugin": taken(edited(EKS, {**NO_DISKS, "gpuOperator": GONE, "nodeOs": "bottlerocket-nvidia"})),
    "GKE's own plugin": taken(edited(GKE, {"gpuOperator": GONE})),
    "OKE's add-on": taken(oke()),
    "OKE without its add-on": refused(
        edited(oke(gpuPluginAddon=False), {"existingDevicePlugin": False}), ("gpuOperator = absent", "advertises")
    ),
    "AKS, where only the driver is the cloud's": refused(
        edited(aks(), {"existingDevicePlugin": False}), ("gpuOperator = absent", "nothing advertises the GPUs of gpu")
    ),
    "a driver that no table has": refused(
        edited(L40S, {"gpuOperator": GONE, "driverOwner": "cloud"}),
        ("driverOwner = cloud", "has no driver from the cloud"),
        ("gpuOperator = absent", "nothing advertises"),
    ),
    "two plugins for one GPU": refused(
        edited(L40S, {"existingDevicePlugin": True}), ("existingDevicePlugin = true", "both register the same GPUs")
    ),
    "HGX B200 with DOCA-OFED of the operator": taken(edited(IB, {**B200})),
    "HGX B200 with DOCA-OFED of the host": taken(edited(ROCE, {**B200, "fabric.hostOfed": True})),
    "HGX B200 with a module from the image": taken(edited(ROCE, {**B200, "gpuOperator.umadInImage": True})),
    "HGX B200 with a driver from the image": taken(edited(ROCE, {**B200, "driverOwner": "image", "gpuOperator": {}})),
    "HGX B200 and nobody loads ib_umad": refused(edited(ROCE, B200), ("pools[1].shape = dgx-b200", "ib_umad for ever")),
    "HGX B200 and the site's own operator": taken(edited(ROCE, {**B200, **SITE})),
    "HGX B200 outside a fabric": refused(edited(L40S, {**B200}), ("pools[1].shape = dgx-b200", "ib_umad for ever")),
    "HGX B200 on Oracle's image": taken(
        edited(
            oke("BM.GPU.B200.8"),
            {
                "nodeOs": "ubuntu",
                "driverOwner": "operator",
                "nfd": {},
                "gpuOperator": {},
                "cloud.gpuPluginAddon": False,
                "existingDevicePlugin": False,
                "fabric.rails": [f"rdma{i}" for i in range(8)],
                "fabric.existingDevices": {"nvidia.com/rdma-vf": 8},
            },
        )
    ),
    "a single B200": taken(edited(L40S, {"pools.1.shape": ONE_B200, "serving": GONE})),
    "HGX H100 without OFED": taken(edited(ROCE, {})),
    "a rack whose switches are elsewhere": taken(
        edited(L40S, {"pools.1.shape": GB200_NODE, "serving": GONE, "draDriver": {}})
    ),
    "OpenShift with the catalogue's operators": taken(
        edited(L40S, {**OPENSHIFT, **WITHOUT_CHARTS, **WITHOUT_MONITORING})
    ),
    "OpenShift with charts": refused(
        edited(L40S, {**OPENSHIFT, **WITHOUT_MONITORING}),
        ("nfd = present", "openshift brings it by its catalogue", "Node Feature Discovery Operator from OperatorHub"),
        ("gpuOperator = present", "say existingDevicePlugin: true"),
    ),
    "OpenShift with the Network Operator's chart": refused(
        edited(ROCE, {**OPENSHIFT, **SITE, "nfd": GONE, **WITHOUT_MONITORING}),
        ("nfd = absent", "networkOperator select nodes"),
        ("networkOperator = present", "name its devices in fabric.existingDevices"),
    ),
    "OpenShift with a second Multus and Whereabouts": refused(
        edited(
            ROCE,
            {**OPENSHIFT, **WITHOUT_CHARTS, **WITHOUT_MONITORING, **OWN_DEVICES, "multus": {}, "whereabouts": {}},
        ),
        ("multus = present", "the cluster's network operator runs Multus"),
        ("whereabouts = present", "the cluster's network operator runs Whereabouts"),
    ),
    "OpenShift with rails of its own": taken(
        edited(ROCE, {**OPENSHIFT, **WITHOUT_CHARTS, **WITHOUT_MONITORING, **OWN_DEVICES})
    ),
    "Talos with shared HCAs": taken(edited(ROCE, TALOS)),
    "Talos with DOCA-OFED": refused(
        edited(ROCE, {**TALOS, "networkOperator": {"ofed": {"primaryNic": "other-vendor"}}}),
        ("networkOperator.ofed = present", "kernel modules of its own image only"),
    ),
    "Talos with virtual functions": refused(
        edited(ROCE, {**TALOS, "fabric.exposure": "sriov", "fabric.hcas": GONE}),
        ("fabric.exposure = sriov", "by its shell, and Talos has none"),
    ),
    "Talos with virtual functions of its own": taken(
        edited(
            ROCE,
            {
                **TALOS,
                **OWN_DEVICES,
                "networkOperator": GONE,
                "fabric.existingDevices": {"example.com/hca": 8},
                "fabric.exposure": "sriov",
                "fabric.hcas": GONE,
                "multus": {},
                "whereabouts": {},
            },
        )
    ),
    "Talos with rails that nothing attaches": refused(
        edited(ROCE, TALOS_RAILS), ("multus = present", "CNI plug-in macvlan", "say existing.multus")
    ),
    "Talos with whole NICs that nothing attaches": refused(
        edited(
            ROCE,
            {**TALOS_RAILS, "fabric.exposure": "host-device", "fabric.existingDevices": {"example.com/hca": 8}},
        ),
        ("multus = present", "CNI plug-in host-device"),
    ),
    "Talos with rails that the site's Multus attaches": taken(
        edited(ROCE, {**TALOS_RAILS, "multus": GONE, "existing": {"multus": {}}})
    ),
    "Talos with Multus for the site's own networks": taken(
        edited(
            L40S,
            {"platform": "talos", "nodeOs": "talos", "driverOwner": "image", "multus": {}},
        )
    ),
    "Talos without a fabric": taken(edited(L40S, {"platform": "talos", "nodeOs": "talos", "driverOwner": "image"})),
    "Talos with an operator that does not know it": refused(
        edited(
            L40S,
            {"platform": "talos", "nodeOs": "talos", "driverOwner": "image", "gpuOperator.version": "v26.3.0"},
        ),
        ("gpuOperator.version = v26.3.0", "Talos' version", "use v26.3.1 or later"),
    ),
    "Talos with the first operator that knows it": taken(
        edited(
            L40S,
            {"platform": "talos", "nodeOs": "talos", "driverOwner": "image", "gpuOperator.version": "v26.3.1"},
        )
    ),
    "Talos with the site's own operator": taken(
        edited(L40S, {"platform": "talos", "nodeOs": "talos", "driverOwner": "image", **SITE})
    ),
    "k3s with the Network Operator": taken(edited(ROCE, {"platform": "k3s"})),
    "k3s with an operator that cannot be told where it looks": refused(
        edited(ROCE, {**OLD, "platform": "k3s", "networkOperator.version": "25.4.0"}),
        ("networkOperator.version = 25.4.0", "k3s looks in /var/lib/rancher/k3s", "use 25.7.0 or later"),
    ),
    "k3s with the first that can": taken(edited(ROCE, {**OLD, "platform": "k3s", "networkOperator.version": "25.7.0"})),
    "k3s with Multus where it does not look": refused(
        edited(
            ROCE,
            {"platform": "k3s", "networkOperator": GONE, **OWN_DEVICES, "multus": {}, "whereabouts": {}},
        ),
        ("multus = present", "k3s looks in /var/lib/rancher/k3s/agent/etc/cni/net.d"),
        ("whereabouts = present", "k3s looks in"),
    ),
    "rke2 with the same": taken(
        edited(
            ROCE,
            {"platform": "rke2", "networkOperator": GONE, **OWN_DEVICES, "multus": {}, "whereabouts": {}},
        )
    ),
    "HCAs by name with virtual functions": refused(
        edited(IB, {"fabric.hcas": [f"mlx5_{i}" for i in range(8)]}), ("fabric.hcas", "NCCL would find none of these")
    ),
    "HCAs by name where pods see the host's": taken(
        edited(IB, {"fabric.exposure": "host-device", "fabric.hcas": [f"mlx5_{i}" for i in range(8)]})
    ),
}
