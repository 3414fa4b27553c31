"""Attacks and legitimate acts, a file each, on what confines teams with each scheduler; and that no verb is left out."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import product

import pytest
import yaml

from bedplate.components.tenancy.access import rules
from bedplate.lab.cluster import Cluster
from tests.cluster.confined import held_by
from tests.cluster.tries import EVERYWHERE, ROOT, played, qualified, tries
from tests.training_jobs import SCHEDULERS
from tests.training_jobs import cluster as facts_with

READING = {"get", "list", "watch"}
LEGITIMATE = tries("legitimate")
ALL = [*tries("attacks"), *LEGITIMATE]
REASONS = yaml.safe_load((ROOT / "attacks" / "reasons" / "reasons.yaml").read_text())


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_attack_is_refused_for_its_reason_and_every_legitimate_act_is_taken(
    scheduler: str, confined: Cluster
) -> None:
    held_by(scheduler, confined)
    facts = facts_with("lab", scheduler)
    told = [one.wrong(confined) for one in played(ALL, facts)]
    assert len(told) >= 250
    assert [one for one in told if one] == []


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_a_file_says_what_is_tried_and_why(one: object) -> None:
    assert isinstance(one, type(ALL[0]))
    assert one.document["title"]
    assert one.document["why"]
    assert set(one.schedulers) <= set(EVERYWHERE)
    assert sum(key in one.document for key in ("create", "patch", "delete")) == 1
    assert set(one.document) <= KEYS
    assert one in LEGITIMATE or ("refused" in one.document) != ("harmless" in one.document)


KEYS = {
    "title",
    "why",
    "schedulers",
    "needs",
    "as",
    "alone",
    "queued",
    "source",
    "given",
    "create",
    "patch",
    "delete",
    "refused",
    "harmless",
}


def granted(scheduler: str) -> Iterator[tuple[str, str]]:
    """Verb and resource of all that members may do."""
    for rule in rules(facts_with("lab", scheduler)):
        yield from rights(rule)


def rights(rule: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Of one rule of a Role; who may `get`, `list` or `watch` may read."""
    for group, name in product(rule["api_groups"], rule["resources"]):
        verbs = {"read" if verb in READING else verb for verb in rule["verbs"]}
        yield from ((verb, qualified(group, name)) for verb in sorted(verbs))


REASONED = {(verb, name) for shape in REASONS for verb, names in [shape.split(" ", 1)] for name in names.split(", ")}
JUDGED_AS = {"update": "patch", "patch": "create", "deletecollection": "delete"}
"""The same guards judge a verb and the other, where a member has both."""


def covered(
    right: tuple[str, str], attacked: AbstractSet[tuple[str, str]], all_of: AbstractSet[tuple[str, str]]
) -> bool:
    """There is an attack by it, or a reason for none, or both of these of what is judged alike."""
    verb, name = right
    as_well = (JUDGED_AS.get(verb, ""), name)
    return right in attacked or right in REASONED or (as_well in all_of and covered(as_well, attacked, all_of))


def uncovered(scheduler: str, *more: tuple[str, str]) -> list[str]:
    """Rights that nobody has tried or thought of."""
    attacked = {one.action for one in tries("attacks") if scheduler in one.schedulers}
    all_of = {*granted(scheduler), *more}
    return sorted(" ".join(right) for right in all_of if not covered(right, attacked, all_of))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_of_all_that_members_may_do_there_is_an_attack_or_a_reason_for_none(scheduler: str) -> None:
    assert uncovered(scheduler) == []


NEW = {
    "write": ({"api_groups": ["networking.k8s.io"], "resources": ["ingresses"], "verbs": ["create", "update"]}, 2),
    "read": ({"api_groups": [""], "resources": ["nodes"], "verbs": ["get"]}, 1),
    "patch a state": ({"api_groups": ["kueue.x-k8s.io"], "resources": ["workloads/status"], "verbs": ["patch"]}, 1),
    "evict": ({"api_groups": [""], "resources": ["pods/eviction"], "verbs": ["create"]}, 1),
    "the same name of another group": ({"api_groups": ["x.io"], "resources": ["jobs"], "verbs": ["delete"]}, 1),
    "everything": ({"api_groups": ["*"], "resources": ["*"], "verbs": ["*"]}, 1),
}


@pytest.mark.parametrize("right", NEW)
def test_a_new_right_without_an_attack_is_named(right: str) -> None:
    rule, number = NEW[right]
    new = list(rights(rule))
    assert uncovered("kueue", *new) == sorted(" ".join(one) for one in new)
    assert len(new) == number


def test_no_reason_is_given_for_what_nobody_may_do() -> None:
    all_of = {one for scheduler in SCHEDULERS for one in granted(scheduler)}
    assert REASONED - all_of == set()
