"""Schedulers, teams and topologies that cannot work are refused, with key, value, reason and fix."""

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.refusals import says
from tests.stack_files import document

H100 = {"shape": "dgx-h100", "nodes": 2}


def without_rails(profile: dict[str, Any], **changes: Any) -> None:
    del profile["networkOperator"]
    profile.update(fabric={"kind": "none"}, **changes)


BAD: dict[str, tuple[Callable[[dict[str, Any]], Any], tuple[str, ...]]] = {
    "unknown scheduler": (lambda p: p.update(scheduling={"kind": "slurm"}), ("scheduling.kind", "slurm", "'kueue'")),
    "two schedulers": (lambda p: p.update(scheduling=[{"kind": "kueue"}, {"kind": "volcano"}]), ("scheduling",)),
    "nobody to queue": (
        lambda p: without_rails(p, tenancy={"teams": []}),
        ("tenancy.teams = absent", "no job would be admitted"),
    ),
    "pools that look alike": (
        lambda p: p["pools"].append({"name": "more", **H100}),
        ("pools[2].selector", "from those of pool h100", "selector of its own"),
    ),
    "unknown level": (
        lambda p: p["scheduling"].update(topology={"levels": ["a/b"], "required": "a/c"}),
        ("scheduling.topology.required", "a/c", "not a level", "a/b"),
    ),
    "a level twice": (
        lambda p: p["scheduling"].update(topology={"levels": ["a/b", "a/b"]}),
        ("scheduling.topology.levels", "twice"),
    ),
    "the node in the middle": (
        lambda p: p["scheduling"].update(topology={"levels": ["kubernetes.io/hostname", "a/b"]}),
        ("scheduling.topology.levels", "kubernetes.io/hostname is not the last"),
    ),
    "held to two levels": (
        lambda p: p["scheduling"].update(topology={"levels": ["a/b"], "required": "a/b", "preferred": "a/b"}),
        ("scheduling.topology.preferred", "remove one of the two"),
    ),
    "domains for who reads labels": (
        lambda p: p["scheduling"].update(topology={"levels": ["a/b"], "domains": ["r1"]}),
        ("scheduling.topology.domains", "kueue reads the labels themselves"),
    ),
    "domains of no label": (
        lambda p: p.update(scheduling={"kind": "volcano", "topology": {"domains": ["r1"]}}),
        ("scheduling.topology.domains", "add levels"),
    ),
    "Kubernetes too new for Volcano": (
        lambda p: without_rails(p, scheduling={"kind": "volcano"}, kubernetesVersion="1.36"),
        ("kubernetesVersion", "1.36", "volcano 1.15.1 supports Kubernetes 1.23 to 1.35"),
    ),
    "unknown release of the Training Operator": (
        lambda p: p.update(training={"trainingOperator": {"version": "v1.7.0"}}),
        ("training.trainingOperator.version", "v1.7.0", "v1.9.4"),
    ),
    "GPUs of no pool": (
        lambda p: p["tenancy"]["teams"][0].update(gpus={"a100": 4}),
        ("tenancy.teams[0].gpus.a100", "4", "use one of: h100"),
    ),
    "more GPUs than there are": (
        lambda p: p["tenancy"]["teams"][0].update(gpus={"h100": 17}),
        ("tenancy.teams", "promised 17 GPUs of pool h100, which has 16"),
    ),
    "a namespace that is taken": (
        lambda p: p["tenancy"]["teams"][0].update(name="kueue-system"),
        ("tenancy.teams[0].name", "kueue-system", "use another name"),
    ),
    "a queue that is taken": (
        lambda p: p["tenancy"]["teams"][0].update(name="root"),
        ("tenancy.teams[0].name", "root"),
    ),
    "two teams of one name": (
        lambda p: p["tenancy"]["teams"][0].update(name="platform"),
        ("tenancy.teams[1].name", "platform", "another team"),
    ),
    "unknown priority": (
        lambda p: p["tenancy"]["teams"][0].update(priority="urgent"),
        ("tenancy.teams[0].priority", "urgent", "'best-effort'"),
    ),
}


def bad(case: str) -> dict[str, Any]:
    one = document("lab")
    BAD[case][0](one)
    return one


@pytest.mark.parametrize("case", BAD)
def test_it_is_refused_in_one_clear_line(case: str) -> None:
    said = BAD[case][1]
    with pytest.raises(ProfileError) as refused:
        load(bad(case))
    lines = str(refused.value).splitlines()
    assert any(says(line, said) for line in lines), lines


def test_more_pools_than_kueue_has_flavors_are_refused() -> None:
    one = document("lab")
    shape = {"shape": {"cpus": 8, "memoryGib": 32}, "nodes": 1}
    one["pools"] += [{"name": f"cpu-{i}", **shape, "selector": {"pool": str(i)}} for i in range(63)]
    with pytest.raises(ProfileError, match="at most 64 flavors"):
        load(one)
