"""Pools, drivers and operators: profiles on either side of a limit, and just beside what is refused."""

from tests.cloud_profiles import AWS_CAPACITIES, BLOCKS_ALONE, eks
from tests.unit.checks.case import GONE, Document, edited, refused, taken

ROCE, IB, EKS, L40S = "onprem-h100-roce", "onprem-h100-ib", "eks-p5", "inference-l40s"
P5 = {"name": "p5", "shape": "p5.48xlarge"}
P6 = {"name": "p6", "shape": "p6-b200.48xlarge"}
RACK = {"name": "rack", "shape": BLOCKS_ALONE, "capacity": AWS_CAPACITIES["capacity-block"]}
OLDEST = {"gpuOperator.version": "v24.9.2", "kubernetesVersion": "1.31", "serving": GONE}
"""Its driver is of branch 550."""
PROPRIETARY = {"gpuOperator.kernelModules": "proprietary"}
B200 = {"pools.1": {"name": "b200", "shape": "dgx-b200", "nodes": 8}}
UBUNTU = {"nodeOs": "ubuntu", "driverOwner": "operator", "nfd": {}, "gpuOperator": {}, "existingDevicePlugin": GONE}
IDLE = "lab"
AWAY = {"key": "dedicated", "value": "ai", "effect": "NoExecute"}
TWO_A100 = {"pools.1.shape": "hgx-a100", "serving": GONE}
ONE_B200 = {"pools.1.shape": "dgx-b200", "serving": GONE}

PRICED = {"prices": {"m7i.4xlarge": 0.8}}


def _plugin(name: str, value: str) -> Document:
    """A variable of the GPU Operator's device plugin."""
    env = [{"name": name, "value": value}]
    return edited(ROCE, {"gpuOperator.overrides": {"devicePlugin": {"env": env}}})


