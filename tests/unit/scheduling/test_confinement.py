"""What confines a team follows from its cluster; `tests/cluster/test_red_team.py` tries it on a real API server."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.components.tenancy.amount_guards import taint_watches
from bedplate.components.tenancy.confinement import manifests
from bedplate.components.tenancy.queue_guards import watches
from bedplate.components.tenancy.teams import TenancySection
from bedplate.components.workload.clouds import gke_extras
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import STACKS, document, graph, graph_of, known
from tests.training_jobs import cluster as facts_with
from tests.training_jobs import job, rendered


def said(cluster: Facts, **section: Any) -> list[dict[str, Any]]:
    return list(manifests(TenancySection(**section), cluster))


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_with_teams_confines_them_without_being_asked(stack: str) -> None:
    nodes = [node for node in graph(stack).resources if node.type == "bedplate:tenancy:Confinement"]
    assert len(nodes) == 1
    bound = [one for one in said(known(stack)) if one["kind"].endswith("Binding")]
    for one in bound:
        assert one["spec"]["validationActions"] == ["Deny"]
        (selector,) = one["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"]
        assert selector["values"] == [team.name for team in known(stack).teams]


def test_a_site_may_be_warned_first() -> None:
    actions = [one["spec"].get("validationActions") for one in said(known("lab"), confinement="warn")]
    assert [action for action in actions if action] == [["Warn"]] * 19


def test_what_cannot_be_evaluated_is_refused() -> None:
    policies = [one["spec"] for one in said(known("lab")) if not one["kind"].endswith("Binding")]
    assert {one["failurePolicy"] for one in policies} == {"Fail"}


def test_only_the_caches_own_folder_is_the_teams() -> None:
    assert '[\\"/raid/cache\\"]' in json.dumps(said(known("onprem-h100-roce")))
    assert "v.hostPath.path in []" in json.dumps(said(known("lab")))


def test_the_folders_of_googles_daemon_are_for_that_daemon() -> None:
    text = json.dumps(said(known("gke-a3-mega")))
    (daemon,) = gke_extras("tcpxo", 8).sidecars
    assert daemon["image"] in text
    assert '[\\"/sys\\", \\"/proc/sys\\"]' in text


def test_where_a_plug_in_hands_out_devices_by_annotation_it_is_watched() -> None:
    assert "bedplate-team-device" in {one["metadata"]["name"] for one in said(known("gke-a3-mega"))}
    assert "bedplate-team-device" not in {one["metadata"]["name"] for one in said(known("eks-p5"))}


@pytest.mark.parametrize(
    ("scheduler", "titles"),
    [
        (
            {"kind": "kueue"},
            ["queue", "owner", "gate", "suspend", "mark", "prebuilt", "amount", "resized", "taint", "same"],
        ),
        ({"kind": "volcano"}, ["queue", "group", "member", "lent", "lent-group", "scheduler", "resized"]),
        ({"kind": "kai"}, ["queue", "group", "member", "scheduler", "resized"]),
        (None, []),
    ],
)
def test_the_queue_is_guarded_as_its_scheduler_needs(scheduler: dict[str, str] | None, titles: list[str]) -> None:
    changed = document("lab") | {"scheduling": scheduler}
    found = list(watches(facts(load({key: value for key, value in changed.items() if value is not None}))))
    assert [one.title for one in found] == titles


def told_of_taints(*more: dict[str, Any]) -> str:
    """What a job with GPUs must tolerate in the lab, and where pools like its own are beside them."""
    lab = known("lab")
    pools = (*lab.pools, *(replace(lab.gpu_pools[0], **pool) for pool in more))
    found = list(taint_watches(replace(lab, pools=pools)))
    return found[0].limits[0].expression if found else ""


def test_a_job_tolerates_the_taints_of_one_of_its_pools() -> None:
    asked = told_of_taints({"taints": ({"key": "team", "value": "one", "effect": "NoExecute"},)})
    assert 'o.key == "nvidia.com/gpu"' in asked
    assert 'o.key == "team" && (!has(o.effect) || o.effect in [\'\', "NoExecute"])' in asked
    assert ")) || (t.spec.tolerations" in asked


def test_a_job_that_finds_a_pool_without_taints_tolerates_none() -> None:
    assert told_of_taints()
    assert told_of_taints({"taints": ()}) == ""


def test_volcano_puts_a_pod_group_without_a_queue_into_the_namespaces_own() -> None:
    declared = graph_of(document("lab") | {"scheduling": {"kind": "volcano"}})
    made = [n.inputs for n in declared.resources if n.type.endswith(":Namespace") and n.name == "research"]
    assert made[0]["metadata"]["annotations"] == {"scheduling.volcano.sh/queue-name": "research"}


def test_how_long_a_pod_may_take_to_end_is_the_profiles() -> None:
    assert "terminationGracePeriodSeconds <= 600" in json.dumps(said(known("lab")))
    assert "terminationGracePeriodSeconds <= 1800" in json.dumps(said(known("lab"), longestGrace=1800))


def test_a_job_that_may_take_longer_to_end_is_refused_before_it_is_sent() -> None:
    assert rendered(job("JobSet", grace=600), facts_with("lab"))
    with pytest.raises(ProfileError, match=r"grace = 601: the cluster lets a pod take 600 s to end; lower it"):
        rendered(job("JobSet", grace=601), facts_with("lab"))
