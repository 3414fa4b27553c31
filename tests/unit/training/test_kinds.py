"""The table of job kinds: whoever names a kind, a controller or an API of it says the same."""

from functools import cache
from typing import Any, get_args

import pytest
import yaml

from bedplate.components.facts.pools import USABLE
from bedplate.components.facts.queues import Scheduler
from bedplate.components.training.render import RENDERERS
from bedplate.components.workload.controllers import CONTROLLERS, running
from bedplate.components.workload.gang import refusal
from bedplate.components.workload.kinds import KINDS, Kind, PodGroup
from bedplate.components.workload.pod import COORDINATOR
from bedplate.folders import PROJECT
from bedplate.lab.stages import READY
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.resources.kueue import framework
from bedplate.policies.resources.workloads import OURS, Workload, workload_of
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.jobs.placement import demand
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.sections import Training
from tests.crds import validators
from tests.training_jobs import SCHEDULERS, all_templates, cluster, env, is_worker, job, main, rendered
from tests.upstream import upstream

ROCE = "onprem-h100-roce"
BUILT_IN = {"Job"}
"""Kubernetes' own, which no CRD defines."""


def made(kind: Kind, **more: Any) -> dict[str, Any]:
    """Its object, by the first scheduler that takes the kind."""
    able = next(one for one in SCHEDULERS if refusal(kind, Scheduler(one), 2) is None)
    return main(rendered(job(kind, **more), cluster(ROCE, able)))


def test_what_a_job_file_may_name_is_what_the_table_has() -> None:
    assert get_args(Kind) == tuple(KINDS)
    assert {row.pod_group for row in KINDS.values()} == set(get_args(PodGroup))


def test_every_section_of_training_is_a_controller_with_kinds() -> None:
    assert {field.alias for field in Training.model_fields.values()} == set(CONTROLLERS)
    assert {key for row in KINDS.values() for key in row.controllers} == set(CONTROLLERS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_rendered_as_the_object_that_the_table_says(kind: Kind) -> None:
    assert set(RENDERERS) == set(KINDS)
    assert {key: made(kind)[key] for key in ("apiVersion", "kind")} == KINDS[kind].type_meta


@cache
def definitions() -> dict[tuple[str, str], str]:
    """Plural of every kind that a CRD of the pinned releases defines, by group and kind."""
    specs = (yaml.load(path.read_text(), yaml.CSafeLoader)["spec"] for path in upstream("crds").glob("*/*.yaml"))
    return {(spec["group"], spec["names"]["kind"]): spec["names"]["plural"] for spec in specs}


@pytest.mark.parametrize("key", CONTROLLERS)
def test_a_controllers_kinds_are_those_of_its_release(key: str) -> None:
    controller = CONTROLLERS[key]
    for kind, plural in zip((*controller.kinds, *controller.beside), controller.plurals, strict=True):
        assert (controller.api, kind) in validators()
        assert definitions()[controller.group, kind] == plural


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in BUILT_IN])
def test_a_kinds_api_is_one_of_its_release(kind: Kind) -> None:
    row = KINDS[kind]
    assert (row.api, row.object) in validators()
    assert definitions()[row.group, row.object] == row.admitted[2]


def test_kueue_has_an_integration_of_every_kind_that_no_other_scheduler_queues() -> None:
    """The chart's own list, with those that it names in comments because they are off by default."""
    values = upstream("values", "kueue-0.19.2.yaml").read_text()
    listed = values.partition("frameworks:")[2].partition("externalFrameworks:")[0]
    names = {line.split('"')[1] for line in listed.splitlines() if '"' in line}
    queued = {kind: row.framework for kind, row in KINDS.items() if row.framework}
    assert set(KINDS) - set(queued) == {"VolcanoJob"}
    assert set(queued.values()) <= names
    assert {name for controller in CONTROLLERS.values() for name in controller.frameworks} <= names


@pytest.mark.parametrize("kind", KINDS)
def test_the_rules_read_every_kind_and_know_which_ends(kind: Kind) -> None:
    resource = from_manifest(made(kind))
    workload = workload_of(resource)
    assert set(OURS) == set(KINDS)
    assert isinstance(workload, Workload)
    assert workload.finite is not KINDS[kind].serves
    assert KINDS[kind].framework in (None, framework(resource))


LONGEST: dict[Kind, int] = {
    "PyTorchJob": 54,
    "TrainJob": 48,
    "MPIJob": 54,
    "JobSet": 48,
    "Job": 55,
    "VolcanoJob": 56,
    "LeaderWorkerSet": 51,
    "RayJob": 47,
}
"""For two nodes, counted by hand: 63 less what the controller appends, or the controller's own limit."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_longest_name_of_a_kind_is_taken_and_one_letter_more_is_not(kind: Kind) -> None:
    longest = LONGEST[kind]
    assert made(kind, name="x" * longest)["metadata"]["name"] == "x" * longest
    with pytest.raises(ProfileError, match=f"use {longest} or fewer"):
        made(kind, name="x" * (longest + 1))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_only_a_plain_job_on_kai_and_volcanos_own_job_elsewhere_cannot_be_a_gang(scheduler: str) -> None:
    refused = {kind for kind in KINDS if refusal(kind, Scheduler(scheduler), 2)}
    assert refused == {"kueue": {"VolcanoJob"}, "volcano": set(), "kai": {"VolcanoJob", "Job"}}[scheduler]


@pytest.mark.parametrize("kind", KINDS)
def test_a_coordinator_is_rendered_and_counted_for_the_kinds_that_have_one(kind: Kind) -> None:
    able = next(one for one in SCHEDULERS if refusal(kind, Scheduler(one), 2) is None)
    facts = cluster(ROCE, able)
    templates = all_templates(rendered(job(kind), facts))
    roles = {template["metadata"]["labels"]["bedplate/role"] for template in templates}
    assert ("coordinator" in roles) is KINDS[kind].coordinator
    for template in templates:  # CUDA's images ask for all GPUs of the node by themselves
        assert env(template).get("NVIDIA_VISIBLE_DEVICES") == (None if is_worker(template) else "void")
    workers = 2 * int(facts.gpu_pools[0].cpus * USABLE)
    extra = int(COORDINATOR["cpu"]) if KINDS[kind].coordinator else 0
    assert demand(load_job(job(kind), facts), facts)["cpu"] == workers + extra


def test_the_lab_plays_the_controller_of_every_kind_that_has_one() -> None:
    played = {(ready.api, ready.kind) for ready in READY}
    assert {(row.api, row.object) for kind, row in KINDS.items() if kind not in BUILT_IN} <= played


def test_every_kind_is_in_the_jobs_page_as_one_that_somebody_runs() -> None:
    page = (PROJECT / "docs" / "jobs.md").read_text()
    assert [kind for kind in KINDS if f"| `{kind}` |" not in page] == []


def test_the_trainer_brings_jobset_once() -> None:
    jobset, trainer = CONTROLLERS["jobset"], CONTROLLERS["trainer"]
    assert running({"trainer"}) == running({"trainer", "jobset"}) == (jobset, trainer)
    assert running({"kuberay"}) == (CONTROLLERS["kuberay"],)
    assert KINDS["JobSet"].controllers == ("jobset", "trainer")
