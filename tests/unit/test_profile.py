"""A profile is refused with one clear line per fault, or taken whole."""

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.examples import examples
from tests.refusals import says
from tests.stack_files import STACKS, document

Mutation = Callable[[dict[str, Any]], Any]


def put(path: str, value: Any) -> Mutation:
    """Set a dotted path; numbers index lists."""

    def mutate(profile: dict[str, Any]) -> None:
        *above, last = path.split(".")
        target: Any = profile
        for key in above:
            target = target[int(key)] if isinstance(target, list) else target[key]
        if isinstance(target, list):
            target[int(last)] = value
        else:
            target[last] = value

    return mutate


def drop(*keys: str) -> Mutation:
    def mutate(profile: dict[str, Any]) -> None:
        for key in keys:
            del profile[key]

    return mutate


def drop_in(section: str, key: str) -> Mutation:
    def mutate(profile: dict[str, Any]) -> None:
        del profile[section][key]

    return mutate


def together(*mutations: Mutation) -> Mutation:
    def mutate(profile: dict[str, Any]) -> None:
        for mutation in mutations:
            mutation(profile)

    return mutate


ROCE, IB, EKS, GKE, L40S = "onprem-h100-roce", "onprem-h100-ib", "eks-p5", "gke-a3-mega", "inference-l40s"
BLACKWELL = put("pools.1", {"name": "b200", "shape": "dgx-b200", "nodes": 8})

