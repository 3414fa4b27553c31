"""Machines of a site's own and fleets of several kinds: profiles on either side of a limit, and just beside it."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken

L40S = "inference-l40s"
H20: dict[str, Any] = {"product": "NVIDIA-H20", "memoryGib": 96, "family": "hopper"}
CUT: dict[str, Any] = {**H20, "mig": {"1g.12gb": 7, "3g.48gb": 2}}
BOARD: dict[str, Any] = {"gpu": "H20", "gpus": 8, "cpus": 192, "memoryGib": 2048}
OWN = {"serving": GONE, "pools.1.shape": "hgx-h20"}
PASCAL = {"product": "NVIDIA-GeForce-GTX-1080-Ti", "memoryGib": 11, "family": "pascal", "pciIds": ["1b06"]}
VOLTA = {**OWN, "pools.1.shape": "v100-8", "fabric": {"kind": "none"}}
NO_WORKLOAD = {"gpuOperator.overrides": {"validator": {"cuda": {"env": [{"name": "WITH_WORKLOAD", "value": "false"}]}}}}
PROPRIETARY = {"gpuOperator.kernelModules": "proprietary"}


def own(gpu: dict[str, Any], shape: dict[str, Any] | None = None, **pool: Any) -> dict[str, Any]:
    """The inference stack with a pool of the site's own machines."""
    tables = {"gpus": {"H20": gpu}, "shapes": {"hgx-h20": shape or BOARD}}
    return edited(L40S, {**OWN, "hardware": tables, **{f"pools.1.{key}": value for key, value in pool.items()}})


def sliced(**asked: int) -> dict[str, Any]:
    """Its MIG pool cut so; `g` for the dot that a keyword cannot hold."""
    return edited(L40S, {"serving": GONE, "pools.2.mig": {name.replace("_", "."): n for name, n in asked.items()}})


