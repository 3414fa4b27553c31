"""Charts and manifests of the site's own (`extensions`): in their place in the order, and refused where they cannot be."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.extension import SitePart
from bedplate.evidence.images import images
from bedplate.live.desired import desired
from bedplate.plan.capture import capture
from bedplate.plan.graph import Graph
from bedplate.plan.summary import summary
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.platform.deploy import PLATFORM
from bedplate.stacks.platform.site import woven
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.stack_file import StackFileError
from tests.closure import closure
from tests.rooms import ROOT
from tests.stack_files import graph_of

PAGE = (ROOT / "docs" / "own-parts.md").read_text()
PROFILE = ROOT / "tests" / "profiles" / "l40s-lab.yaml"
CHART: dict[str, Any] = {
    "name": "agent",
    "kind": "chart",
    "chart": "agent",
    "repository": "https://charts.example.com",
    "version": "1.2.3",
    "namespace": "agents",
}
AGENT = """
apiVersion: example.com/v1
kind: Agent
metadata: {name: site}
spec: {since: 2026-01-01}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: agents.example.com}
spec: {group: example.com}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: site, namespace: default}
"""


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def profile(*parts: dict[str, Any], **others: Any) -> dict[str, Any]:
    return yaml.safe_load(PROFILE.read_text()) | {"extensions": list(parts)} | others


def component(graph: Graph, name: str) -> str:
    (urn,) = [node.urn for node in graph.resources if node.name == name and node.type.startswith("bedplate:")]
    return urn


def waits(graph: Graph, later: str, earlier: str) -> bool:
    """Whether all of a step's children come after all of another's."""
    before = {node.urn for node in graph.children(component(graph, earlier))}
    return all(before <= closure(graph, node.urn) for node in graph.children(component(graph, later)))


@pytest.fixture
def shown(tmp_path: Path) -> Graph:
    """What the page's profile and program declare, the parts in a file of its folder."""
    (tmp_path / "clusters").mkdir()
    (tmp_path / "clusters" / "prod.yaml").write_text(f"{PROFILE.read_text()}\n{block('yaml')}")
    (tmp_path / "clusters" / "agent.yaml").write_text(AGENT)
    (tmp_path / "Pulumi.yaml").write_text(
        "name: clusters\nruntime: python\nstackConfigDir: clusters\nconfig: {bedplate:profile: {type: object}}\n"
    )
    (tmp_path / "__main__.py").write_text(block("python"))
    (tmp_path / "clusters" / "agent.yaml").rename(tmp_path / "agent.yaml")
    text = (tmp_path / "clusters" / "prod.yaml").read_text()
    (tmp_path / "clusters" / "prod.yaml").write_text(text.replace("file: agent.yaml", "file: ../agent.yaml"))
    return capture("prod", tmp_path)


def test_the_pages_parts_are_in_their_place(shown: Graph) -> None:
    assert waits(shown, "gpu-operator", "cert-manager")
    assert waits(shown, "site-agent", "pools")
    (release,) = [node for node in shown.children(component(shown, "cert-manager")) if node.kind == "Release"]
    assert (release.inputs["chart"], release.inputs["version"]) == ("cert-manager", "v1.16.2")
    assert release.inputs["values"] == {"crds": {"enabled": True}}
    assert closure(shown, release.urn) >= {
        node.urn for node in shown.children(component(shown, "cert-manager")) if node.kind == "Namespace"
    }
    (site,) = [node for node in shown.resources if node.name == "site" and node.kind == "ConfigMap"]
    assert component(shown, "pools") in closure(shown, site.urn)


def test_objects_wait_for_their_kinds_and_the_gate_for_the_objects(shown: Graph) -> None:
    kind, account, agent, gate = sorted(
        shown.children(component(shown, "site-agent")),
        key=lambda node: (node.kind != "CustomResourceDefinition", node.kind != "ServiceAccount", node.kind != "Agent"),
    )
    assert kind.urn in closure(shown, agent.urn)
    assert {kind.urn, account.urn, agent.urn} <= closure(shown, gate.urn)
    assert gate.inputs["metadata"]["annotations"]["pulumi.com/waitFor"] == "condition=Ready"
    assert account.type == "kubernetes:core/v1:ServiceAccount"


def test_images_doctor_and_policies_see_them(shown: Graph) -> None:
    assert any("chart cert-manager-v1.16.2" in line for line in images(shown, ()).unknown)
    state = desired(shown, facts(load(shown.profile or {})))
    assert "cert-manager" in {release.name for release in state.releases}
    assert "cert-manager" in state.homes
    brief = summary(shown)
    assert brief["verdicts"] is not None


