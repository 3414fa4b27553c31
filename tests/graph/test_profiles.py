"""Clusters of many kinds, each a bare profile in `tests/profiles`: planned clean, or refused with its reason.

A profile that must be refused says so in its first line: `# refused: WORDS OF THE MESSAGE`.
"""

from typing import Any

import pytest
import yaml

from bedplate.components.chart_keys import known_versions
from bedplate.plan.errors import PlanError
from bedplate.plan.verdicts import verdicts
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.charts import component, helm_sections, values
from tests.crds import faults, is_custom
from tests.helm_keys import key_faults
from tests.stack_files import graph_of, kubernetes, manifest
from tests.tools.golden_objects import PROFILES, REFUSED, SOUND, declared

UNSOUND = sorted({path.stem for path in PROFILES.glob("*.yaml")} - set(SOUND))


def document(name: str) -> dict[str, Any]:
    return yaml.safe_load((PROFILES / f"{name}.yaml").read_text())


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_profile_plans_without_a_mandatory_finding(name: str) -> None:
    found = verdicts(declared(name), document(name))
    assert [verdict for verdict in found if verdict["severity"] == "mandatory"] == []


@pytest.mark.parametrize(("name", "unasked"), [("eks-karpenter", ["ResourceFlavor"]), ("gke-queued-provisioning", [])])
def test_a_plan_says_which_pools_grow_for_pods_alone_when_the_queue_makes_none(name: str, unasked: list[str]) -> None:
    found = verdicts(declared(name), document(name))
    assert [one["message"].split()[0] for one in found if one["rule"] == "SCH-423"] == unasked


@pytest.mark.parametrize("name", SOUND)
def test_its_custom_resources_are_valid_against_their_crds(name: str) -> None:
    objects = [manifest(node) for node in declared(name).resources if kubernetes(node)]
    assert [fault for one in objects if is_custom(one) for fault in faults(one)] == []


@pytest.mark.parametrize("name", SOUND)
def test_its_helm_values_are_live_in_its_charts(name: str) -> None:
    profile = load(document(name))
    said: list[str] = []
    for path, section in helm_sections(profile):
        chart = component(type(section)).CHART
        if section.version in known_versions(chart.name):
            written = values(section, facts(profile))
            said += [f"{path}: {fault}" for fault in key_faults(chart.name, section.version, written)]
    assert said == []


@pytest.mark.parametrize("name", UNSOUND)
def test_an_unsound_profile_is_refused_with_its_reason(name: str) -> None:
    expected = (PROFILES / f"{name}.yaml").read_text().splitlines()[0].removeprefix(REFUSED)
    with pytest.raises(PlanError) as refused:
        graph_of(document(name))
    assert expected in str(refused.value)