QUALIFY: dict[str, Any] = {"verification": {"team": "research", "image": "example.com/torch:1", "qualify": {}}}
OFED: dict[str, Any] = {"fabric.hostOfed": True, "networkOperator.ofed": GONE}
OLD_RAILS: dict[str, Any] = {
    "driverOwner": "image",
    "pools.1.shape": "v100-8",
    "gpuOperator": {"version": "v26.3.3"},
    "fabric.rails": ["ib0", "ib1", "ib2", "ib3"],
    "verification": GONE,
    **OFED,
}
BESIDE: dict[str, Any] = {
    "name": "old",
    "shape": {"gpu": "V100-32", "gpus": 4, "cpus": 40, "memoryGib": 256},
    "nodes": 2,
}
EDGES: dict[str, Case] = {
    "nodes that are tested before they are let in": taken(edited("lab", QUALIFY)),
    "nodes that only Kueue could keep out": refused(
        edited("lab", {**QUALIFY, "scheduling": {"kind": "volcano"}}),
        ("verification.qualify = present", "here is volcano", "use scheduling.kind: kueue"),
    ),
    "nodes that nobody's jobs test": refused(
        edited("lab", {"verification": {**QUALIFY["verification"], "team": "nobody"}}),
        ("verification.team = nobody", "use research or platform"),
    ),
    "slices, which are not tested": refused(
        edited("lab", {**QUALIFY, "pools.1.mig": {"1g.10gb": 7}}),
        ("verification.qualify = present", "no pool has whole GPUs"),
    ),
    "nodes that an autoscaler would never add": refused(
        edited("lab", {**QUALIFY, "pools.1.autoscale": {"max": 4}}),
        ("pools[1].autoscale = h100", "an autoscaler adds no node", "give it `nodes`"),
    ),
    "machines of the site's own": taken(own(H20)),
    "a GPU of the site's own in a shape in full": taken(own(H20, shape=BOARD)),
    "slices of a GPU whose PCI ids are known": taken(own({**CUT, "pciIds": ["2329"]}, mig={"3g.48gb": 2})),
    "slices that fill a GPU to the last GiB": taken(
        own({**CUT, "memoryGib": 94, "pciIds": ["2329"]}, mig={"3g.48gb": 2})
    ),
    "slices of a GPU whose PCI ids nobody knows": refused(
        own(CUT, mig={"3g.48gb": 2}), ("pools[1].mig", "NVIDIA-H20 has no PCI ids", "add pciIds")
    ),
    "slices of a pool that the site labels": taken(own(CUT, mig={"3g.48gb": 2}, selector={"cut": "yes"})),
    "GPUs of no model": refused(
        own(H20, {"gpus": 8, "cpus": 64, "memoryGib": 512}), ("pools[1].shape.gpu", "8 GPUs of no model")
    ),
    "a model without GPUs": refused(
        own(H20, {**BOARD, "gpus": 0}), ("pools[1].shape.gpus = 0", "say how many a node has")
    ),
    "a GPU that nobody knows": refused(
        own(H20, {**BOARD, "gpu": "h200nvl"}), ("pools[1].shape.gpu = h200nvl", "did you mean H200-NVL or ")
    ),
    "a shape in the wrong case": refused(
        edited(L40S, {"pools.1.shape": "DGX-H200"}),
        ("pools[1].shape = DGX-H200", "did you mean dgx-h200?", "hardware.shapes"),
    ),
    "a shape like no other": refused(
        edited(L40S, {"pools.1.shape": "Q"}), ("pools[1].shape = Q", "docs/hardware.md has every name")
    ),
    "an unknown shape with all that would follow of it": refused(
        edited("onprem-h100-roce", {"pools.1.shape": "dgx-h2000"}),
        ("pools[1].shape = dgx-h2000", "unknown shape; did you mean dgx-h200 or "),
    ),
    "all the memory of a GPU in slices": taken(sliced(**{"2g_20gb": 2, "3g_40gb": 1})),
    "more memory than a GPU has, and slices to spare": refused(
        sliced(**{"1g_10gb": 1, "3g_40gb": 2}), ("pools[2].mig", "more than the 80 GiB of a GPU")
    ),
    "nine eighths of a GPU's memory, by names that add up to all of it": refused(
        own(H20, {**BOARD, "gpu": "A100-40"}, mig={"1g.5gb": 1, "1g.10gb": 4}),
        ("pools[1].mig", "more than the 40 GiB of a GPU"),
    ),
    "more slices than a GPU of four has": refused(
        edited(L40S, {**OWN, "pools.1.shape": "a30-4", "pools.1.mig": {"1g.6gb": 4, "2g.12gb": 1}}),
        ("pools[1].mig", "more than the 4 compute slices"),
    ),
    "an old GPU with the modules and the driver that it has": taken(
        edited(L40S, {**VOLTA, **PROPRIETARY, **NO_WORKLOAD, "gpuOperator.driverVersion": "580.126.20"})
    ),
    "an old GPU that the operator's own program cannot run on": refused(
        edited(L40S, {**VOLTA, **PROPRIETARY, "gpuOperator.driverVersion": "580.126.20"}),
        ("gpuOperator.version = absent", "Tesla-V100-SXM2-32GB of pool", "use v26.3.3, or overrides {validator: "),
    ),
    "an old GPU whose operator is told something else of its program": refused(
        edited(
            L40S,
            {
                **VOLTA,
                **PROPRIETARY,
                "gpuOperator.driverVersion": "580.126.20",
                "gpuOperator.overrides": {"validator": {"cuda": {"env": [{"name": "WITH_WORKLOAD", "value": "true"}]}}},
            },
        ),
        ("gpuOperator.version = absent", "ClusterPolicy is never ready"),
    ),
    "an older one, which no table has": refused(
        edited(
            L40S,
            {
                "hardware": {"gpus": {"gtx-1080ti": PASCAL}},
                "pools.1.shape": {"gpu": "gtx-1080ti", "gpus": 8, "cpus": 32, "memoryGib": 96},
                "serving": GONE,
            },
        ),
        ("gpuOperator.version = absent", "NVIDIA-GeForce-GTX-1080-Ti of pool"),
        ("gpuOperator.kernelModules = open", "NVIDIA-GeForce-GTX-1080-Ti of pool"),
        ("gpuOperator.driverVersion = absent", "name one of that branch"),
    ),
    "an old GPU with an operator whose driver knows it": taken(
        edited(L40S, {**VOLTA, **PROPRIETARY, "gpuOperator.version": "v26.3.3"})
    ),
    "an old GPU with a driver that does not": refused(
        edited(L40S, {**VOLTA, **PROPRIETARY, **NO_WORKLOAD, "gpuOperator.driverVersion": "595.91.07"}),
        ("gpuOperator.driverVersion = 595.91.07", "580 is the last driver branch"),
    ),
    "an old GPU with the operator's own modules and driver": refused(
        edited(L40S, {**VOLTA, **NO_WORKLOAD}),
        ("gpuOperator.kernelModules = open", "Tesla-V100-SXM2-32GB of pool"),
        ("gpuOperator.driverVersion = absent", "name one of that branch"),
    ),
    "an old GPU whose driver the image brings": taken(
        edited(L40S, {**VOLTA, "driverOwner": "image", "gpuOperator": {"version": "v26.3.3"}})
    ),
    "an old GPU of the image's driver on a fabric": refused(
        edited("onprem-h100-ib", OLD_RAILS),
        ("gpuDirect = dmabuf", "Tesla-V100-SXM2-32GB of pool h100", "know no DMA-BUF", "use peermem"),
    ),
    "the same by nvidia-peermem": taken(edited("onprem-h100-ib", {**OLD_RAILS, "gpuDirect": "peermem"})),
    "the same by the site's own plugin": refused(
        edited("onprem-h100-ib", {**OLD_RAILS, "gpuOperator": GONE, "existingDevicePlugin": True}),
        ("gpuDirect = dmabuf", "know no DMA-BUF"),
    ),
    "an old GPU of the image's driver beside the fabric": taken(
        edited(
            "onprem-h100-ib",
            {
                "driverOwner": "image",
                "gpuOperator": OLD_RAILS["gpuOperator"],
                **OFED,
                "verification": GONE,
                "pools.2": BESIDE,
            },
        ),
    ),
    "an old GPU of the image's driver that the operator's own program cannot run on": refused(
        edited(L40S, {**VOLTA, "driverOwner": "image", "gpuOperator": {}}),
        ("gpuOperator.version = absent", "ClusterPolicy is never ready"),
    ),
    "an old GPU without the operator": taken(
        edited(L40S, {**VOLTA, "gpuOperator": GONE, "existingDevicePlugin": True})
    ),
    "Grace with proprietary modules": refused(
        edited(L40S, {**OWN, **PROPRIETARY, "pools.1.shape": "gh200"}),
        ("gpuOperator.kernelModules", "NVIDIA-GH200-480GB of pool", "open modules only"),
    ),
}

