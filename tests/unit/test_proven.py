"""What a plan says of the releases that it brings: advisories that are open in them, and what nobody has read."""

from typing import Any

import pytest

from bedplate.catalog.advisories import ADVISORIES, SEVERITIES, open_in
from bedplate.plan.proven import advisories, images, unread
from bedplate.plan.summary import releases
from tests.stack_files import STACKS, graph, graph_of
from tests.unit.checks.case import edited

KEDA = "GHSA-637c-6jxx-4rwm"
"""Open in the pin: the chart of 2.21.0 has not been read (docs/security.md)."""
PAIR = "kubernetes-sigs/kueue#14836"
"""Open in the pins: the chart of Kueue 0.19.3 could not be had (docs/releases.md)."""
ROCE, S = "onprem-h100-roce", "serving.servers.0."
CRITICAL, ENGINE_OF_OLD = "GHSA-4r2x-xpjr-7cvv", "vllm/vllm-openai:v0.12.0"
VOLCANO = {"scheduling": {"kind": "volcano"}}


def said(changes: dict[str, Any]) -> list[str]:
    """Advisories by id."""
    planned = graph_of(edited(ROCE, changes))
    return [one["id"] for one in advisories(planned, releases(planned))]


def silent(changes: dict[str, Any]) -> list[str]:
    planned = graph_of(edited(ROCE, changes))
    return unread(planned, releases(planned))


@pytest.mark.parametrize("advisory", ADVISORIES, ids=lambda each: each.id)
def test_a_row_is_whole(advisory: Any) -> None:
    assert advisory.since < advisory.fixed
    assert advisory.severity in SEVERITIES
    assert advisory.source.partition("/")[0] in ("github.com", "nvd.nist.gov", "docs.nvidia.com")
    assert advisory.concerns(str(advisory.since))
    assert not advisory.concerns(str(advisory.fixed))


def test_what_is_no_version_is_not_judged() -> None:
    assert list(open_in({"vllm-openai": "latest"})) == []
    assert next(advisory.id for advisory, _ in open_in({"vllm-openai": "v0.14.0"})) == CRITICAL


@pytest.mark.parametrize("stack", STACKS)
def test_no_critical_one_is_open_in_what_our_stacks_serve_with(stack: str) -> None:
    planned = graph(stack)
    found = advisories(planned, releases(planned))
    assert [one for one in found if one["product"] == "vllm-openai"] == []


def test_an_old_engine_has_three_and_the_gravest_comes_first() -> None:
    assert said({f"{S}image": ENGINE_OF_OLD}) == [KEDA, CRITICAL, PAIR, "CVE-2026-41523", "GHSA-hgg8-fqqc-vfmw"]
    assert said({f"{S}image": f"registry.example.com/{ENGINE_OF_OLD}@sha256:{'0' * 64}"})[1] == CRITICAL


def test_a_chart_has_what_its_release_has() -> None:
    assert said({}) == [KEDA, PAIR]
    assert said(VOLCANO) == [KEDA, "GHSA-j38h-7pfq-cxmw"]
    assert said({"scheduling": {"kind": "volcano", "version": "1.15.2"}}) == [KEDA]


def test_a_harmful_pair_is_one_only_where_both_are_there() -> None:
    assert PAIR in said({"scheduling.version": "0.19.2"})
    assert PAIR not in said({"scheduling.version": "0.19.3"})
    assert [one.id for one, _ in open_in({"kueue": "0.19.2", "kubeflow-trainer": "2.2.1"})] == []
    assert [one.id for one, _ in open_in({"kueue": "0.19.2", "kubeflow-trainer": "latest"})] == []


def test_the_text_names_release_reason_fix_and_source() -> None:
    planned = graph_of(edited(ROCE, VOLCANO))
    _, one = advisories(planned, releases(planned))
    assert "volcano 1.15.1" in one["text"]
    assert "fixed in 1.15.2" in one["text"]
    assert one["source"] in one["text"]


def test_a_patch_release_that_nobody_read_is_named() -> None:
    assert silent({}) == []
    assert silent({"scheduling.version": "0.19.7"}) == ["kueue 0.19.7, judged by the keys of 0.19.2"]


def test_an_engine_that_nobody_read_is_named() -> None:
    assert silent({f"{S}image": "vllm/vllm-openai:v0.99.0"}) == ["what vllm/vllm-openai:v0.99.0 takes"]


def test_a_driver_that_is_the_nodes_own_is_named() -> None:
    (line,) = silent({"driverOwner": "image", "gpuOperator": {}})
    assert line == "the nodes' driver: vllm/vllm-openai:v0.32.0 needs 580 or later"


def test_images_of_pods_and_of_charts_are_seen() -> None:
    stack = {f"{S}kind": "vllm-stack", f"{S}image": "example.com/vllm-openai:v9"}
    assert "example.com/vllm-openai:v9" in images(graph_of(edited(ROCE, stack)))
