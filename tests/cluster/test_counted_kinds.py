"""A team's objects of an operator's kind are counted by the real API server, as its quota of kinds says."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import watch
from tests.cluster.attacks import HOME
from tests.cluster.confined import attempt

ONE = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}
MOST = '{{index .status.hard "count/jobsets.jobset.x-k8s.io"}}'


@pytest.fixture
def two(confined: Cluster) -> Iterator[None]:
    """Of JobSets, instead of some thousand."""
    spoken = {"spec": {"hard": {"count/jobsets.jobset.x-k8s.io": "2"}}}
    quota = ("resourcequota", "kinds", "--namespace", HOME)
    before = json.loads(confined.kubectl("get", *quota, "--output=json"))["spec"]
    confined.kubectl("patch", *quota, f"--patch={json.dumps(spoken)}")
    watch(confined, f"resourcequota kinds --namespace {HOME}", MOST, lambda seen: seen.get("kinds") == "2")
    yield
    confined.kubectl("delete", "jobsets.jobset.x-k8s.io", "--all", "--namespace", HOME)
    confined.kubectl("patch", *quota, f"--patch={json.dumps({'spec': before})}")


def test_the_third_job_set_of_two_is_refused(confined: Cluster, two: None) -> None:
    told = [attempt(confined, job_set(f"many-{number}"), "create", "-f", "-") for number in range(3)]
    assert [taken for taken, _ in told] == [True, True, False]
    assert "exceeded quota: kinds" in told[2][1]


def job_set(name: str) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x", "resources": SMALL}]}
    job = {"name": "main", "template": {"spec": {"template": {"spec": pod}}}}
    return ONE | {"metadata": {"name": name, "namespace": HOME, "labels": QUEUED}, "spec": {"replicatedJobs": [job]}}


SMALL = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
QUEUED = {"kueue.x-k8s.io/queue-name": "default"}