RACKS = {
    "serving": GONE,
    "pools.1.shape": "gb200-nvl72",
    "pools.1.nodes": 18,
    "fabric": {"kind": "none"},
    "draDriver": {},
    "scheduling": GONE,
    "training": GONE,
}
EDGES.update(
    {
        "racks with their driver": taken(edited(L40S, RACKS)),
        "racks in one queue with the rest": taken(edited(L40S, {**RACKS, "scheduling": {"kind": "kueue"}})),
        "racks without their driver": refused(
            edited(L40S, {**RACKS, "draDriver": GONE}),
            ("draDriver = absent", "NVLink joins the nodes", "add `draDriver: {}`"),
        ),
        "racks that nobody has jobs on": taken(
            edited(L40S, {**RACKS, "draDriver": GONE, "tenancy": GONE, "storage": GONE})
        ),
        "one node of a rack": taken(edited(L40S, {**RACKS, "draDriver": GONE, "pools.1.nodes": 1})),
        "a driver for racks, and none": refused(
            edited(L40S, {"draDriver": {}}), ("draDriver = present", "no pool has NVLink over several nodes")
        ),
        "a driver for racks, and one node": refused(
            edited(L40S, {**RACKS, "pools.1.nodes": 1}),
            ("draDriver = present", "no pool has NVLink over several nodes"),
        ),
        "racks on the first Kubernetes that has claims": taken(edited(L40S, {**RACKS, "kubernetesVersion": "1.34"})),
        "racks on an older Kubernetes": refused(
            edited(L40S, {**RACKS, "kubernetesVersion": "1.33"}), ("kubernetesVersion = 1.33", "use 1.34 or later")
        ),
        "racks without CDI": refused(
            edited(L40S, {**RACKS, "gpuOperator.cdi": False}), ("gpuOperator.cdi = false", "by CDI")
        ),
        "racks under a scheduler that allocates no claims": refused(
            edited(L40S, {**RACKS, "scheduling": {"kind": "volcano"}}), ("scheduling.kind = volcano", "use kueue")
        ),
        "racks without the operator": taken(
            edited(L40S, {**RACKS, "gpuOperator": GONE, "driverOwner": "image", "existingDevicePlugin": True})
        ),
    }
)
