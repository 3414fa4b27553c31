"""What the docs say of the rules is what the rules are."""

import json

import pytest

from bedplate.policies.admission import BUNDLE, GUARDS, manifests, name
from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, MANDATORY, REGISTRY, Complaints, words
from bedplate.policies.rule import rule as register
from bedplate.policies.rules import RULES
from tests.tools.pages.policies import DOCS, pages


def test_the_page_is_current() -> None:
    assert {name: (DOCS / name).read_text() for name in pages()} == pages(), "run `make schema`"
    assert {path.relative_to(DOCS).as_posix() for path in DOCS.glob("policies/*")} == set(pages()) - {"policies.md"}


def test_what_the_component_installs_is_current() -> None:
    assert json.loads(BUNDLE.read_text()) == list(manifests()), "run `make schema`"


def test_every_rule_is_in_the_core_or_the_second_wave_of_its_subject() -> None:
    assert len(RULES) == 192
    assert all(rule.description and rule.source for rule in RULES)


def test_a_mandatory_rule_states_what_proves_it_and_no_other_does() -> None:
    for rule in RULES:
        assert bool(rule.proof) is (MANDATORY in (rule.severity, rule.also)), rule.id
        assert rule.proof in pages()[f"policies/{rule.subject}.md"]


@pytest.mark.parametrize("subject", sorted({rule.subject for rule in RULES}))
def test_each_rule_has_its_words_and_no_words_are_without_a_rule(subject: str) -> None:
    tables = words(subject)
    assert sorted(tables) == sorted(rule.id for rule in RULES if rule.subject == subject)
    for ident, table in tables.items():
        assert table.keys() - {"proof"} == {"title", "why", "fix", "source"}, ident


def nothing(_: Pod, __: Facts) -> Complaints:
    yield from ()


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two rules are called GPU-101"):
        register("GPU-101", ADVISORY, on=Pod)(nothing)


def test_the_page_says_what_a_severity_means() -> None:
    assert "proven from what is in front of the rule" in pages()["policies.md"]


def test_texts_are_parts_of_sentences() -> None:
    for rule in RULES:
        assert not rule.why.endswith("."), rule.id
        assert not rule.fix.endswith("."), rule.id


def test_every_guard_is_of_a_rule_and_has_a_name_of_its_own() -> None:
    names = [name(guard) for guard in GUARDS]
    assert len(set(names)) == len(names)
    assert {guard.rule for guard in GUARDS} <= set(REGISTRY)
