"""The policies judge what a plan declares: the exit status, the tree and the report say so."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bedplate.folders import PROJECT
from bedplate.plan import summary
from bedplate.plan.__main__ import main
from bedplate.plan.graph import Graph, Node
from bedplate.plan.verdicts import resource, verdicts
from bedplate.plan.wire import MASK, UNKNOWN
from bedplate.policies.facts import Facts
from bedplate.policies.values import UNKNOWN as NOT_KNOWN
from bedplate.stacks.facts.policies import policy_facts
from tests.stack_files import STACKS, document, graph, profile

STACK_FILES = PROJECT / "stacks"


def with_inputs(graph: Graph, type_: str, **inputs: Any) -> Graph:
    """The graph with one resource told otherwise."""
    wrong = next(node for node in graph.resources if node.type == type_)
    other = replace(wrong, inputs={**wrong.inputs, **inputs})
    return replace(graph, nodes=tuple(other if node is wrong else node for node in graph.nodes))


@pytest.mark.parametrize("stack", STACKS)
def test_our_own_stacks_violate_nothing_and_say_why_they_ignore_advice(stack: str) -> None:
    found = verdicts(graph(stack), document(stack))
    comments = [line for line in (STACK_FILES / f"Pulumi.{stack}.yaml").read_text().splitlines() if "#" in line]

    assert [verdict for verdict in found if verdict["severity"] == "mandatory"] == []
    assert [verdict for verdict in found if not any(verdict["rule"] in comment for comment in comments)] == []


@pytest.mark.parametrize("stack", STACKS)
def test_the_facts_are_what_the_pack_takes_as_its_configuration(stack: str) -> None:
    facts = Facts.from_mapping(policy_facts(profile(stack)))

    assert facts.platform == profile(stack).platform
    assert [pool.name for pool in facts.pools] == [pool.name for pool in profile(stack).pools]
    assert json.loads(json.dumps(policy_facts(profile(stack)))) == policy_facts(profile(stack))


def test_a_mandatory_complaint_is_printed_reported_and_ends_with_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    misspelt = with_inputs(graph("lab"), "kubernetes:helm.sh/v3:Release", values={"nosuch": True})
    found = verdicts(misspelt, document("lab"))
    assert found
    assert [verdict["severity"] for verdict in found] == ["mandatory"] * len(found)
    monkeypatch.setattr(summary, "_judged", lambda _: {"sizing": {}, "verdicts": found, "advisories": [], "unread": []})

    assert main(["lab", "--out", str(tmp_path / "plan")]) == 1
    out = capsys.readouterr().out
    assert f"Mandatory {found[0]['rule']}: Release" in out
    assert max(map(len, out.splitlines()[:-1])) <= 80
    assert found[0]["rule"] in (tmp_path / "plan" / "report.html").read_text()


def test_what_the_profile_waives_is_shown_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unpinned = with_inputs(graph("lab"), "kubernetes:helm.sh/v3:Release", version=None)
    rules = {verdict["rule"] for verdict in verdicts(unpinned, document("lab"))}
    waivers = [{"rule": rule, "resource": "Release *", "reason": "a mirror of one version"} for rule in sorted(rules)]
    found = verdicts(unpinned, {**document("lab"), "waivers": waivers})
    assert {verdict["severity"] for verdict in found} == {"waived"}
    monkeypatch.setattr(summary, "_judged", lambda _: {"sizing": {}, "verdicts": found, "advisories": [], "unread": []})

    assert main(["lab", "--out", str(tmp_path / "plan")]) == 0
    assert f"Waived {found[0]['rule']}: Release" in capsys.readouterr().out
    assert "a mirror of one version" in (tmp_path / "plan" / "report.html").read_text()


def test_rules_do_not_see_masks_as_values() -> None:
    inputs = {"data": {"token": MASK, "list": [UNKNOWN, "plain"]}}
    node = Node(1, "urn", "kubernetes:core/v1:ConfigMap", "any", True, "", (), {}, "", inputs, {})

    assert resource(node).props == {"data": {"token": NOT_KNOWN, "list": [NOT_KNOWN, "plain"]}}
