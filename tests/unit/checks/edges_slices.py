"""GPUs of one node cut in several ways: profiles on either side of a limit, and just beside it."""

from typing import Any

from tests.unit.checks.case import GONE, Case, edited, refused, taken

L40S = "inference-l40s"
GRACE = {"serving": GONE, "pools.2.shape": "gh200", "pools.2.mig": {"1g.12gb": 7}}
CDMM = ("pools[2].mig = present", "of NVIDIA-GH200-480GB itself (CDMM), and then there is no MIG", "driverOwner: image")
KAI: dict[str, Any] = {"scheduling": {"kind": "kai"}}
CARD = {"gpus": 8, "cpus": 64, "memoryGib": 512}
HERE = "pools[2].migLayouts[0]"


def layouts(*asked: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The inference stack, the A100 of its third pool cut so."""
    return edited(L40S, {"serving": GONE, "pools.2.mig": GONE, "pools.2.migLayouts": list(asked), **more})


EDGES: dict[str, Case] = {
    "two layouts and whole GPUs on a node": taken(
        layouts({"gpus": [0], "slices": {"1g.10gb": 7}}, {"gpus": [1], "slices": {"3g.40gb": 2}})
    ),
    "a slice with media engines beside plain ones": taken(
        layouts({"gpus": [0], "slices": {"1g.10gb": 6, "1g.10gb+me": 1}})
    ),
    "two slices with the one set of media engines": refused(
        layouts({"gpus": [0], "slices": {"1g.10gb+me": 2}}), (f"{HERE}.slices.1g.10gb+me = 2", "at most 1")
    ),
    "slices with graphics": taken(
        layouts(**{"pools.2.shape": {**CARD, "gpu": "RTX-PRO-6000"}, "pools.2.mig": {"1g.24gb+gfx": 4}})
    ),
    "slices with media engines beside KAI": refused(
        layouts({"gpus": [0], "slices": {"1g.10gb+me": 1}}, **KAI), ("pools[2].migLayouts = 1g.10gb+me", "KAI does not")
    ),
    "slices with media engines on every GPU beside KAI": refused(
        layouts(**KAI, **{"pools.2.mig": {"1g.10gb+me": 1}}), ("pools[2].mig = 1g.10gb+me", "KAI does not count")
    ),
    "plain slices beside KAI": taken(layouts({"gpus": [0], "slices": {"1g.10gb": 7}}, **KAI)),
    "whole GPUs among cut ones": taken(layouts({"gpus": [3]}, **{"pools.2.mig": {"1g.10gb": 7}})),
    "the last GPU of a node": taken(layouts({"gpus": [7], "slices": {"7g.80gb": 1}})),
    "one beyond it": refused(
        layouts({"gpus": [8], "slices": {"7g.80gb": 1}}, **{"pools.2.mig": {"1g.10gb": 7}}),
        (f"{HERE}.gpus = 8", "a node has 8 GPUs", "use 0 to 7"),
    ),
    "a GPU in two layouts": refused(
        layouts({"gpus": [0, 1], "slices": {"1g.10gb": 7}}, {"gpus": [1], "slices": {"3g.40gb": 2}}),
        ("pools[2].migLayouts[1].gpus = 1", "has a layout already"),
    ),
    "layouts that cut nothing": refused(
        layouts({"gpus": [0]}), ("pools[2].migLayouts = present", "no GPU is cut by it")
    ),
    "a slice that the GPU cannot make": refused(
        layouts({"gpus": [0], "slices": {"1g.5gb": 7}}), (f"{HERE}.slices.1g.5gb = 7", "not a MIG profile", "1g.10gb")
    ),
    "more of one kind than a GPU holds": refused(
        layouts({"gpus": [0], "slices": {"3g.40gb": 3}}),
        (f"{HERE}.slices.3g.40gb = 3", "at most 2"),
        (f"{HERE}.slices", "7 compute slices"),
    ),
    "kinds that do not fit together": refused(
        layouts({"gpus": [0], "slices": {"1g.10gb": 1, "3g.40gb": 2}}), (f"{HERE}.slices", "more than the 80 GiB")
    ),
    "layouts shared by time": refused(
        layouts({"gpus": [0], "slices": {"7g.80gb": 1}}, **{"pools.2.timeSlicing": 2}),
        ("pools[2].timeSlicing = 2", "cut into MIG slices already"),
    ),
    "layouts without GPUs": refused(
        edited(L40S, {"pools.0.migLayouts": [{"gpus": [0]}]}), ("pools[0].migLayouts = present", "has no GPUs")
    ),
    "slices of Grace under the operator's own driver": refused(edited(L40S, GRACE), CDMM),
    "under the first driver that manages its memory": refused(
        edited(L40S, {**GRACE, "gpuOperator.driverVersion": "580.65.06"}), CDMM
    ),
    "under one before it": taken(edited(L40S, {**GRACE, "gpuOperator.driverVersion": "570.172.08"})),
    "under a driver of the node image": taken(edited(L40S, {**GRACE, "driverOwner": "image"})),
    "the single strategy over layouts": refused(
        layouts({"gpus": [0], "slices": {"7g.80gb": 1}}, **{"gpuOperator.migStrategy": "single"}),
        ("gpuOperator.migStrategy = single", "requested by name"),
    ),
}
