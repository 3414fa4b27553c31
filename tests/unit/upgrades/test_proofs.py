"""No record says more than was seen, and no pin moves without one."""

import os

import pytest

from bedplate.components.chart import Chart
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from bedplate.upgrades import proofs
from bedplate.upgrades.fields import Difference, fields
from bedplate.upgrades.proofs import Proof, definitions, proof, returning, worst
from bedplate.upgrades.records import Transition, Verdict, every, releases, way
from tests.tools.fetch_upstream import read
from tests.tools.upgrades.objects import NUMBER
from tests.tools.upgrades.releases import ORIGINS, fingerprint
from tests.upstream import upstream

UNTRIED = {"whereabouts-chart"}
"""Charts with kinds of their own whose releases nobody has compared: docs/upgrades.md names them."""
UNKEPT = {"kube-prometheus-stack", "nvidia-dra-driver-gpu", "vllm-stack"}
"""Whose definitions the upstream data does not keep, or as those of prometheus-operator-crds alone."""
PINS = {chart.name: chart for chart in installable(Profile).values() if isinstance(chart, Chart)}
BY_STEP = pytest.mark.parametrize("step", every(), ids=lambda step: f"{step.chart} {step.old}")


@BY_STEP
def test_every_record_was_tried_with_fifty_objects_and_claims_no_more_than_was_seen(step: Transition) -> None:
    found = proof(step)
    assert found is not None, f"python -m tests.tools.upgrades --chart {step.chart}"
    assert sum(found.objects.values()) == NUMBER
    assert step.verdict >= worst(step)
    assert step.verdict != Verdict.SAFE or not step.drains


@BY_STEP
def test_the_fields_that_were_seen_to_be_dropped_are_those_that_the_schemas_lack(step: Transition) -> None:
    found, schemas = proof(step), fields(step.chart, step.old, step.new)
    assert found is not None
    assert schemas is not None
    if found.worst < Verdict.BLOCKED:
        tried = {field for field in schemas.gone if field.partition(".")[0] in found.objects} - found.unshown.keys()
        seen = set(found.upgrade.get("pruned", ()))
        assert seen == tried or (found.stored and seen > tried), "what is stored anew is pruned to the newer version"


def test_at_least_twelve_pairs_of_ten_charts_are_recorded() -> None:
    assert len(every()) >= 12
    assert {step.chart for step in every()} == ORIGINS.keys()


@pytest.mark.parametrize("chart", sorted(ORIGINS))
def test_a_pin_is_the_end_of_its_newest_record_and_every_release_that_is_held_has_a_way_to_it(chart: str) -> None:
    pin = PINS[chart]
    assert releases(chart)[-1] == pin.version, f"{chart}: no record of the way to {pin.version}"
    for old in pin.older:
        assert way(chart, old, pin.version), f"{chart} {old}: no way to {pin.version}"


def test_every_chart_with_kinds_of_its_own_is_recorded_or_named_as_not() -> None:
    assert {chart.name for chart in PINS.values() if chart.crds != "none"} - ORIGINS.keys() == UNTRIED


@pytest.mark.parametrize("chart", sorted(ORIGINS))
def test_the_definitions_of_a_pin_are_those_that_were_tried(chart: str) -> None:
    version = PINS[chart].version
    stem = f"{(ORIGINS[chart].upstream or chart)}-{version}"
    folder = upstream("crds") / stem
    if not folder.is_dir():  # some are kept without the `v` of their release
        folder = upstream("crds") / stem.replace("-v", "-")
    if not folder.is_dir() and (chart in UNKEPT or os.environ.get("BEDPLATE_UPSTREAM") != "required"):
        pytest.skip(f"the upstream data has no CRDs of {stem}")
    ours = {path.stem: read(path) for path in folder.glob("*.yaml")}
    tried = definitions(chart, version)
    assert fingerprint({name: one for name, one in ours.items() if name in tried}).items() <= tried.items()
    assert ours.keys() & tried.keys()


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        ({}, Verdict.SAFE),
        ({"upgrade": {"pruned": ["A.b"]}}, Verdict.MANUAL),
        ({"upgrade": {"refused": {"A": "no"}}}, Verdict.MANUAL),
        ({"back": {"lost": ["A a"]}}, Verdict.MANUAL),
        ({"stored": {"as": [["v1"], ["v1", "v2"]]}}, Verdict.MANUAL),
        ({"unshown": {"A.b": "no"}}, Verdict.MANUAL),
        ({"upgrade": {"lost": ["A a"]}}, Verdict.BLOCKED),
        ({"upgrade": {"definitionsRefused": {"as": "no"}}}, Verdict.BLOCKED),
    ],
    ids=str,
)
def test_a_proof_allows_no_better_verdict_than_what_happened(
    seen: dict[str, dict[str, object]], verdict: Verdict
) -> None:
    nothing: dict[str, dict[str, object]] = {"upgrade": {}, "back": {}, "stored": {}, "unshown": {}}
    assert Proof(**{"objects": {"A": 50}, **nothing, **seen}).worst == verdict  # pyright: ignore[reportArgumentType]