EDGES = {
    "prices of a shape, of the table and of nobody": refused(
        edited(ROCE, {"hardware": {"prices": {"dgx-h100": 24, "dgx-h200": 30, "dgx-h1000": 1}}}),
        ("hardware.prices.dgx-h1000 = 1.0", "no machine has this name", "did you mean dgx-h100"),
    ),
    "a price of the machine that a shape of the site's own is": taken(
        eks(P5, {"name": "cpu", "shape": {"cpus": 16, "memoryGib": 64}, "instanceType": "m7i.4xlarge"}, hardware=PRICED)
    ),
    "prices of something else altogether": refused(
        edited(ROCE, {"hardware": {"prices": {"bus": 1}}}),
        ("hardware.prices.bus", "use the name of a shape or machine"),
    ),
    "a pool that waits for all its nodes": taken(edited(ROCE, {"pools.1.minReady": 8})),
    "a pool that waits for more nodes than it has": refused(
        edited(ROCE, {"pools.1.minReady": 9}), ("pools[1].minReady = 9", "the pool has 8 nodes", "use 8 or fewer")
    ),
    "an elastic pool that waits for its fewest": taken(
        edited(L40S, {"pools.0.autoscale": {"min": 1, "max": 8}, "pools.0.minReady": 1})
    ),
    "an elastic pool that waits for more": refused(
        edited(L40S, {"pools.0.autoscale": {"min": 1, "max": 8}, "pools.0.minReady": 2}),
        ("pools[0].minReady = 2", "the pool has at least 1 nodes"),
    ),
    "time slices without GPUs": refused(edited(L40S, {"pools.0.timeSlicing": 4}), ("pools[0].timeSlicing = 4",)),
    "two shares without GPUs": refused(edited(L40S, {"pools.0.timeSlicing": 2}), ("pools[0].timeSlicing = 2",)),
    "two shares beside whole GPUs of one model": refused(
        edited(L40S, {"pools.1.shape": "l4-4", "pools.3.timeSlicing": 2, "serving": GONE}),
        ("pools[1].selector", "finds the other's nodes"),
        ("pools[3].selector", "finds the other's nodes", "slicing labels are then yours"),
    ),
    "slices without GPUs": refused(edited(L40S, {"pools.0.mig": {"1g.10gb": 7}}), ("pools[0].mig = {'1g.10gb': 7}",)),
    "two cuts of one GPU model, and only the cut one has a selector": refused(
        edited(L40S, {"pools.1.shape": "hgx-a100", "pools.2.selector": {"cut": "yes"}, "serving": GONE}),
        ("pools[1].selector", "finds the other's nodes"),
    ),
    "two cuts of one GPU model, each with a selector": taken(
        edited(L40S, TWO_A100 | {"pools.1.selector": {"cut": "no"}, "pools.2.selector": {"cut": "yes"}})
    ),
    "two pools of one GPU model that the cloud tells apart": taken(eks(P5, {**P5, "name": "more"})),
    "two pools without GPUs": taken(
        edited(L40S, {"pools.4": {"name": "more", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 1}})
    ),
    "slices that are shared by time": refused(
        edited(L40S, {"pools.2.timeSlicing": 2}), ("pools[2].timeSlicing = 2", "cut into MIG slices already")
    ),
    "all seven slices of a GPU": taken(edited(L40S, {"pools.2.mig": {"1g.10gb": 4, "3g.40gb": 1}})),
    "who may own the driver": refused(
        edited(EKS, {"driverOwner": "operator"}),
        ("driverOwner = operator", "; use nodeOs al2023-nvidia with image; nodeOs bottlerocket-nvidia with image"),
    ),
    "proprietary modules with peermem": taken(edited(IB, {**PROPRIETARY, "gpuDirect": "peermem"})),
    "proprietary modules with gds": refused(
        edited(IB, {**PROPRIETARY, "gpuDirect": "peermem", "gpuOperator.gds": True}),
        ("gpuOperator.kernelModules", "gds needs open modules"),
    ),
    "proprietary modules without a fabric": taken(edited(L40S, {**PROPRIETARY, "gpuDirect": "dmabuf"})),
    "proprietary modules on EFA": refused(
        edited(eks({**P5, "capacity": None}), {**UBUNTU, **PROPRIETARY, "cloud": GONE}),
        ("gpuOperator.kernelModules = proprietary", "gpuDirect dmabuf needs open modules"),
    ),
    "proprietary modules of the node image": refused(
        edited(EKS, PROPRIETARY | {"gpuDirect": "none"}),
        ("gpuOperator.kernelModules = proprietary", "the operator's driver's, but driverOwner is image"),
    ),
    "slices of both strategies that nobody cuts": refused(
        edited(ROCE, {"gpuOperator.migStrategy": "mixed"}),
        ("gpuOperator.migStrategy = mixed", "nobody cuts any and no pod gets one"),
    ),
    "one strategy without slices": taken(edited(ROCE, {"gpuOperator.migStrategy": "single"})),
    "the strategy of the slices": taken(edited(L40S, {"gpuOperator.migStrategy": "mixed"})),
    "only nodes that keep ordinary pods away": refused(
        edited(IDLE, {"pools.0.taints": [AWAY]}), ("pools = system, h100", "name service stay Pending", "taints: []")
    ),
    "a pool for ordinary pods without nodes": refused(edited(IDLE, {"pools.0.nodes": 0}), ("pools = system, h100",)),
    "a pool for ordinary pods that scales from zero": taken(
        edited(IDLE, {"pools.0.nodes": 0, "pools.0.autoscale": {"max": 2}})
    ),
    "ordinary pods among the GPUs": taken(edited(IDLE, {"pools.0.nodes": 0, "pools.1.taints": []})),
    "nodes that ordinary pods only avoid": taken(
        edited(IDLE, {"pools.0.taints": [{**AWAY, "effect": "PreferNoSchedule"}]})
    ),
    "the first plugin that knows p6": taken(eks(P6, efaDevicePlugin={"version": "v0.5.10"})),
    "machines with other accelerators": refused(
        eks(P5, {"name": "trn2", "shape": "trn2.48xlarge"}),
        ("pools[1].shape = trn2.48xlarge", "not NVIDIA's", "leave the pool out"),
    ),
    "the first plugin that knows p6e": taken(eks(RACK, efaDevicePlugin={"version": "v0.5.14"})),
    "a plugin that knows p6 and not p6e": refused(
        eks(RACK, efaDevicePlugin={"version": "v0.5.13"}), ("efaDevicePlugin.version", "of p6e-gb200.36xlarge")
    ),
    "an older plugin without p6": taken(eks(P5, efaDevicePlugin={"version": "v0.5.9"})),
    "the first operator without stray HCAs": taken(edited(ROCE, {"gpuOperator.version": "v26.3.3"})),
    "GPUDirect Storage beside a fabric": taken(
        edited(ROCE, {"gpuOperator.gds": True, "gpuOperator.version": "v25.3.3", "kubernetesVersion": "1.33"})
    ),
    "GPUDirect Storage of an operator that cannot keep HCAs back": refused(
        edited(ROCE, {**OLDEST, "gpuOperator.gds": True}),
        ("gpuOperator.gds = True", "every HCA into every GPU pod", "use v25.3.4 or later"),
    ),
    "GPUDirect Storage of that operator without a fabric": taken(edited(L40S, {**OLDEST, "gpuOperator.gds": True})),
    "stray HCAs without a fabric": taken(edited(L40S, {"gpuOperator.version": "v26.3.1"})),
    "the first operator with a driver for B200": taken(
        edited(
            L40S,
            {
                "gpuOperator.version": "v25.3.0",
                "gpuOperator.umadInImage": True,
                "kubernetesVersion": "1.33",
                **ONE_B200,
            },
        )
    ),
    "the oldest Kubernetes": taken(edited(L40S, {"kubernetesVersion": "1.31", "gpuOperator.version": "v25.10.1"})),
    "a Kubernetes that an operator has left behind": refused(
        edited(L40S, {"kubernetesVersion": "1.31"}),
        (
            "kubernetesVersion = 1.31",
            "gpu-operator v26.7.0 supports Kubernetes 1.32 to 1.37 (NVIDIA/cloud-native-docs#488 over NVIDIA/cloud-native-docs@",
            "use gpuOperator.version v25.10.1, or",
        ),
    ),
    "a Kubernetes that an operator has left behind on this system": refused(
        edited(L40S, {"kubernetesVersion": "1.32", "nodeOs": "rhel"}),
        ("kubernetesVersion = 1.32", "supports Kubernetes 1.33 to 1.37", "use gpuOperator.version v26.3.3"),
    ),
    "a Kubernetes that an operator has left behind on this distribution": refused(
        edited(L40S, {"kubernetesVersion": "1.32", "platform": "rke2"}),
        ("kubernetesVersion = 1.32", "supports Kubernetes 1.33 to 1.37", "use gpuOperator.version v26.3.3"),
    ),
    **{
        f"a Kubernetes that came after Network Operator {version}": refused(
            edited(ROCE, {"kubernetesVersion": "1.36", "networkOperator.version": version}),
            (
                "kubernetesVersion = 1.36",
                f"network-operator {version} supports Kubernetes {span}",
                "use a Kubernetes of",
            ),
        )
        for version, span in (("25.4.0", "1.29 to 1.32"), ("25.7.0", "1.29 to 1.33"), ("26.1.2", "1.31 to 1.35"))
    },
    "a Kubernetes that came after the scheduler": refused(
        edited(L40S, {"kubernetesVersion": "1.36", "scheduling": {"kind": "volcano"}, "serving": GONE}),
        ("kubernetesVersion = 1.36", "volcano 1.15.1 supports Kubernetes 1.23 to 1.35 (volcano-sh/volcano@v1.15.1"),
    ),
    "CDI on RKE2 with an operator that cannot": refused(
        edited(IB, {"gpuOperator.cdi": True, "gpuOperator.version": "v25.3.4", "kubernetesVersion": "1.33"}),
        ("gpuOperator.cdi = True", "v25.3.4 does not configure RKE2's containerd", "use v25.10.1 or later"),
    ),
    "CDI on RKE2 with the first that can": taken(
        edited(IB, {"gpuOperator.cdi": True, "gpuOperator.version": "v25.10.1"})
    ),
    "CDI elsewhere with that operator": taken(
        edited(ROCE, {"gpuOperator.cdi": True, "gpuOperator.version": "v25.3.4", "kubernetesVersion": "1.33"})
    ),
    "Rocky Linux": taken(edited(L40S, {"nodeOs": "rocky"})),
    "Rocky Linux with an operator that has no driver for it": refused(
        edited(L40S, {"nodeOs": "rocky", "gpuOperator.version": "v25.10.1"}),
        ("nodeOs = rocky", "gpu-operator v25.10.1 names no rocky", "use a later release"),
    ),
    "Rocky Linux with a driver of its own and that operator": taken(
        edited(L40S, {"nodeOs": "rocky", "driverOwner": "image", "gpuOperator": {"version": "v25.10.1"}})
    ),
    "SUSE's Linux with a driver of its own": taken(
        edited(IB, {"nodeOs": "sles", "driverOwner": "image", "gpuOperator": {}})
    ),
    "SUSE's Linux with NVIDIA's driver container": refused(
        edited(L40S, {"nodeOs": "sles"}),
        ("driverOwner = operator", "kubeadm on sles has no driver from the operator"),
    ),
    "the newest Kubernetes": taken(edited(L40S, {"kubernetesVersion": "1.37"})),
    "the newest Kubernetes, which came after Kueue": refused(
        edited(L40S, {"kubernetesVersion": "1.37", "scheduling": {"kind": "kueue"}, "serving": GONE}),
        ("kubernetesVersion = 1.37", "kueue 0.19.2 supports Kubernetes 1.29 to 1.36 (kubernetes-sigs/kueue@v0.19.2"),
    ),
    "a Kubernetes that came after them all": refused(
        edited(L40S, {"kubernetesVersion": "1.38"}), ("kubernetesVersion = 1.38", "use 1.31 to 1.37")
    ),
    "a Kubernetes before the oldest": refused(
        edited(L40S, {"kubernetesVersion": "1.30"}), ("kubernetesVersion = 1.30", "use 1.31 to 1.37")
    ),
    "an override above what the profile owns": refused(
        edited(ROCE, {"gpuOperator.overrides": {"nfd": {}}}), ("gpuOperator.overrides.nfd = {}", "the profile owns")
    ),
    "all HCAs for every pod with a GPU": refused(
        _plugin("MOFED_ENABLED", "true"),
        ("gpuOperator.overrides.devicePlugin.env = MOFED_ENABLED", "all HCAs of its node", "remove it"),
    ),
    "variables of the device plugin in another shape": taken(
        edited(ROCE, {"gpuOperator.overrides": {"devicePlugin": {"env": ["MOFED_ENABLED=true"]}}})
    ),
    "no variables of the device plugin": taken(
        edited(ROCE, {"gpuOperator.overrides": {"devicePlugin": {"env": None}}})
    ),
    "all HCAs for none": taken(_plugin("MOFED_ENABLED", "false")),
    "another variable of the device plugin": taken(_plugin("PASS_DEVICE_SPECS", "true")),
    "another value of the device plugin": taken(
        edited(ROCE, {"gpuOperator.overrides": {"devicePlugin": {"imagePullPolicy": "Always"}}})
    ),
    "an exporter beside the operator": refused(
        edited(ROCE, {"monitoring.dcgmExporter": {}}), ("monitoring.dcgmExporter", "GPU Operator runs DCGM exporter")
    ),
    "an exporter of its own": taken(
        edited(ROCE, {"monitoring.dcgmExporter": {}, "gpuOperator": GONE, "existingDevicePlugin": True}),
    ),
    "a control plane that we may read": taken(edited(ROCE, {"monitoring.controlPlane": True})),
    "a control plane that the cloud runs": refused(
        edited(EKS, {"monitoring.controlPlane": True}), ("monitoring.controlPlane", "eks runs the control plane")
    ),
}
