"""The statuses that the lab plays are ones that the real types have."""

from collections.abc import Mapping
from typing import Any

import pytest

from lab.stages import load
from lab.stages.operators import NOW, READY, Ready
from tests.crds import faults


@pytest.mark.parametrize("ready", READY, ids=lambda r: r.kind)
def test_the_real_type_takes_the_played_status(ready: Ready) -> None:
    assert status_faults(ready, rendered(ready.status)) == []


def test_a_field_that_the_type_lacks_is_found() -> None:
    assert len(status_faults(READY[0], {"state": "ready", "phase": "odd"})) == 1


def status_faults(ready: Ready, status: Any) -> list[str]:
    found = faults({"apiVersion": ready.api, "kind": ready.kind, "status": status})
    return [fault for fault in found if "$.status" in fault]


def rendered(value: Any) -> Any:
    """The status as KWOK would write it."""
    if isinstance(value, Mapping):
        return {key: rendered(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rendered(item) for item in value]
    return "2026-01-01T00:00:00Z" if value == NOW else value


def test_every_stage_has_a_name_of_its_own() -> None:
    names = [stage["metadata"]["name"] for stage in load()]
    assert len(names) == len(set(names))
    assert {"node-ready", "pod-ready", "clusterpolicy.nvidia.com"} <= set(names)
