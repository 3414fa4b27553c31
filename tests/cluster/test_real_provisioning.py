"""A pool whose machines come for one job, all at once: Kueue itself asks for them, and a test answers for the cloud."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.nodes import Place, capacity, node
from bedplate.lab.stages import definition
from bedplate.lab.watch import watch
from tests.cluster.real import STAYS, Lab, started
from tests.graph.test_profiles import document
from tests.training_jobs import job

GROUP, KIND = "autoscaling.x-k8s.io", "provisioningrequests"
CAME_FOR = "autoscaling.gke.io/provisioning-request"
"""Google's label of a node that came for a request."""
PROVISIONED = {"type": "Provisioned", "status": "True", "reason": "Provisioned", "message": ""}


@pytest.fixture(scope="module")
def lab(cluster: Cluster) -> Iterator[Lab]:
    requests = [definition(GROUP, "ProvisioningRequest")]
    with started(cluster, "queued", document("gke-queued-provisioning"), ("kueue",), requests) as own:
        yield own


def machines(lab: Lab, indices: range, request: str) -> list[dict[str, Any]]:
    """Nodes as the cloud adds them."""
    pool = lab.facts.pool("h200")
    made = [node(lab.facts, Place(pool, index), capacity(lab.facts.fabric, pool)) for index in indices]
    for one in made:
        one["metadata"]["labels"][CAME_FOR] = request
    return made


def test_a_gang_waits_without_a_pod_until_all_its_machines_have_come_and_runs_on_those_alone(lab: Lab) -> None:
    lab.submit(job("Job", name="gang"), STAYS)
    place = f"{KIND}.{GROUP} --namespace research"
    asked = watch(lab.cluster, place, "{{.spec.provisioningClassName}}", lambda seen: len(seen) == 1)
    [(name, named)] = asked.items()
    assert named == "queued-provisioning.gke.io"
    spec = json.loads(lab.cluster.kubectl("get", *place.split(), name, "--output=json"))["spec"]
    assert [one["count"] for one in spec["podSets"]] == [2], "both machines in one request"
    assert spec["parameters"]["maxRunDurationSeconds"] == str(24 * 3600)

    lab.cluster.create(machines(lab, range(2), "anothers"))
    assert lab.pods("gang") == []
    lab.cluster.create(machines(lab, range(2, 4), "ours"))
    given = {"conditions": [PROVISIONED], "provisioningClassDetails": {"ResizeRequestName": "ours"}}
    patch = ("--subresource=status", "--type=merge", "--patch", json.dumps({"status": given}))
    lab.cluster.kubectl("patch", *place.split(), name, *patch)
    lab.phases("gang", "Running", 2)
    assert {pod["spec"]["nodeName"] for pod in lab.pods("gang")} == {"h200-2", "h200-3"}
