"""Profiles of any kind of cluster, drawn from the tables that a profile is made of.

`choose` picks one of a sequence: hypothesis in a test, `random.Random(n).choice` for thousands of them. What is drawn
blindly is seldom sound, so a refused profile is led to a sound one by what the refusals name (`soundly`).
"""

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any

from bedplate.components.platforms import PLATFORMS
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import Problem, ProfileError
from tests.any_sections import SECTIONS
from tests.any_serving import serving

Choose = Callable[[Sequence[Any]], Any]
Document = dict[str, Any]
ROUNDS = 12
"""Mends before a draw is given up."""
ADDED: Document = {
    **{key: {} for key in ("nfd", "gpuOperator", "networkOperator", "efaDevicePlugin", "draDriver", "whereabouts")},
    "tenancy": {"teams": [{"name": "research"}]},
    "monitoring": {"kind": "stack"},
    "scheduling": {"kind": "kueue"},
}
"""Sections that a refusal may ask for."""
KEPT = ("pools", "fabric", "platform", "kind", "shape", "nodes", "name", "driverOwner", "nodeOs", "kubernetesVersion")
CPU = {"cpus": 32, "memoryGib": 128}


def any_profile(choose: Choose) -> Document:
    """A document that may be refused."""
    platform, image, owner = choose(list(OWNERSHIP))
    kind = choose(sorted(PLATFORMS[platform].fabrics))
    one: Document = {
        "name": "any",
        "platform": platform,
        "nodeOs": image,
        "driverOwner": owner,
        "kubernetesVersion": choose(["1.33", "1.34", "1.35"]),
        "context": "any",
        "gpuDirect": choose(["dmabuf", "peermem", "none"]),
        "pools": _pools(choose, platform, kind),
        "fabric": _fabric(choose, kind),
    }
    for key, options in SECTIONS.items():
        if (drawn := choose(options)) is not None:
            one[key] = copy.deepcopy(drawn)
    _cloud(choose, one)
    if "tenancy" in one and (drawn := serving(choose, one)):
        one |= drawn
    return one


def _pools(choose: Choose, platform: str, kind: str) -> list[Document]:
    offered = [name for name, one in SHAPES.items() if one.cloud in (None, platform) and one.gpus]
    at_home = [name for name in offered if (SHAPES[name].cloud == platform) is bool(PLATFORMS[platform].cloud)]
    joins = [name for name in at_home if kind in SHAPES[name].fabrics] or at_home
    pools = [
        {"name": f"gpu-{index}", **_pool(choose, joins if index == 0 else at_home)}
        for index in range(choose([1, 1, 2]))
    ]
    system = {"name": "system", "shape": CPU, "nodes": choose([1, 3])}
    return pools if choose(range(8)) == 0 else [system, *pools]


def _pool(choose: Choose, shapes: Sequence[str]) -> Document:
    shape = choose(shapes)
    pool: Document = {"shape": shape, "nodes": choose([0, 1, 2, 4, 9, 40])}
    sliced = SHAPES[shape].model
    if sliced and sliced.mig and choose([False, False, True]):
        pool["mig"] = {choose(list(sliced.mig)): 1}
    optional = {
        "timeSlicing": [2],
        "minReady": [0, 1],
        "selector": [{"example.com/pool": shape.lower()}],
        "taints": [[], [{"key": "dedicated", "value": "ai"}], [{"key": "nvidia.com/gpu", "effect": "NoExecute"}]],
        "labels": [{"example.com/rack": "r1"}],
        "zone": ["us-east-2a", "us-central1-a", "1"],
        "autoscale": [{"max": 4}, {"min": 1, "max": 60}],
        "capacity": [{"kind": "on-demand"}, {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}],
        "rails": [[]],
    }
    return pool | {key: choose(values) for key, values in optional.items() if choose([False, False, False, True])}


def _fabric(choose: Choose, kind: str) -> Document:
    if kind not in ("infiniband", "roce"):
        return {"kind": kind} | ({"existingPlugin": choose([True, False])} if kind == "efa" else {})
    exposures = ["shared", "sriov", "host-device"] + (["exclusive"] if kind == "infiniband" else [])
    fabric: Document = {"kind": kind, "exposure": choose(exposures), "rails": [f"ens{n}np0" for n in range(8)]}
    network = {"network": "10.64.0.0/14"}
    optional = {
        "ipam": [
            {"kind": "nv-ipam", **network},
            {"kind": "nv-ipam", **network, "gateway": 1, "routes": ["10.64.0.0/14"]},
            {"kind": "nv-ipam", **network, "railPrefix": 18, "nodePrefix": 31, "gateway": 0},
            {"kind": "whereabouts", **network},
        ],
        "hcas": [[f"mlx5_{n}" for n in range(8)]],
        "mtu": [1500, 4092, 9000],
        "numVfs": [1, 16],
        "hostOfed": [True],
        "existingDevices": [{"rdma/ib": 1}, {f"openshift.io/rail_{n}": 1 for n in range(8)}],
    }
    if kind == "roce":
        optional |= {"trafficClass": [106], "qpsPerConnection": [4]}
    return fabric | {key: choose(values) for key, values in optional.items() if choose([False, True])}


def _cloud(choose: Choose, one: Document) -> None:
    sections: dict[str | None, list[Document]] = {
        "aws": [{"kind": "aws", "region": "us-east-2"}, {"kind": "aws", "region": "us-east-2", "localDisks": "raid0"}],
        "gcp": [{"kind": "gcp", "project": "example-project", "region": "us-central1"}],
        "azure": [
            {"kind": "azure", "region": "eastus2", "infinibandSupport": True, "gpuDriver": drv}
            for drv in ("none", "install")
        ],
        "oci": [
            {"kind": "oci", "region": "us-ashburn-1", "rdma": "cluster-network", "gpuPluginAddon": addon}
            for addon in (True, False)
        ],
    }
    if (own := PLATFORMS[one["platform"]].cloud) and choose([False, True, True]):
        one["cloud"] = copy.deepcopy(choose(sections[own]))


def soundly(document: Document) -> Document | None:
    """The document, mended wherever it is refused until it is not; None if that does not help."""
    one = copy.deepcopy(document)
    for _ in range(ROUNDS):
        try:
            load(one)
        except ProfileError as refused:
            before = copy.deepcopy(one)
            for problem in refused.problems:
                _mend(one, problem)
            if one == before:
                return None
        else:
            return one
    return None


def _mend(one: Document, problem: Problem) -> None:
    """Add a section that is missed, else take away what is named, or the section that it stands in."""
    *above, last = re.split(r"[.\[\]]+", problem.key.rstrip("]"))
    first = above[0] if above else last
    if problem.value is None and first in ADDED and first not in one:
        one[first] = copy.deepcopy(ADDED[first])
        return
    target = _at(one, above)
    if last in target and last not in KEPT:
        del target[last]
    elif first == "fabric":
        one["fabric"] = {"kind": "none"}
    elif first == "charts":
        one.pop("charts", None)
    elif first not in KEPT:
        one.pop(first, None)


def _at(one: Document, path: Sequence[str]) -> Document:
    """The mapping that stands there, or an empty one."""
    target: Any = one
    for key in path:
        found: Any = target[int(key)] if isinstance(target, list) else target.get(key)
        target = found if isinstance(found, dict | list) else {}
    return target if isinstance(target, dict) else {}
