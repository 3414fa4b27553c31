"""The rules that judge anybody's jobs find nothing in ours, and find what is broken in them on purpose."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.gang import refusal
from bedplate.components.workload.kinds import KINDS
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.charts import from_manifest
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import document
from tests.training_jobs import FABRICS, SCHEDULERS, all_templates, cluster, container, job, main, rendered

PROFILES = Path(__file__).parents[2] / "profiles"
STATE = {"claim": "state", "size": "1Ti", "storageClass": "shared"}
LEGACY = "TRN-518"
"""PyTorchJob is deprecated, and the profile offers it for those who still need it."""


def verdicts(objects: list[dict[str, Any]], stack: str) -> list[Verdict]:
    known = Facts.from_mapping(policy_facts(load(document(stack))))
    found = judge([from_manifest(one, "job.yaml") for one in objects], known, complete=False)
    return [verdict for verdict in found if verdict.rule != LEGACY]


@pytest.mark.parametrize("stack", FABRICS.values())
@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_rule_complains_about_a_job_of_ours(stack: str, scheduler: str, kind: Any) -> None:
    try:
        objects = rendered(job(kind, checkpoint=STATE), cluster(stack, scheduler))
    except ProfileError:
        assert kind in {"VolcanoJob", "Job", "RayJob"}
        return
    assert [verdict.message for verdict in verdicts(objects, stack)] == []


@pytest.mark.parametrize("names", ["openshift.io/ib_rail_{}", "openshift.io/rdma_rail_{}", "nvidia.com/cx7_qsfp_{}"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sites_own_devices_are_rdma_whatever_it_calls_them(kind: Any, names: str) -> None:
    """An SR-IOV operator's own resources have the names that the site's policies give them."""
    profile = yaml.safe_load((PROFILES / "openshift-h100-ib.yaml").read_text(encoding="utf-8"))
    profile["fabric"]["existingDevices"] = {names.format(rail): 1 for rail in range(8)}
    profile["training"] = {name: {} for name in CONTROLLERS}
    known = facts(load(profile))
    if refusal(kind, known.scheduler, 2):
        return
    objects = [from_manifest(one, "job.yaml") for one in rendered(job(kind, checkpoint=STATE), known)]
    found = judge(objects, Facts.from_mapping(policy_facts(load(profile))), complete=False)
    assert [one.message for one in found if one.rule != LEGACY] == []


def test_a_job_that_asks_for_none_of_them_is_still_seen() -> None:
    profile = yaml.safe_load((PROFILES / "openshift-h100-ib.yaml").read_text(encoding="utf-8"))
    written = rendered(job("JobSet"), facts(load(profile)))
    for resources in container(all_templates(written)[0])["resources"].values():
        for rail in range(8):
            del resources[f"openshift.io/ib_rail_{rail}"]
    found = judge(
        [from_manifest(one, "job.yaml") for one in written],
        Facts.from_mapping(policy_facts(load(profile))),
        complete=False,
    )
    assert "NCCL-313" in {one.rule for one in found}


def without_lock(objects: list[dict[str, Any]]) -> None:
    del container(all_templates(objects)[0])["securityContext"]


def small_shm(objects: list[dict[str, Any]]) -> None:
    all_templates(objects)[0]["spec"]["volumes"] = []


def no_queue(objects: list[dict[str, Any]]) -> None:
    del main(objects)["metadata"]["labels"]


def burstable(objects: list[dict[str, Any]]) -> None:
    container(all_templates(objects)[0])["resources"]["requests"]["memory"] = "1Gi"


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [(without_lock, "NET-217"), (small_shm, "NCCL-310"), (no_queue, "SCH-401"), (burstable, "NCCL-312")],
)
def test_the_rules_do_see_into_our_jobs(spoil: Callable[[list[dict[str, Any]]], None], rule: str) -> None:
    objects = copy.deepcopy(rendered(job("JobSet"), cluster("onprem-h100-roce")))
    spoil(objects)
    assert rule in {verdict.rule for verdict in verdicts(objects, "onprem-h100-roce")}


def test_every_kind_that_needs_a_controller_says_which() -> None:
    assert {kind for kind, row in KINDS.items() if not row.controllers} == {"Job", "VolcanoJob"}
