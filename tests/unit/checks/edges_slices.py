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


SERVER = "serving.servers[0]"
ON_SLICE = {"pool": "a100-mig", "slice": "1g.10gb", "model": "qwen3-0.6b", "scaling": GONE, "maxReplicas": GONE}
TRITON = {
    "kind": "triton",
    "name": "embed",
    "namespace": "serving",
    "pool": "a100-mig",
    "weights": {"kind": "volume", "volume": "models", "directory": "repository"},
}
PART = "tenancy.teams[0].gpus.a100-mig"
HALF = {"tenancy.teams.0.gpus": {"a100-mig": 8}}
ALONE = "slices of a GPU have no path to each other"


def on_slices(**more: Any) -> dict[str, Any]:
    """The inference stack, its server on slices, with these changes."""
    return edited(L40S, {f"serving.servers.0.{key}": value for key, value in {**ON_SLICE, **more}.items()})


def in_two_kinds(**more: Any) -> dict[str, Any]:
    """The same, with slices of two kinds."""
    return edited(on_slices(**more), {"pools.2.mig": {"1g.10gb": 3, "2g.20gb": 2}})


EDGES: dict[str, Case] = {
    "a server on a slice": taken(on_slices()),
    "servers on every slice": taken(on_slices(replicas=112)),
    "one server more than there are slices": refused(
        on_slices(replicas=113),
        ("serving.servers = 113 slices", "need 113 slices of 1g.10gb", "it has 112"),
    ),
    "servers on every slice of the team's part": taken(edited(on_slices(replicas=56), HALF)),
    "one more than the team's part": refused(
        edited(on_slices(replicas=57), HALF), (f"{PART} = 8", "need 57 slices of 1g.10gb", "its part has 56")
    ),
    "servers on every slice of the second kind": taken(in_two_kinds(slice="2g.20gb", replicas=32)),
    "one more than there are of the second kind": refused(
        in_two_kinds(slice="2g.20gb", replicas=33), ("serving.servers = 33 slices", "need 33 slices of 2g.20gb")
    ),
    "a server that does not say which slice": refused(
        in_two_kinds(slice=GONE), (f"{SERVER}.pool = a100-mig", "say which as `slice`: 1g.10gb or 2g.20gb")
    ),
    "a server of another kind on slices": refused(
        edited(L40S, {"serving.servers": [TRITON], "storage.volumes.0.namespaces": ["serving"]}),
        (f"{SERVER}.pool = a100-mig", "its GPUs are cut into slices", "use another pool, or kind vllm"),
    ),
    "a slice that the pool has not": refused(
        on_slices(slice="2g.20gb"), (f"{SERVER}.slice = 2g.20gb", "a node of pool a100-mig has none", "use 1g.10gb")
    ),
    "a slice of whole GPUs": refused(
        on_slices(pool="l40s"), (f"{SERVER}.slice = 1g.10gb", "a node of pool l40s has none", "remove it")
    ),
    "a slice of GPUs that pods share by time": refused(
        on_slices(pool="l4-shared"), (f"{SERVER}.pool = l4-shared", "its GPUs are shared by time")
    ),
    "two slices": refused(on_slices(tensorParallel=2), (f"{SERVER}.tensorParallel = 2", ALONE)),
    "copies on slices": refused(on_slices(dataParallel=2), (f"{SERVER}.dataParallel = 2", ALONE)),
    "a model that a slice does not hold": refused(
        on_slices(model="llama-3.1-8b"), (f"{SERVER}.tensorParallel = 1", "of 9.2 GB that the server may take")
    ),
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
