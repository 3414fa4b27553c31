"""Servers on MIG slices: what they ask nodes for, what fits a slice, and what is refused."""

from typing import Any

import pytest

from bedplate.catalog.gpus import GPUS
from bedplate.components.serving.room import card
from bedplate.components.serving.vllm import VllmServer, single
from bedplate.plan.fit import of_server
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import document as written

STACK, POOL, KIND = "inference-l40s", "a100-mig", "1g.10gb"
SMALL = {"model": "qwen3-0.6b", "pool": POOL, "slice": KIND, "tensorParallel": 1, "precision": "bf16"}


def stated(*servers: dict[str, Any]) -> dict[str, Any]:
    """The stack with copies of its first server, changed, and no other."""
    document = written(STACK)
    first = {key: value for key, value in document["serving"]["servers"][0].items() if key not in {"route", "scaling"}}
    first = {**first, "kind": "vllm", "replicas": 1}
    first.pop("maxReplicas", None)
    made = [{**first, "name": f"s{index}", **one} for index, one in enumerate(servers)]
    return {**document, "serving": {**document["serving"], "servers": made}}


def loaded(*servers: dict[str, Any]) -> Profile:
    return load(stated(*servers))


def test_a_server_on_a_slice_asks_for_one_and_its_part_of_the_node() -> None:
    profile = loaded(SMALL)
    assert profile.serving
    server, known = profile.serving.servers[0], facts(profile)
    assert isinstance(server, VllmServer)
    [container] = single(server, known, surge=False)["spec"]["template"]["spec"]["containers"]
    asked = container["resources"]["limits"]
    assert asked["nvidia.com/mig-1g.10gb"] == "1"
    assert not [name for name in asked if name == "nvidia.com/gpu"]
    line = of_server(server, known)
    assert "of 9.2 GB a slice, the rest holds" in line.memory
    assert "slices" in line.queue


def test_what_a_slice_has_is_less_than_its_name_says() -> None:
    whole, part = (card(GPUS["A100-80"].product, 80, kind) for kind in (None, KIND))
    assert (whole.visible_gib, part.visible_gib) == (79.25, 9.5)
    assert part.capability == whole.capability
    assert card(None, 80, "7g.80gb+me").visible_gib == 76


WRONG = [
    ({"slice": None}, "pool = a100-mig: its GPUs are cut into slices; say which as `slice`: 1g.10gb"),
    ({"slice": "3g.40gb"}, "slice = 3g.40gb: a node of pool a100-mig has none; use 1g.10gb"),
    ({"pool": "l40s"}, "slice = 1g.10gb: a node of pool l40s has none; remove it"),
    ({"pool": "l4-shared"}, "pool = l4-shared: its GPUs are shared by time"),
    ({"tensorParallel": 2}, "tensorParallel = 2: slices of a GPU have no path to each other"),
    ({"dataParallel": 2}, "dataParallel = 2: slices of a GPU have no path to each other"),
    ({"model": "llama-3.1-8b"}, "16 GB of weights are 16.1 GB on each GPU"),
    ({"replicas": 113}, "113 slices: the servers of pool a100-mig need 113 slices of 1g.10gb at the most, it has 112"),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[said[:30] for _, said in WRONG])
def test_a_server_that_no_slice_can_be_is_refused_in_a_line(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ProfileError) as refused:
        loaded({**SMALL, **change})
    assert said in str(refused.value)
