"""A job for machines that nobody keeps: Kueue asks for all of them, and its pods run on those that came for it."""

from functools import cache
from typing import Any

import pytest
import yaml

from bedplate.components.facts import Facts
from bedplate.components.scheduling.kueue_queues import queue_manifests
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.crds import faults
from tests.tools.golden_objects import PROFILES
from tests.training_jobs import all_templates, is_worker, job, rendered

TAINT = "cloud.google.com/gke-queued"


@cache
def here() -> Facts:
    return facts(load(yaml.safe_load((PROFILES / "gke-queued-provisioning.yaml").read_text())))


def made(kind: str) -> list[dict[str, Any]]:
    return [one for one in queue_manifests(here()) if one["kind"] == kind]


def test_each_team_asks_for_machines_of_the_queued_pool_and_of_no_other() -> None:
    strategies = [queue["spec"]["admissionChecksStrategy"] for queue in made("ClusterQueue")]
    assert strategies == [{"admissionChecks": [{"name": "h200", "onFlavors": ["h200"]}]}] * 2


def test_the_request_names_gkes_class_its_end_and_the_nodes_that_came_for_it() -> None:
    (config,), (check,) = made("ProvisioningRequestConfig"), made("AdmissionCheck")
    assert config["spec"]["provisioningClassName"] == "queued-provisioning.gke.io"
    assert config["spec"]["managedResources"] == ["nvidia.com/gpu"]
    assert config["spec"]["parameters"] == {"maxRunDurationSeconds": "86400"}
    (selector,) = config["spec"]["podSetUpdates"]["nodeSelector"]
    assert selector["key"] == "autoscaling.gke.io/provisioning-request"
    assert check["spec"]["parameters"]["name"] == config["metadata"]["name"]


@pytest.mark.parametrize("kind", ["ProvisioningRequestConfig", "AdmissionCheck", "ClusterQueue", "ResourceFlavor"])
def test_they_are_valid_against_the_kinds_of_the_pinned_kueue(kind: str) -> None:
    for one in made(kind):
        manifest = {"apiVersion": one["api_version"], "kind": one["kind"], "spec": one["spec"]}
        assert faults(manifest) == []


def test_a_job_there_tolerates_the_taint_that_gke_gives_such_nodes() -> None:
    pods = [pod for pod in all_templates(rendered(job(), here())) if is_worker(pod)]
    assert pods
    for pod in pods:
        assert {"key": TAINT, "operator": "Exists", "effect": "NoSchedule"} in pod["spec"]["tolerations"]
    (flavor,) = (one["spec"] for one in made("ResourceFlavor") if one["metadata"]["name"] == "h200")
    assert TAINT in [taint["key"] for taint in flavor["nodeTaints"]]
    assert TAINT in [taint["key"] for taint in here().tolerations]
