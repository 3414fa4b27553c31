"""What the profile says is there already: looked up, never made, and brought by the lab."""

import pytest
import yaml

from bedplate.lab.site import site
from bedplate.plan.manifests import manifests
from bedplate.stacks.facts.existing import existing
from bedplate.stacks.load import load
from tests.rooms import ROOT
from tests.stack_files import STACKS, document, graph, graph_of, profile

SITES = {path.stem: path for path in (ROOT / "tests" / "profiles").glob("*.yaml") if "\nexisting:" in path.read_text()}


def named(stack: str) -> set[tuple[str, str, str]]:
    return {(one.kind, one.name, one.key) for one in existing(profile(stack))}


def test_every_class_that_the_profile_names_and_nobody_here_makes_is_looked_up() -> None:
    assert named("onprem-h100-roce") == {
        ("StorageClass", "nfs-csi", "storage.existingClasses"),
        ("StorageClass", "ceph-rbd", "monitoring.storage"),
    }


def test_a_class_of_ours_is_not_looked_up_and_one_of_the_site_is_looked_up_once() -> None:
    one = document("inference-l40s")
    one["monitoring"]["storage"]["storageClass"] = "cephfs"
    one["storage"]["cache"] = {"kind": "storage-class", "name": "local", "provisioner": "topolvm.io", "size": "1Ti"}
    assert [(found.name, found.key) for found in existing(load(one))] == [("cephfs", "storage.existingClasses")]
    del one["storage"]["cache"]["provisioner"]
    assert [found.name for found in existing(load(one))] == ["cephfs", "local"]


def test_a_sites_own_prometheus_is_looked_up_by_its_namespace_and_the_kinds_we_make() -> None:
    assert named("onprem-h100-ib") == {
        ("Namespace", "observability", "monitoring"),
        ("CustomResourceDefinition", "servicemonitors.monitoring.coreos.com", "monitoring"),
        ("CustomResourceDefinition", "podmonitors.monitoring.coreos.com", "monitoring"),
        ("CustomResourceDefinition", "prometheusrules.monitoring.coreos.com", "monitoring"),
    }


@pytest.mark.parametrize("stack", STACKS)
def test_what_is_looked_up_belongs_to_somebody_else(stack: str) -> None:
    read = [node for node in graph(stack).resources if node.read]
    assert {node.id for node in read} == {one.name for one in existing(profile(stack))}
    made = {manifest.document["metadata"]["name"] for manifest in manifests(graph(stack))}
    assert not made & {node.id for node in read}


def test_what_would_miss_it_waits_for_the_look_up() -> None:
    nodes = {node.urn: node for node in graph("onprem-h100-ib").resources}
    (rules,) = [node for node in nodes.values() if node.kind == "AlertRules"]
    assert {"monitoring/observability", "monitoring/prometheusrules.monitoring.coreos.com"} <= {
        nodes[urn].name for urn in rules.dependencies
    }


@pytest.mark.parametrize("of", [*STACKS, *sorted(SITES)])
def test_the_lab_brings_all_of_it(of: str) -> None:
    document = profile(of) if of in STACKS else load(yaml.safe_load(SITES[of].read_text()))
    brought = {(one["kind"], one["metadata"]["name"]) for one in site(document)}
    assert {(one.kind, one.name) for one in existing(document)} <= brought
    assert ("Node", f"{document.pools[0].name}-0") in brought


def test_a_plan_without_anything_of_the_kind_has_no_look_up() -> None:
    assert [node for node in graph_of(document("lab")).resources if node.read or node.kind == "Existing"] == []
