"""A job's name leaves room for what its controller makes of it; the limits are literal, each with its source."""

from typing import Any

import pytest

from bedplate.components.workload.kinds import Kind
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.profile.problem import ProfileError
from tests.training_jobs import cluster, job

# A pod's host name has 63 characters (RFC 1123), of which a job of two nodes takes what stands beside.
LONGEST: dict[Kind, int] = {
    "PyTorchJob": 54,  # -worker-1 (kubeflow/training-operator, GenGeneralName)
    "MPIJob": 54,  # -worker-1 (kubeflow/mpi-operator, workerName)
    "JobSet": 48,  # -node-0-1-xxxxx (kubernetes-sigs/jobset, GenPodName and the suffix of Kubernetes)
    "TrainJob": 48,  # the same: its JobSet has its name
    "Job": 55,  # -1-xxxxx (Kubernetes, Indexed Job)
    "VolcanoJob": 56,  # -node-1 (volcano-sh/volcano, PodNameFmt)
    "LeaderWorkerSet": 51,  # LWS documentation, troubleshooting
    "RayJob": 47,  # ray-project/kuberay, MaxRayJobNameLength
}


@pytest.mark.parametrize("kind", LONGEST)
def test_the_longest_name_of_a_kind_is_taken_and_one_character_more_refused(kind: Kind) -> None:
    facts, longest = cluster("onprem-h100-roce", "volcano"), LONGEST[kind]
    assert load_job(job(kind, name="x" * longest), facts)
    with pytest.raises(ProfileError, match=f"use {longest} or fewer"):
        load_job(job(kind, name="x" * (longest + 1)), facts)


@pytest.mark.parametrize(
    ("more", "longest"), [({"nodes": 11}, 53), ({"elastic": {"minNodes": 1, "maxNodes": 11}, "nodes": 1}, 53)]
)
def test_the_last_pod_has_the_longest_name(more: dict[str, Any], longest: int) -> None:
    one = job("PyTorchJob", **more)
    with pytest.raises(ProfileError, match=f"use {longest} or fewer"):
        load_job({**one, "name": "x" * (longest + 1)}, cluster("onprem-h100-roce", "volcano"))
