"""CRDs that Helm never upgrades are brought to each release's version before it, from wherever its chart is."""

from typing import Any

import pytest

from bedplate.components import crds
from bedplate.components.crds import CrdsProvider, unserved
from tests.stack_files import graph
from tests.unit.test_archive import packed

CRD = "kind: CustomResourceDefinition\nmetadata: {{name: {name}}}\n"
CHART = packed(**{"jobset/crds/jobsets.yaml": CRD.format(name="jobsets")})


def test_another_version_is_a_change_and_another_place_is_none() -> None:
    old = {"of": "jobset", "version": "0.12.0", "source": "oci://a/jobset", "repo": ""}
    diff = CrdsProvider().diff
    assert not diff("", old, old | {"source": "/mirror/jobset-0.12.0.tgz"}).changes
    assert diff("", old, old | {"version": "0.12.1"}).changes


def served(name: str, status: str = "True") -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": {"conditions": [{"type": "Established", "status": status}]}}


def test_they_are_applied_over_whoever_had_them(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, ...]] = []

    def kubectl(context: str, *arguments: str, stdin: str = "") -> str:
        said.append((context, *arguments, stdin))
        return "customresourcedefinition.apiextensions.k8s.io/jobsets\n"

    monkeypatch.setattr(crds, "kubectl", kubectl)
    monkeypatch.setattr(crds, "fetch", lambda *_: CHART)
    monkeypatch.setattr(crds, "until", lambda _, __, judge, ___: (judge.judge([served("jobsets")]), False))
    monkeypatch.setattr("bedplate.components.dynamic.identity", lambda _: "uid")
    props = {"context": "here", "source": "x", "repo": "", "version": "0.12.0", "of": "jobset"}
    made = CrdsProvider().create(props)
    assert (made.id, made.outs and made.outs["names"]) == ("jobset", ["jobsets"])
    assert {"here", "--server-side", "--force-conflicts", CRD.format(name="jobsets")} < set(said[0])


@pytest.mark.parametrize("one", [served("jobsets", "False"), {"metadata": {"name": "jobsets"}}, served("others")])
def test_a_definition_that_is_not_served_yet_is_waited_for(one: dict[str, Any]) -> None:
    assert unserved(frozenset({"jobsets"}), [one]) == ["jobsets is not established"]


def test_nothing_of_ours_deletes_them() -> None:
    assert "delete" not in vars(CrdsProvider), "the SDK's own does nothing"


def test_a_release_comes_after_its_crds_and_does_not_install_its_own() -> None:
    nodes = {(node.kind, node.name): node for node in graph("lab").resources}
    made, release = nodes["Crds", "jobset-crds"], nodes["Release", "jobset"]
    assert made.urn in release.dependencies
    assert release.inputs["skipCrds"] is True
    assert release.inputs["namespace"] == "jobset-system"
    assert "skipCrds" not in nodes["Release", "gpu-operator"].inputs