def test_a_step_that_nobody_tried_is_unknown() -> None:
    step = Transition("kueue", "0.1.0", "0.2.0", Verdict.SAFE, "", (), ())
    assert proof(step) is None
    assert worst(step) == Verdict.UNKNOWN


def test_objects_that_came_through_whole_are_told_apart_from_those_that_did_not() -> None:
    went = {"upgrade": {"dropped": []}, "back": {"lost": ["A one"], "pruned": ["A.spec.x"]}}
    both = Proof(objects={"A": 50}, stored={}, unshown={}, **went).says()
    assert list(both) == ["tried with 50 objects (A): none lost", "and back: lost A one; dropped A.spec.x"]


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (None, Verdict.UNKNOWN),
        ({}, Verdict.MANUAL),
        ({"back": {"pruned": ["A.b"]}}, Verdict.MANUAL),
        ({"back": {"refused": {"A": "no"}}}, Verdict.BLOCKED),
        ({"back": {"definitionsRefused": {"as": "no"}}}, Verdict.BLOCKED),
        ({"back": {"lost": ["A a"]}}, Verdict.BLOCKED),
        ({"upgrade": {"lost": ["A a"]}}, Verdict.BLOCKED),
    ],
    ids=str,
)
def test_the_way_back_is_barred_where_objects_were_lost_or_stuck_on_either_way_and_is_never_safe(
    monkeypatch: pytest.MonkeyPatch, seen: dict[str, dict[str, object]] | None, verdict: Verdict
) -> None:
    nothing: dict[str, dict[str, object]] = {"upgrade": {}, "back": {}, "stored": {}, "unshown": {}}
    record = None if seen is None else Proof(**{"objects": {"A": 50}, **nothing, **seen})  # pyright: ignore[reportArgumentType]
    monkeypatch.setattr(proofs, "proof", lambda _: record)
    assert returning(Transition("kueue", "0.1.0", "0.2.0", Verdict.SAFE, "", (), ())) == verdict


def test_kinds_that_are_stored_anew_are_named_by_the_versions_before_and_after() -> None:
    stored = {
        "as.x.io": [["v1"], ["v1", "v2"]],
        "bs.x.io": [["v1beta1"], ["v1"]],
        "cs.x.io": [["v1"], ["v2"]],
        "ds.x.io": [[], ["v1"]],
    }
    *_, first, second = Proof(objects={"A": 50}, upgrade={}, back={}, stored=stored, unshown={}).says()
    assert first == "stored in v2 from now on, in v1 before: as, cs"
    assert second == "stored in v1 from now on, in v1beta1 before: bs"


@pytest.mark.parametrize(("gone", "narrower"), [(("A.b",), ()), ((), ("A.b",)), ((), ())])
def test_a_step_that_lost_nothing_is_still_no_better_than_what_its_schemas_take_away(
    monkeypatch: pytest.MonkeyPatch, gone: tuple[str, ...], narrower: tuple[str, ...]
) -> None:
    whole = Proof(objects={"A": 50}, upgrade={}, back={}, stored={}, unshown={})
    monkeypatch.setattr(proofs, "proof", lambda _: whole)
    monkeypatch.setattr(proofs, "fields", lambda *_: Difference(gone=gone, come=("A.c",), narrower=narrower))
    step = Transition("kueue", "0.1.0", "0.2.0", Verdict.SAFE, "", (), ())
    assert worst(step) == (Verdict.MANUAL if gone or narrower else Verdict.SAFE)
