"""Rendered jobs on a real API server, placed by the real scheduler on the lab's nodes, whose resources they take."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from bedplate.components.training.render import manifests
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.kinds import KINDS
from bedplate.lab.cluster import Cluster
from bedplate.lab.nodes import nodes
from bedplate.lab.watch import PHASE, counts, watch
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import profile
from tests.training_jobs import SCHEDULERS, job, main, rendered
from tests.training_jobs import cluster as facts_with

STAYS = {"lab.bedplate/runs-for": "600s"}
"""So that a pod still holds its resources when a test looks."""


@pytest.fixture(scope="module")
def gpus(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of its own with the lab's two nodes of 8 GPUs: what other tests run must not take them."""
    own = Cluster(f"{cluster.name}-jobs", cluster.binaries)
    own.start()
    try:
        priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "training"}}
        own.apply([*nodes(profile("lab")), {**priority, "value": 50}])
        yield own
    finally:
        own.stop()


@pytest.fixture
def team(gpus: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """The team's namespace, gone afterwards with all that was in it."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research"}}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "research"}}
    gpus.apply([namespace, account])
    yield "research"
    gpus.kubectl("delete", "namespace", "research", "--wait=true", "--timeout=120s")


@cache
def objects(kind: Any, name: str = "llama") -> list[dict[str, Any]]:
    return rendered(job(kind, name=name, annotations=STAYS, grace=1), facts_with("lab"))


def jobs_of(job_set: dict[str, Any]) -> list[dict[str, Any]]:
    """The Jobs that the JobSet controller would make of it."""
    name, namespace = job_set["metadata"]["name"], job_set["metadata"]["namespace"]
    return [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": f"{name}-{replicated['name']}-0", "namespace": namespace},
            "spec": replicated["template"]["spec"],
        }
        for replicated in job_set["spec"]["replicatedJobs"]
    ]


def pods(gpus: Cluster) -> list[dict[str, Any]]:
    return json.loads(gpus.kubectl("get", "pods", "--namespace", "research", "-o", "json"))["items"]


def taken(gpus: Cluster, resource: str) -> dict[str, int]:
    """How much of a resource the pods on each node hold."""
    held: dict[str, int] = {}
    for pod in pods(gpus):
        for container in pod["spec"]["containers"]:
            node = pod["spec"].get("nodeName", "")
            held[node] = held.get(node, 0) + int(container["resources"]["limits"].get(resource, "0"))
    return held


@pytest.mark.parametrize("kind", ["Job", "JobSet"])
def test_a_job_of_two_nodes_gets_two_whole_nodes(kind: Any, gpus: Cluster, team: str) -> None:
    made = objects(kind)
    gpus.apply([*made[:-1], *(jobs_of(main(made)) if kind == "JobSet" else made[-1:])])
    watch(gpus, f"pods --namespace {team}", PHASE, counts("Running", 2))

    assert taken(gpus, "nvidia.com/gpu") == {"h100-0": 8, "h100-1": 8}
    assert taken(gpus, "rdma/rdma_shared_device_a") == {"h100-0": 1, "h100-1": 1}
    assert {pod["status"]["qosClass"] for pod in pods(gpus)} == {"Guaranteed"}


def test_a_job_waits_for_gpus_that_another_holds(gpus: Cluster, team: str) -> None:
    gpus.apply(objects("Job"))
    watch(gpus, f"pods --namespace {team}", PHASE, counts("Running", 2))
    gpus.apply(objects("Job", "second"))

    reason = '{{range .status.conditions}}{{if eq .type "PodScheduled"}}{{.message}}{{end}}{{end}}'
    selector = f"pods --namespace {team} --selector bedplate/job=second"
    seen = watch(gpus, selector, reason, lambda found: len(found) == 2 and all(found.values()))
    assert all("Insufficient nvidia.com/gpu" in message for message in seen.values())


def test_a_job_beyond_its_teams_quota_is_refused_before_and_by_the_cluster(gpus: Cluster, team: str) -> None:
    written = job("Job", annotations=STAYS, grace=1)
    facts = facts_with("lab", "kueue", borrow=False)
    with pytest.raises(ProfileError, match=r"asks for 16 nvidia.com/gpu, and team research is given 8"):
        rendered(written, facts)

    hard = {"requests.nvidia.com/gpu": str(facts.team(team).total["nvidia.com/gpu"])}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": team}}
    gpus.apply([{**quota, "spec": {"hard": hard}}])
    gpus.kubectl("wait", "--for=jsonpath={.status.hard}", "quota/team", "--namespace", team, "--timeout=30s")
    gpus.apply(manifests(TrainingJob.model_validate(written), facts))
    events = f"events --namespace {team} --field-selector reason=FailedCreate"
    seen = watch(gpus, events, "{{.message}}", lambda found: any("exceeded quota" in text for text in found.values()))
    assert any("requests.nvidia.com/gpu=8" in text for text in seen.values())
    assert len(pods(gpus)) == 1


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_the_api_server_takes_every_kind_as_it_is_written(scheduler: str, cluster: Cluster) -> None:
    home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research"}}
    cluster.apply([home])
    for kind in KINDS:
        try:
            written = job(kind, checkpoint={"claim": "state", "size": "1Ti", "storageClass": "shared"})
            made = rendered(written, facts_with("lab", scheduler))
        except ProfileError:
            continue
        said = cluster.apply(made, "--dry-run=server")
        assert said.count("server dry run") == len(made)