# stack to start from, one mutation, and what the message must say: key, value, reason, fix.
BAD: dict[str, tuple[str, Mutation, tuple[str, ...]]] = {
    "unknown key": (ROCE, put("gpuOprator", {}), ("gpuOprator", "unknown key", "did you mean gpuOperator?")),
    "unknown nested key": (ROCE, put("gpuOperator.gdrCopy", True), ("gpuOperator.gdrCopy", "did you mean gdrcopy?")),
    "wrong type": (ROCE, put("pools.1.nodes", "many"), ("pools[1].nodes", "many", "whole number")),
    "negative count": (ROCE, put("pools.1.nodes", -1), ("pools[1].nodes", "-1", "0 is the least")),
    "no pools": (ROCE, put("pools", []), ("pools", "too few: 1 is the least")),
    "name is no label": (ROCE, put("name", "On Prem"), ("name", "On Prem", "write on-prem")),
    "context missing": (ROCE, drop("context"), ("context = absent", "required")),
    "fabric missing": (ROCE, drop("fabric"), ("fabric = absent", "required")),
    "unknown platform": (ROCE, put("platform", "nomad"), ("platform", "nomad", "'kubeadm'")),
    "unknown fabric kind": (ROCE, put("fabric.kind", "omnipath"), ("fabric.kind", "omnipath", "infiniband")),
    "unknown exposure": (ROCE, put("fabric.exposure", "magic"), ("fabric.exposure", "magic", "'host-device'")),
    "unknown shape": (
        ROCE,
        put("pools.1.shape", "dgx-h1000"),
        ("pools[1].shape", "dgx-h1000", "unknown shape", "dgx-h100"),
    ),
    "unknown GPU": (
        ROCE,
        put("pools.1.shape", {"gpu": "H1000", "gpus": 8, "cpus": 64, "memoryGib": 512, "fabrics": ["roce"], "nics": 8}),
        ("pools[1].shape.gpu", "H1000", "H100"),
    ),
    "shape of another cloud": (ROCE, put("pools.1.shape", "p5.48xlarge"), ("pools[1].shape", "only eks")),
    "two pools of one name": (ROCE, put("pools.0.name", "h100"), ("pools[1].name", "another pool")),
    "an empty section": (
        ROCE,
        put("gpuOperator", None),
        ("gpuOperator = absent", "says nothing", "write `gpuOperator: {}`, or remove the key"),
    ),
    "an empty section within a section": (
        ROCE,
        put("training.jobset", None),
        ("training.jobset = absent", "says nothing", "write `jobset: {}`"),
    ),
    "an empty section that needs keys": (
        ROCE,
        put("fabric.ipam", None),
        ("fabric.ipam = absent", "says nothing", "write its keys below ipam"),
    ),
    "nobody installs the driver": (
        ROCE,
        drop("gpuOperator"),
        ("gpuOperator = absent", "nobody installs the driver", "add `gpuOperator: {}`"),
    ),
    "nobody advertises the GPUs": (
        EKS,
        drop("gpuOperator"),
        ("gpuOperator = absent", "nothing advertises the GPUs of p5", "existingDevicePlugin: true"),
    ),
    "two plugins that advertise the GPUs": (
        EKS,
        put("existingDevicePlugin", True),
        ("existingDevicePlugin = true", "both register the same GPUs", "remove it, or gpuOperator"),
    ),
    "HCAs by name with virtual functions": (
        IB,
        put("fabric.hcas", [f"mlx5_{index}" for index in range(8)]),
        ("fabric.hcas", "NCCL would find none of these", "remove it"),
    ),
    "a driver that waits for ib_umad": (
        ROCE,
        BLACKWELL,
        ("pools[1].shape = dgx-b200", "waits for the module ib_umad for ever", "gpuOperator.umadInImage: true"),
    ),
    "no NFD": (ROCE, drop("nfd"), ("nfd = absent", "labels that NFD writes", "add `nfd: {}`")),
    "second Multus": (ROCE, put("multus", {}), ("multus = present", "Network Operator runs Multus already")),
    "two device plugins on one NIC": (
        ROCE,
        put("fabric.existingDevices", {"rdma/hca": 1}),
        ("fabric.existingDevices", "register the same NICs", "remove it"),
    ),
    "no device plugin": (ROCE, drop("networkOperator"), ("networkOperator = absent", "nothing advertises")),
    "no Multus": (
        ROCE,
        together(drop("networkOperator"), put("fabric.existingDevices", {"rdma/hca": 1})),
        ("multus = absent", "nothing here runs Multus"),
    ),
    "nv-ipam without its operator": (
        ROCE,
        together(drop("networkOperator"), put("fabric.existingDevices", {"rdma/hca": 1}), put("multus", {})),
        ("fabric.ipam.kind", "nv-ipam", "use whereabouts"),
    ),
    "IPAM that nobody installs": (
        ROCE,
        put("fabric.ipam.kind", "whereabouts"),
        ("whereabouts = absent", "nothing installs"),
    ),
    "IPAM that nobody uses": (ROCE, put("whereabouts", {}), ("whereabouts = present", "no network uses it")),
    "peermem without OFED": (
        ROCE,
        put("gpuDirect", "peermem"),
        ("gpuDirect", "peermem", "wait for it for ever", "dmabuf"),
    ),
    "OFED twice": (IB, put("fabric.hostOfed", True), ("networkOperator.ofed", "already", "remove it")),
    "too few rails": (ROCE, put("fabric.rails", ["ens1np0"]), ("fabric.rails", "1 rails", "8 NICs")),
    "no rails": (ROCE, put("fabric.rails", []), ("fabric.rails", "attaches pods to named interfaces")),
    "a rail twice": (ROCE, put("fabric.rails.1", "ens1np0"), ("fabric.rails", "listed twice")),
    "interface name too long": (ROCE, put("fabric.rails.1", "x" * 16), ("fabric.rails[1]", "15 at most")),
    "too few HCAs": (ROCE, put("fabric.hcas", ["mlx5_0"]), ("fabric.hcas", "8 HCAs")),
    "RoCE without addresses": (ROCE, drop_in("fabric", "ipam"), ("fabric.ipam = absent", "falls back to TCP")),
    "pool too small for its IP range": (
        ROCE,
        put("pools.1.nodes", 64),
        ("fabric.ipam.railPrefix", "24", "31 blocks of 8", "64 nodes"),
    ),
    "no room for the rails": (
        ROCE,
        put("fabric.ipam.network", "10.64.0.0/22"),
        ("fabric.ipam.network", "8 subnets of /24"),
    ),
    "rails overlap the pods": (
        ROCE,
        put("fabric.ipam.network", "10.244.0.0/16"),
        ("fabric.ipam.network", "clusterNetwork.podCidr"),
    ),
    "not a network": (ROCE, put("fabric.ipam.network", "10.64.0.1/16"), ("fabric.ipam.network", "10.64.0.1/16")),
    "too many virtual functions": (IB, put("fabric.numVfs", 17), ("fabric.numVfs", "17", "16")),
    "nobody to attach": (ROCE, drop("tenancy"), ("tenancy.teams", "add a team")),
    "MTU too large": (ROCE, put("fabric.mtu", 65_520), ("fabric.mtu", "65520", "9978")),
    "fabric that the platform has not": (
        EKS,
        put("fabric", {"kind": "gib"}),
        ("fabric.kind", "gib", "eks", "efa, none"),
    ),
    "fabric without interfaces": (
        EKS,
        together(drop("cloud"), put("pools", [{"name": "l4", "shape": "g6.xlarge", "nodes": 2}])),
        ("fabric.kind", "efa", "no pool has interfaces for it (g6.xlarge)"),
    ),
    "interfaces nobody published": (
        EKS,
        put("pools.1.shape", {"gpu": "H100", "gpus": 8, "cpus": 8, "memoryGib": 8, "fabrics": ["efa"], "nics": None}),
        ("pools[1].shape", "not published"),
    ),
    "driver has no owner": (EKS, put("driverOwner", "operator"), ("driverOwner", "operator", "al2023-nvidia")),
    "driver settings without a driver": (
        EKS,
        put("gpuOperator.gds", True),
        ("gpuOperator.gds", "driverOwner is image"),
    ),
    "proprietary modules on Blackwell": (
        ROCE,
        together(BLACKWELL, put("gpuOperator.kernelModules", "proprietary")),
        ("gpuOperator.kernelModules", "proprietary", "NVIDIA-B200", "use open"),
    ),
    "proprietary modules with DMA-BUF": (
        ROCE,
        put("gpuOperator.kernelModules", "proprietary"),
        ("gpuOperator.kernelModules", "dmabuf needs open modules"),
    ),
    "operator too old for Blackwell": (
        ROCE,
        together(BLACKWELL, put("gpuOperator.version", "v24.9.2")),
        ("gpuOperator.version", "v24.9.2", "NVIDIA-B200", "v25.3.4 or later"),
    ),
    "unknown chart version": (
        ROCE,
        put("gpuOperator.version", "v27.1.0"),
        ("gpuOperator.version", "v27.1.0", "v26.7.0"),
    ),
    "chart version without its v": (ROCE, put("gpuOperator.version", "26.7.0"), ("gpuOperator.version", "v26.7.0")),
    "known bad chart version": (ROCE, put("gpuOperator.version", "v26.3.1"), ("gpuOperator.version", "every HCA")),
    "Kubernetes out of range": (ROCE, put("kubernetesVersion", "1.24"), ("kubernetesVersion", "1.24", "1.31")),
    "Kubernetes version as a number": (
        ROCE,
        put("kubernetesVersion", 1.35),
        ("kubernetesVersion", "1.35", "in quotes"),
    ),
    "pair that fails": (ROCE, put("kubernetesVersion", "1.36"), ("kubernetesVersion", "1.36", "26.4.1 supports")),
    "override of a dead path": (
        ROCE,
        put("gpuOperator.overrides", {"driver": {"useOpenKernelModules": True}}),
        ("gpuOperator.overrides.driver.useOpenKernelModules", "True", "v26.7.0 ignores this key"),
    ),
    "override of an owned path": (
        ROCE,
        put("gpuOperator.overrides", {"nfd": {"enabled": True}}),
        ("gpuOperator.overrides.nfd.enabled", "True", "the profile owns this value"),
    ),
    "MIG profile of another GPU": (
        L40S,
        put("pools.2.mig", {"1g.5gb": 7}),
        ("pools[2].mig.1g.5gb", "A100-SXM4-80GB", "1g.10gb"),
    ),
    "too many slices": (L40S, put("pools.2.mig", {"1g.10gb": 8}), ("pools[2].mig.1g.10gb", "8", "at most 7")),
    "slices beyond the GPU": (
        L40S,
        put("pools.2.mig", {"1g.10gb": 4, "4g.40gb": 1}),
        ("pools[2].mig", "7 compute slices"),
    ),
    "MIG without MIG": (L40S, put("pools.1.mig", {"1g.10gb": 1}), ("pools[1].mig.1g.10gb", "no MIG")),
    "MIG strategy that hides the slices": (
        L40S,
        put("gpuOperator.migStrategy", "single"),
        ("gpuOperator.migStrategy", "mixed"),
    ),
    "time slicing without GPUs": (L40S, put("pools.0.timeSlicing", 4), ("pools[0].timeSlicing", "no GPUs")),
    "two cuts of one GPU model": (L40S, put("pools.1.shape", "hgx-a100"), ("pools[2].selector", "finds the other's")),
    "whole GPUs found by the product that a sliced pool has too": (
        L40S,
        together(put("pools.1.shape", "hgx-a100"), put("pools.2.selector", {"pool": "mig"})),
        ("pools[1].selector = absent", "by the product alone each finds the other's nodes", "give each of them"),
    ),
    "no GPUs for the operator": (
        L40S,
        put("pools", [{"name": "cpu", "shape": {"cpus": 8, "memoryGib": 8}, "nodes": 1}]),
        ("gpuOperator", "no pool has GPUs"),
    ),
    "two teams of one name": (ROCE, put("tenancy.teams.1.name", "research"), ("tenancy.teams[1].name", "another team")),
    "team in a system namespace": (
        ROCE,
        put("tenancy.teams.1.name", "kube-system"),
        ("tenancy.teams[1].name", "system"),
    ),
    "secret by its key": (
        GKE,
        put("charts", {"mirror": "/charts", "password": "hunter2"}),
        ("charts.password", "--secret"),
    ),
    "secret by its value": (GKE, put("charts", {"mirror": "hf_abcdefghijkl"}), ("charts.mirror", "does not belong")),
}


