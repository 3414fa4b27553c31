"""What a site runs itself is installed no second time, and what stands on it is made all the same."""

from typing import Any

import pytest

from bedplate.components.nodes.pool_labels import POOL_LABEL
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.graph.test_profiles import document
from tests.stack_files import graph_of, kubernetes, manifest

PROFILE = "rke2-own-multus"


def made(graph: Graph, kind: str) -> list[dict[str, Any]]:
    return [one for one in map(manifest, filter(kubernetes, graph.resources)) if one["kind"] == kind]


def test_the_network_operator_brings_no_second_multus() -> None:
    one = document(PROFILE)
    [policy] = made(graph_of(one), "NicClusterPolicy")
    assert set(policy["spec"]["secondaryNetwork"]) == {"cniPlugins"}
    one["existing"].pop("multus")
    [policy] = made(graph_of(one), "NicClusterPolicy")
    assert set(policy["spec"]["secondaryNetwork"]) == {"multus", "cniPlugins"}


def test_the_sites_discovery_gets_our_rules_and_no_release_of_ours() -> None:
    graph = graph_of(document(PROFILE))
    [rule] = made(graph, "NodeFeatureRule")
    assert rule["spec"]["rules"][0]["labels"] == {POOL_LABEL: "h200"}
    assert not any(node.inputs.get("chart") == "node-feature-discovery" for node in graph.resources)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("multus", "network-attachment-definitions.k8s.cni.cncf.io"),
        ("nfd", "nodefeaturerules.nfd.k8s-sigs.io"),
        ("whereabouts", "ippools.whereabouts.cni.cncf.io"),
    ],
)
def test_a_part_that_is_said_to_run_is_looked_up_by_its_kind(part: str, kind: str) -> None:
    one = document(PROFILE)
    one["existing"] = {"nfd": {}, part: {}}
    looked = {each.key: each.name for each in facts(load(one)).existing}
    assert looked[f"existing.{part}"] == kind


@pytest.mark.parametrize("version", ["newest", "", "4", "v4.2.3-thick"])
def test_a_release_has_numbers(version: str) -> None:
    one = document(PROFILE)
    one["existing"]["multus"] = {"version": version}
    if version == "v4.2.3-thick":
        assert load(one).site_runs == {"multus", "nfd", "driver"}
    else:
        with pytest.raises(ProfileError, match=r"existing\.multus\.version"):
            load(one)
