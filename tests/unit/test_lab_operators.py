"""The statuses that the lab plays are ones that the real types have."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from bedplate.lab.stages import NOW, READY, Ready, load, probes
from tests.crds import faults
from tests.upstream import upstream


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
    if isinstance(value, str) and value.startswith("{{ if"):
        return "ready"
    return "2026-01-01T00:00:00Z" if value == NOW else value


@pytest.mark.parametrize("kind", [kind for ready in READY for kind in ready.kinds], ids=lambda k: k["metadata"]["name"])
def test_a_kind_made_at_run_time_is_served_as_the_real_one_is(kind: dict[str, Any]) -> None:
    path = upstream("crds", "network-operator-26.4.1", f"{kind['metadata']['name']}.yaml")
    real = yaml.load(path.read_text(), yaml.CSafeLoader)["spec"]
    played = kind["spec"]
    assert {key: played[key] for key in ("group", "scope", "names")} == {
        key: real[key] for key in ("group", "scope", "names")
    }
    assert [version["name"] for version in played["versions"]] == [version["name"] for version in real["versions"]]


def test_the_kinds_of_nv_ipam_come_with_the_part_of_the_policy_that_asks_for_them_and_before_it_is_ready() -> None:
    policy = next(ready for ready in READY if ready.kind == "NicClusterPolicy")
    plain, with_part = map(chain, policy.stages())
    assert plain == ["patch"]
    assert with_part == ["apply", "apply", "patch"]


def chain(stage: dict[str, Any]) -> list[str]:
    return [next(iter(step)) for step in stage["spec"]["steps"]]


def test_every_stage_has_a_name_of_its_own() -> None:
    names = [stage["metadata"]["name"] for stage in load()]
    assert len(names) == len(set(names))
    assert {"node-ready", "pod-ready", "clusterpolicy.nvidia.com"} <= set(names)


def test_the_lab_probes_every_kind_of_webhook_that_it_opens() -> None:
    opened = {
        stage["spec"]["resourceRef"]["kind"] for stage in load() if stage["metadata"]["name"].endswith("webhook-opened")
    }
    assert {probe["kind"] for probe in probes()} == opened
    assert all(probe["webhooks"][0]["failurePolicy"] == "Fail" for probe in probes())
    assert all(probe["webhooks"][0]["rules"] == [] for probe in probes()), "a probe stands in nobody's way"