def bad(name: str) -> dict[str, Any]:
    stack, mutate, _ = BAD[name]
    profile = document(stack)
    mutate(profile)
    return profile


def lines(profile: dict[str, Any]) -> list[str]:
    with pytest.raises(ProfileError) as error:
        load(profile, "stacks/Pulumi.test.yaml")
    return str(error.value).splitlines()


@pytest.mark.parametrize("name", BAD)
def test_a_bad_profile_is_refused_with_key_value_reason_and_fix(name: str) -> None:
    said = lines(bad(name))
    assert any(says(line, BAD[name][2]) for line in said), said
    for line in said:
        source, rest = line.split(": ", 1)
        assert source == "stacks/Pulumi.test.yaml"
        key, value = rest.split(": ", 1)[0].split(" = ", 1)
        assert key
        assert value
        assert "; " in rest, "no fix"


def test_the_table_of_bad_profiles_is_long_enough() -> None:
    assert len(BAD) >= 40


@pytest.mark.parametrize("name", [name for name in BAD if name.startswith("secret")])
def test_a_secret_is_never_repeated(name: str) -> None:
    for line in lines(bad(name)):
        assert "hunter2" not in line
        assert "hf_" not in line


def test_every_fault_is_reported_at_once() -> None:
    profile = document(ROCE)
    for mutation in (put("gpuDirect", "peermem"), put("pools.1.nodes", 64), put("multus", {})):
        mutation(profile)
    assert len(lines(profile)) == 3


