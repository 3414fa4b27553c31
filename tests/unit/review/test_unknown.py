"""What nobody thought of is never taken for harmless, and what the plans of this repository write is known."""

import copy
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import yaml

from bedplate.charts import names
from bedplate.review.changes import ALWAYS_FORCED, FORCED, IGNORED, Change, Resource, changes
from bedplate.review.danger import Danger
from bedplate.review.fields import Field, leaves
from bedplate.review.rules import BY_CLOUD_KIND, BY_KIND, charts, judged, kueue
from bedplate.review.rules.rule import Kind
from tests.tools.golden_objects import CLUSTERS, declared

STRANGE = "someNewField"
TEMPLATES = {
    "Deployment": ".spec.template",
    "DeploymentPatch": ".spec.template",
    "LeaderWorkerSet": ".spec.leaderWorkerTemplate",
    "DisaggregatedSet": ".spec.roles[].spec.leaderWorkerTemplate",
    "TrainingRuntime": ".spec.template",
    "Release kube-prometheus-stack": ".values.kube-state-metrics.customResourceState.config",
    "Release nvidia-dra-driver-gpu": ".values.controller.affinity",
    "NicClusterPolicy": ".spec.nodeAffinity",
    "NodesProof": ".",
}
"""Parts of which everything does the same, whatever is written there: its pods start anew, or are made from it later;
and a gate only waits."""
KEYS = (
    *(".matchLabels", ".nodeSelector", ".labels", ".annotations", ".additionalLabels", ".tags"),
    *(".data", ".stringData", ".defaultRequest", ".triggers[].metadata", ".spec.parameters"),
)
"""Maps whose keys people choose: one more is no field more."""


def of_a_plan(resource: Resource) -> bool:
    """What is read belongs to somebody else, and components only group."""
    return not resource.read and not resource.type.startswith(("bedplate:", "pulumi:pulumi:"))


@cache
def planned() -> tuple[Resource, ...]:
    """Everything that any cluster of this repository declares."""
    nodes = [node for name in CLUSTERS for node in declared(name).resources]
    return tuple(one for n in nodes if of_a_plan(one := Resource(n.urn, n.type, n.name, n.inputs, n.read)))


def named(resource: Resource) -> str:
    """Its kind, and of a release the chart."""
    return f"Release {resource.chart}" if resource.kind == "Release" else resource.kind


def grown(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with a field more, once for each mapping in it, and where that is."""
    if isinstance(value, Mapping):
        yield "", {**value, STRANGE: "x"}
        for key, item in value.items():
            yield from ((f".{key}{place}", {**value, key: new}) for place, new in grown(item))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ((f"[]{place}", [*value[:index], new, *value[index + 1 :]]) for place, new in grown(item))


def open_to_all(resource: Resource, place: str) -> bool:
    """Where a new key is no new field."""
    keys = place.endswith(KEYS) and place not in (".metadata.labels", ".metadata.annotations")
    return keys or place.startswith(TEMPLATES.get(named(resource), "nowhere"))


def changed(resource: Resource, inputs: Mapping[str, Any]) -> Change:
    (change,) = changes([resource], [Resource(resource.urn, resource.type, resource.name, inputs)])
    return change


def test_a_field_that_nobody_knows_is_unknown_wherever_it_stands_in_every_kind_of_every_plan() -> None:
    tried: set[tuple[str, str]] = set()
    harmless: set[tuple[str, str]] = set()
    for resource in planned():
        for place, inputs in grown(resource.inputs):
            if (named(resource), place) in tried or open_to_all(resource, place):
                continue
            tried.add((named(resource), place))
            change = changed(resource, inputs)
            if change.what == "update" and judged(change).danger < Danger.UNKNOWN:
                harmless.add((named(resource), place))
    assert harmless == set()
    assert len({kind for kind, _ in tried}) > 100
    assert len(tried) > 500


def other(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if "\n" in value:
            return f"{value}# read as before\n"
        case _:
            return f"1{value}" if value else value


def test_what_the_plans_of_this_repository_write_is_known() -> None:
    strange: set[tuple[str, str]] = set()
    seen: set[tuple[str, str]] = set()
    for resource in planned():
        # Version and kind are in the type, and so in the URN: with another it is another resource.
        forced = ("apiVersion", "kind", *ALWAYS_FORCED, *FORCED.get(resource.kind, ()), *IGNORED.get(resource.kind, ()))
        for path, value in leaves(resource.inputs):
            field = Field(path, value, other(value))
            place = (named(resource), field.place)
            if place in seen or field.old == field.new or field.within(*forced):
                continue
            seen.add(place)
            if judged(Change("update", resource, resource, (field,))).danger == Danger.UNKNOWN:
                strange.add(place)
    assert strange == set()
    assert len(seen) > 1000


def test_every_field_of_the_configuration_that_kueue_is_given_is_known() -> None:
    releases = [one for one in planned() if named(one) == "Release kueue"]
    texts = {one.inputs["values"]["managerConfig"]["controllerManagerConfigYaml"] for one in releases}
    for text in texts:
        for path, value in leaves(yaml.safe_load(text)):
            field = Field(path, value, other(value))
            assert kueue.DOCUMENT(Change("update", None, None, (field,))).danger != Danger.UNKNOWN, path
    release = releases[0]
    strange = copy.deepcopy(dict(release.inputs))
    strange["values"]["managerConfig"]["controllerManagerConfigYaml"] += f"\n{STRANGE}: x\n"
    assert judged(changed(release, strange)).danger == Danger.UNKNOWN


def kinds() -> Iterator[tuple[str, Kind]]:
    for name, rule in (
        *BY_KIND.items(),
        *((name, charts.rule(name)) for name in names(charts.FILE)),
        *BY_CLOUD_KIND.items(),
    ):
        if isinstance(rule, Kind):
            yield name, rule


def test_what_a_rule_says_of_all_other_fields_is_at_least_as_bad_as_unknown() -> None:
    mild = [name for name, rule in kinds() if rule.otherwise and rule.otherwise.danger < Danger.UNKNOWN]
    assert mild == []


@pytest.mark.parametrize(("old", "new"), [(None, {}), ({}, None), ({"metadata": {"name": "a"}}, {})])
def test_a_kind_that_nobody_knows_is_unknown_when_it_comes_goes_or_is_replaced(
    old: dict[str, Any] | None, new: dict[str, Any] | None
) -> None:
    type_ = "kubernetes:example.com/v1:Mystery"
    before, after = ([] if one is None else [Resource(f"u::p::{type_}::x", type_, "x", one)] for one in (old, new))
    (change,) = changes(before, after)
    assert judged(change).danger == Danger.UNKNOWN
