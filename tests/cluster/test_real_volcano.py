"""Volcano itself as the queue and the scheduler: example jobs to their end, gangs whole, bad objects refused."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.stages import READY
from bedplate.lab.watch import watch
from bedplate.stacks.profile.problem import ProfileError
from tests.cluster.objects import claim, pod_spec
from tests.cluster.real import STAYS, Lab
from tests.cluster.test_real_jobs import EXAMPLES, RAN_ON, RUNS, without_controller
from tests.training_jobs import job, main, rendered

QUEUE = "scheduling.volcano.sh/v1beta1"


@pytest.fixture(autouse=True)
def cleared(volcano: Lab) -> Iterator[None]:
    yield
    volcano.clear()


def workers(name: str) -> str:
    return f"pods --namespace research --selector bedplate/job={name},bedplate/role=worker"


@pytest.mark.parametrize("path", sorted(without_controller("volcano")), ids=lambda path: path.stem)
def test_an_example_that_nobody_would_run_is_refused(path: Path, volcano: Lab) -> None:
    with pytest.raises(ProfileError):
        volcano.submit(yaml.safe_load(path.read_text()) | {"team": "research"}, RUNS)


@pytest.mark.parametrize("path", sorted({*EXAMPLES} - without_controller("volcano")), ids=lambda path: path.stem)
def test_an_example_runs_to_its_end_and_gives_its_part_of_the_queue_back(path: Path, volcano: Lab) -> None:
    written = yaml.safe_load(path.read_text()) | {"team": "research"}
    if written.get("checkpoint", {}).get("existing"):
        volcano.cluster.apply([claim(written["checkpoint"]["claim"], "research", storageClassName="shared")])
    made = volcano.submit(written, RUNS)
    nodes = written["nodes"]
    placed = watch(
        volcano.cluster, workers(written["name"]), RAN_ON, lambda seen: len(seen) == nodes and all(seen.values())
    )
    assert len(set(placed.values())) == nodes, "a whole node each"
    assert {pod["spec"]["schedulerName"] for pod in volcano.pods(written["name"])} <= {"volcano"}
    finished(volcano, made[-1])
    volcano.queued(0)


def finished(volcano: Lab, one: dict[str, Any]) -> None:
    """Wait until its controller says so, in its own words."""
    api, kind, name = one["apiVersion"], one["kind"], one["metadata"]["name"]
    said = {(ready.api, ready.kind): ready.wait for ready in READY} | {("batch/v1", "Job"): "condition=Complete"}
    object_ = f"{kind}.{api.rpartition('/')[2]}.{api.partition('/')[0]}/{name}".lower()
    volcano.cluster.kubectl("wait", object_, f"--for={said[api, kind]}", "--namespace=research", "--timeout=120s")


def test_a_gang_that_does_not_fit_waits_as_a_whole_and_starts_when_there_is_room(volcano: Lab) -> None:
    volcano.submit(job("VolcanoJob", name="first", team="platform"), STAYS)
    volcano.phases("first", "Running", 2, team="platform")
    volcano.submit(job("VolcanoJob", name="gang", nodes=4), STAYS)
    waits = '{{range .status.conditions}}{{if eq .type "Unschedulable"}}{{.status}}{{end}}{{end}}{{.status.phase}}'
    blocked = lambda seen: any("gang" in name and "Running" not in told for name, told in seen.items())  # noqa: E731
    watch(volcano.cluster, "podgroups.scheduling.volcano.sh --namespace research", waits, blocked)
    assert not [pod for pod in volcano.pods("gang") if pod["spec"].get("nodeName")]
    volcano.cluster.kubectl("delete", "jobs.batch.volcano.sh", "first", "--namespace", "platform")
    volcano.phases("gang", "Running", 4)


def running(volcano: Lab, name: str) -> int:
    return sum(pod["status"]["phase"] == "Running" for pod in volcano.pods(name))


def test_a_team_takes_back_what_it_lent_a_whole_job_at_a_time(volcano: Lab) -> None:
    for name in ("one", "two"):
        volcano.submit(job("VolcanoJob", name=name), STAYS)
        volcano.phases(name, "Running", 2)
    volcano.submit(job("VolcanoJob", name="ours", team="platform"), STAYS)
    volcano.phases("ours", "Running", 2, team="platform")
    assert sorted(running(volcano, name) for name in ("one", "two")) == [0, 2]


def test_within_a_team_the_more_urgent_job_goes_first(volcano: Lab) -> None:
    volcano.submit(job("VolcanoJob", name="theirs", team="platform"), STAYS)
    volcano.phases("theirs", "Running", 2, team="platform")
    volcano.submit(job("VolcanoJob", name="patient", priority="training"), STAYS)
    volcano.phases("patient", "Running", 2)
    volcano.submit(job("VolcanoJob", name="urgent", priority="inference"), STAYS)
    volcano.phases("urgent", "Running", 2)
    assert running(volcano, "patient") == 0
    volcano.phases("theirs", "Running", 2, team="platform")


def test_the_networks_domains_are_found_by_the_labels_of_the_nodes(volcano: Lab) -> None:
    nodes = lambda seen: sorted(seen.values()) == ["1 1", "1 4", "2 1", "2 1"]  # noqa: E731
    watch(volcano.cluster, "hypernodes", "{{.spec.tier}} {{.status.nodeCount}}", nodes)


def volcano_job(lab: Lab, **changed: Any) -> dict[str, Any]:
    made = copy.deepcopy(main(rendered(job("VolcanoJob"), lab.facts)))
    return made | {"spec": made["spec"] | changed}


def head(api: str, kind: str, home: str = "") -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "planted", **({"namespace": home} if home else {})}}


def cron_job(lab: Lab) -> dict[str, Any]:
    spec = {"schedule": "when it suits", "jobTemplate": {"spec": volcano_job(lab)["spec"]}}
    return {**head("batch.volcano.sh/v1alpha1", "CronJob", "research"), "spec": spec}


def too_sure(_: Lab) -> dict[str, Any]:
    spec = {"capability": {"nvidia.com/gpu": "8"}, "guarantee": {"resource": {"nvidia.com/gpu": "16"}}}
    return {**head(QUEUE, "Queue"), "spec": spec}


def nowhere(_: Lab) -> dict[str, Any]:
    return {**head(QUEUE, "PodGroup", "default"), "spec": {"queue": "nowhere", "minMember": 1}}


def unread(_: Lab) -> dict[str, Any]:
    member = {"type": "Node", "selector": {"regexMatch": {"pattern": "node-(?<"}}}
    return {**head("topology.volcano.sh/v1alpha1", "HyperNode"), "spec": {"tier": 1, "members": [member]}}


PLANTED: dict[str, tuple[Callable[[Lab], dict[str, Any]], str]] = {
    "validatejob.volcano.sh": (
        lambda lab: volcano_job(lab, minAvailable=3),
        "should not be greater than total replicas",
    ),
    "validatecronjob.volcano.sh": (cron_job, "schedule is not a valid cron expression"),
    "validatequeue.volcano.sh": (too_sure, "guarantee"),
    "validatepodgroup.volcano.sh": (nowhere, "unable to find queue"),
    "validatehypernodes.volcano.sh": (unread, "pattern is invalid"),
}


def test_a_bad_object_is_planted_for_every_webhook_of_volcanos_and_all_are_closed(volcano: Lab) -> None:
    found = json.loads(volcano.cluster.kubectl("get", "validatingwebhookconfigurations", "--output=json"))["items"]
    theirs = [hook for one in found for hook in one["webhooks"] if hook["name"].endswith(".volcano.sh")]
    assert {hook["name"]: hook["failurePolicy"] for hook in theirs} == dict.fromkeys(PLANTED, "Fail")


@pytest.mark.parametrize("name", PLANTED)
def test_its_webhook_refuses_what_its_schema_takes(name: str, volcano: Lab) -> None:
    made, told = PLANTED[name]
    with pytest.raises(LabError, match=rf'webhook "{re.escape(name)}" denied the request.*{told}'):
        volcano.cluster.apply([made(volcano)], "--dry-run=server")


def test_a_pod_of_a_group_that_is_not_there_is_never_placed(volcano: Lab) -> None:
    lost = {**head("v1", "Pod", "research"), "spec": pod_spec(schedulerName="volcano")}
    lost["metadata"] |= {"annotations": {"scheduling.k8s.io/group-name": "nobody"}, "labels": {"bedplate/job": "lost"}}
    volcano.cluster.apply([lost])
    volcano.submit(job("VolcanoJob", name="sound"), RUNS)
    volcano.phases("sound", "Succeeded", 2)
    assert not [pod for pod in volcano.pods("lost") if pod["spec"].get("nodeName")]
