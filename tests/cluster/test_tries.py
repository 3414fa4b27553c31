"""Attacks and legitimate acts, a file each, on what confines teams with each scheduler; and that no verb is left out."""

from collections.abc import Iterator
from fnmatch import fnmatch

import pytest
import yaml

from bedplate.components.tenancy.access import rules
from bedplate.lab.cluster import Cluster
from tests.cluster.confined import held_by
from tests.cluster.tries import ROOT, tries
from tests.training_jobs import SCHEDULERS
from tests.training_jobs import cluster as facts_with

READING = {"get", "list", "watch"}
ALL = [*tries("attacks"), *tries("legitimate")]
REASONS = yaml.safe_load((ROOT / "attacks" / "reasons" / "reasons.yaml").read_text())


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_attack_is_refused_for_its_reason_and_every_legitimate_act_is_taken(
    scheduler: str, confined: Cluster
) -> None:
    held_by(scheduler, confined)
    told = [one.wrong(confined) for one in ALL if scheduler in one.schedulers]
    assert len(told) >= 25
    assert [one for one in told if one] == []


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_a_file_says_what_is_tried_and_why(one: object) -> None:
    assert isinstance(one, type(ALL[0]))
    assert one.document["title"]
    assert one.document["why"]
    assert set(one.schedulers) <= set(SCHEDULERS)
    assert sum(key in one.document for key in ("create", "patch", "delete")) == 1
    assert set(one.document) <= KEYS


KEYS = {"title", "why", "schedulers", "as", "alone", "given", "create", "patch", "delete", "refused"}


def granted(scheduler: str) -> Iterator[tuple[str, str]]:
    """Verb and resource of all that members may do, but read."""
    for rule in rules(facts_with("lab", scheduler)):
        yield from ((verb, one) for one in rule["resources"] for verb in rule["verbs"] if verb not in READING)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_of_all_that_members_may_do_there_is_an_attack_or_a_reason_for_none(scheduler: str) -> None:
    attacked = {one.action for one in tries("attacks") if scheduler in one.schedulers}
    left = [f"{verb} {name}" for verb, name in granted(scheduler) if (verb, name) not in attacked]
    assert [one for one in left if not any(fnmatch(one, shape) for shape in REASONS)] == []


def test_no_reason_is_given_for_what_nobody_may_do() -> None:
    all_of = {f"{verb} {name}" for scheduler in SCHEDULERS for verb, name in granted(scheduler)}
    assert [shape for shape in REASONS if not any(fnmatch(one, shape) for one in all_of)] == []
