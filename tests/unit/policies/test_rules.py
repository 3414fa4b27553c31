"""Each rule accepts what is right, refuses each single mistake, and says nothing about what is not known."""

import pytest

from bedplate.policies.rules import RULES
from bedplate.policies.values import UNKNOWN
from tests.unit.policies import (
    cases_beside,
    cases_classes,
    cases_driver,
    cases_edges,
    cases_edges_jobs,
    cases_excluded,
    cases_incidents,
    cases_infrastructure,
    cases_nccl,
    cases_network,
    cases_objects,
    cases_proven,
    cases_reading,
    cases_scheduling,
    cases_serving,
    cases_severity,
    cases_threads,
    cases_training,
)
from tests.unit.policies.case import GONE, Break, Case, Docs, put, uncertain

SUBJECTS = (
    cases_driver,
    cases_network,
    cases_nccl,
    cases_scheduling,
    cases_training,
    cases_serving,
    cases_infrastructure,
    cases_edges,
    cases_edges_jobs,
    cases_excluded,
    cases_severity,
    cases_incidents,
    cases_proven,
    cases_classes,
    cases_objects,
    cases_beside,
    cases_reading,
    cases_threads,
)
CASES: list[Case] = [case for subject in SUBJECTS for case in subject.CASES]
BREAKS = [(case, change) for case in CASES for change in case.breaks]


def name(value: object) -> str | None:
    if isinstance(value, Case):
        return value.rule
    return value.path.replace(" ", ".") if isinstance(value, Break) else None


def test_every_rule_has_a_case() -> None:
    assert {rule.id for rule in RULES} == {case.rule for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=name)
def test_what_is_right_is_accepted(case: Case) -> None:
    assert case.complaints(case.docs) == []


@pytest.mark.parametrize(("case", "change"), BREAKS, ids=name)
def test_each_mistake_is_refused_in_words(case: Case, change: Break) -> None:
    found = case.complaints(case.broken(change))
    assert change.is_in(found), found


KNOWN = ("pools", "dependencies", "memlockUnlimited", "fitted", "twice")
"""What waits for what and the parts of a pool are known in every preview, memory is locked unless stated, and a server is
reckoned by its name unless a plan has done better."""
UNKNOWABLE = [pair for pair in BREAKS if " " in pair[1].path and not any(word in pair[1].path for word in KNOWN)]


def unknown_yet(case: Case, change: Break) -> Docs:
    place = tuple(change.path.split())
    return case.broken(change, UNKNOWN) if place[0] != "facts" else put(case.broken(change), place, GONE)


@pytest.mark.parametrize(("case", "change"), UNKNOWABLE, ids=name)
def test_a_mistake_that_is_not_known_yet_is_no_mistake(case: Case, change: Break) -> None:
    assert case.complaints(unknown_yet(case, change)) == []


@pytest.mark.parametrize("case", CASES, ids=name)
def test_no_unknown_value_fires(case: Case) -> None:
    fired = {" ".join(path): found[0].message for path, docs in uncertain(case) if (found := case.complaints(docs))}
    assert fired == {}
