"""Every attack that is kept, on every cluster that the tests know, with its own guards, Role and quota: all in process."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import yaml

from bedplate.components.facts import Facts
from bedplate.components.tenancy.access import rules
from bedplate.components.tenancy.confinement import manifests
from bedplate.components.tenancy.counts import counts
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.api_server import over, permitted, refusals
from tests.attempts import GPU, requests
from tests.cluster.attacks import PAST_THE_QUEUE, ROOT_ON_THE_NODE
from tests.cluster.attacks_by_name import BY_NAME
from tests.cluster.attacks_by_scheduler import NETWORK
from tests.cluster.tries import ROOT, Try, played, qualified, tries
from tests.stack_files import document
from tests.tools.golden_objects import CLUSTERS, PROFILES, SOUND

ALL = [*tries("attacks"), *tries("legitimate")]


@dataclass(frozen=True)
class Guarded:
    """A cluster as its API server sees a team's members."""

    facts: Facts
    policies: tuple[Mapping[str, Any], ...]
    hard: Mapping[str, str]

    @property
    def gpu(self) -> str:
        """The resource by which pods of its first pool have GPUs."""
        return next((pool.resource for pool in self.facts.gpu_pools), GPU)

    def said(self, document: Mapping[str, Any]) -> list[str]:
        """All that is said against it; nothing where it is taken."""
        asked = list(requests(document, self.facts.teams[0].name, self.gpu))
        if "as" not in document and not all(permitted(each, rules(self.facts)) for each in asked):
            return FORBIDDEN
        return [words for each in asked for words in (*refusals(each, self.policies), *over(each, self.hard))]


@cache
def written(name: str) -> Profile:
    return load(yaml.safe_load((PROFILES / f"{name}.yaml").read_text()) if name in SOUND else document(name))


WITH_TEAMS = [name for name in CLUSTERS if written(name).tenancy]


@cache
def guarded(name: str) -> Guarded:
    profile = written(name)
    assert profile.tenancy
    known, team = facts(profile), profile.tenancy.teams[0]
    policies = [one for one in manifests(profile.tenancy, known) if one["kind"] == "ValidatingAdmissionPolicy"]
    return Guarded(known, tuple(policies), counts(team.limits, team.name, known))


@pytest.mark.parametrize("name", WITH_TEAMS)
def test_on_every_cluster_attacks_are_refused_and_what_is_harmless_or_legitimate_taken(name: str) -> None:
    cluster = guarded(name)
    assert [
        f"{one.name}: {said}" for one in played(ALL, cluster.facts) if (said := wrong(one, cluster)) is not None
    ] == []


def wrong(one: Try, cluster: Guarded) -> list[str] | None:
    """What was said, if it is not what the file says."""
    said = cluster.said(one.document)
    if said == FORBIDDEN:  # nobody runs the controller of this kind there
        return None
    right = any(one.refused in words for words in said) if one.refused else not said
    return None if right else said


FORBIDDEN = ["forbidden"]
NOBODYS: Mapping[str, str] = yaml.safe_load((ROOT / "attacks" / "reasons" / "forbidden.yaml").read_text())
READING = {"get", "list", "watch"}


@pytest.mark.parametrize("name", WITH_TEAMS)
def test_no_member_may_change_what_holds_members_anywhere(name: str) -> None:
    cluster = guarded(name)
    may_write = {
        qualified(group, one)
        for rule in rules(cluster.facts)
        if set(rule["verbs"]) - READING
        for group in rule["api_groups"]
        for one in rule["resources"]
    }
    assert "pods" in may_write
    assert may_write & {one for names in NOBODYS for one in names.split(", ")} == set()


def attacks() -> dict[str, tuple[Mapping[str, Any], str]]:
    """Of the lists in Python, those of guards; a Role and a schema are the real API server's to keep."""
    every = {**ROOT_ON_THE_NODE, **PAST_THE_QUEUE, **NETWORK, **BY_NAME}
    return {name: one for name, one in every.items() if one[1] != "forbidden"}


@pytest.mark.parametrize("name", attacks())
def test_what_the_real_api_server_refuses_is_refused_here(name: str) -> None:
    """The same words: what is evaluated in process is what is enforced."""
    made, reason = attacks()[name]
    cluster = guarded("lab")
    assert any(reason in words for words in cluster.said({"create": made})), cluster.said({"create": made})