def test_a_part_is_judged_by_the_policies() -> None:
    pod = {"containers": [{"name": "a", "image": "a:1", "resources": {"limits": {"nvidia.com/gpu": "all"}}}]}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "bad", "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"a": "a"}},
            "template": {"metadata": {"labels": {"a": "a"}}, "spec": pod},
        },
    }
    clean = {one["rule"] for one in summary(graph_of(profile()))["verdicts"]}
    found = summary(graph_of(profile({"name": "bad", "kind": "manifests", "manifests": [deployment]})))["verdicts"]
    assert {one["rule"] for one in found} - clean


def test_a_chart_comes_from_the_mirror_like_ours() -> None:
    graph = graph_of(profile(CHART, charts={"mirror": "oci://mirror.example.com/charts"}))
    (release,) = [node for node in graph.resources if node.name == "agent" and node.kind == "Release"]
    assert release.inputs["chart"] == "oci://mirror.example.com/charts/agent"


def test_without_parts_the_order_is_ours_and_with_one_only_that_one_is_new() -> None:
    ours = [step.name for step in PLATFORM]
    assert [*woven(PLATFORM, load(profile()))] == ours
    with_part = woven(PLATFORM, load(profile(CHART | {"after": ["gpus"], "before": ["pools"]})))
    assert [name for name in with_part if name != "agent"] == ours
    order = [*with_part]
    assert order.index("gpus") < order.index("agent") < order.index("pools")
    assert with_part["agent"].build is SitePart


def test_a_part_before_a_step_that_is_absent_is_before_those_that_would_wait_for_it() -> None:
    graph = graph_of(profile(CHART | {"podSecurity": "baseline", "before": ["nic-configuration"]}))
    assert waits(graph, "pools", "agent")


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ([CHART | {"after": ["gpu-operater"]}], r"extensions\[0\].after\[0\] = gpu-operater: no step and no part of yours; did you mean gpu-operator\?"),
        ([CHART | {"name": "pools"}], r"extensions\[0\].name = pools: a step of Bedplate's has this name"),
        ([CHART | {"after": ["pools"], "before": ["gpus"]}], r"extensions\[0\] = agent: it would wait for itself"),
        ([CHART | {"before": ["agent"]}], r"extensions\[0\] = agent: it would wait for itself: agent before agent"),
        ([CHART | {"after": ["b"]}, CHART | {"name": "b", "after": ["agent"]}], "it would wait for itself"),
        ([CHART | {"chart": "kueue"}], r"chart = kueue: a chart that Bedplate installs itself; ask for it by the section scheduling.kueue"),
        ([CHART | {"version": "1.x"}], r"extensions\[0\].version = 1.x: no exact version"),
        ([CHART | {"repository": "http://a"}], r"extensions\[0\].repository = http://a"),
        ([CHART | {"values": {"token": "hunter2"}}], r"extensions\[0\].values.token = \[secret\]: a secret does not"),
        ([CHART | {"gate": {"apiVersion": "v1", "kind": "Pod", "name": "a", "condition": "condition=Ready"}}], r"extensions\[0\].gate.apiVersion = v1"),
        ([{"name": "a", "kind": "manifests"}], "no objects; name their `file`, or list them"),
        ([{"name": "a", "kind": "manifests", "manifests": [{"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "x"}}]}], "Secret x: a plan would show it"),
        ([{"name": "a", "kind": "manifests", "manifests": [{"kind": "Pod"}]}], "Pod : write apiVersion, kind, metadata.name"),
        ([{"name": "a", "kind": "manifests", "manifests": ["x"]}], r"extensions\[0\].manifests\[0\] = x"),
        ([{"name": "a", "kind": "helm"}], r"extensions\[0\].kind = helm: not a known kind"),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_is_one_line_with_its_key(parts: list[dict[str, Any]], fault: str) -> None:
    with pytest.raises(ProfileError, match=fault) as refused:
        woven(PLATFORM, load(profile(*parts)))
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, r"extensions\[0\].file = agent.yaml: agent.yaml: cannot be read: No such file"),
        ("a: 'x", r"extensions\[0\].file = agent.yaml: agent.yaml: is not YAML: line 1: a quote that is not closed"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {api-key: hunter2}\n", r"manifests\[0\].data.api-key = \[secret\]"),
    ],
)  # fmt: skip
def test_a_file_of_objects_that_cannot_be_is_named(tmp_path: Path, text: str | None, fault: str) -> None:
    place = tmp_path / "prod.yaml"
    place.write_text("")
    if text is not None:
        (tmp_path / "agent.yaml").write_text(text)
    part = {"name": "a", "kind": "manifests", "file": "agent.yaml"}
    with pytest.raises((ProfileError, StackFileError), match=fault):
        load(profile(part), "prod.yaml", place)