def test_the_committed_schema_is_current() -> None:
    from bedplate.stacks.profile.schema import SCHEMA_FILE, stack_schema

    assert json.loads(SCHEMA_FILE.read_text()) == stack_schema()


def test_the_committed_reference_page_is_current() -> None:
    from tests.tools.pages.profile import DOCS, pages

    assert {name: (DOCS / name).read_text() for name in pages()} == pages()
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.glob("profile/*")} == set(pages()) - {"profile.md"}


def values() -> st.SearchStrategy[Any]:
    plain = st.none() | st.booleans() | st.integers(-3, 300) | st.floats(allow_nan=False) | st.text(max_size=12)
    return st.recursive(
        plain | st.sampled_from(["roce", "dgx-b200", "10.0.0.0/8", "p5.48xlarge", "v25.3.4", {"kind": "none"}]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    )


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a profile, with room for keys that are not there."""
    found = [above] if above else []
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths(item, (*above, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += paths(item, (*above, index))
    return found


@examples(5000)
@given(st.data())
def test_a_random_profile_is_taken_or_refused_but_never_crashes(data: st.DataObject) -> None:
    profile = document(data.draw(st.sampled_from(STACKS)))
    fields = [field.alias or name for name, field in Profile.model_fields.items()]
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from(paths(profile) + [(field,) for field in fields]))
        target: Any = profile
        for key in above:
            target = target[key]
        target[last] = data.draw(values())
    with contextlib.suppress(ProfileError):
        load(profile)


@pytest.mark.parametrize("written", [None, [1, 2], "text", 7])
def test_a_profile_that_is_no_mapping_is_one_clear_line(written: Any) -> None:
    with pytest.raises(ProfileError, match=r"profile = .*: not a mapping; write its keys below it \(docs/profile.md\)"):
        load(written)


def test_a_team_cannot_have_the_namespace_of_the_sites_monitoring() -> None:
    one = document("onprem-h100-roce")
    one["monitoring"] = {"kind": "existing", "namespace": "research", "url": "http://prometheus.research.svc:9090"}
    with pytest.raises(ProfileError, match=r"tenancy.teams\[0\].name = research: a namespace or queue of the system"):
        load(one)


def test_an_unknown_key_is_not_proposed_to_itself() -> None:
    with pytest.raises(ProfileError) as refused:
        load(document("lab") | {"nfd": {"context": "x"}})
    assert "nfd.context" in str(refused.value)
    assert "did you mean context" not in str(refused.value)


def test_an_empty_version_is_none() -> None:
    with pytest.raises(ProfileError, match=r"gpuOperator\.version"):
        load(document("lab") | {"gpuOperator": {"version": ""}})


@pytest.mark.parametrize("version", ["x", "26.1", "v26", ""])
@pytest.mark.parametrize("section", ["networkOperator", "gpuOperator", "kueue"])
def test_a_version_that_is_none_is_one_line_and_nothing_is_derived_from_it(section: str, version: str) -> None:
    written = document("onprem-h100-roce")
    written[section] = {**(written.get(section) or {}), "version": version}
    with pytest.raises(ProfileError, match="version"):
        load(written)
