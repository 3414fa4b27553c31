"""What the docs say of the rules is what the rules are."""

import json

from policies.admission import BUNDLE, GUARDS, manifests, name
from policies.docs import PAGE, page
from policies.rule import REGISTRY
from policies.rules import RULES


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "run `make schema`"


def test_what_the_component_installs_is_current() -> None:
    assert json.loads(BUNDLE.read_text()) == list(manifests()), "run `make schema`"


def test_every_rule_is_in_the_core_or_the_second_wave_of_its_subject() -> None:
    assert len(RULES) == 136
    assert all(rule.description and rule.source for rule in RULES)


def test_texts_are_parts_of_sentences() -> None:
    for rule in RULES:
        assert not rule.why.endswith("."), rule.id
        assert not rule.fix.endswith("."), rule.id


def test_every_guard_is_of_a_rule_and_has_a_name_of_its_own() -> None:
    names = [name(guard) for guard in GUARDS]
    assert len(set(names)) == len(names)
    assert {guard.rule for guard in GUARDS} <= set(REGISTRY)
