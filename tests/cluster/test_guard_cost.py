"""What the guards cost the API server: it refuses what costs more than its budget, so that large jobs must stay below.

Of each template the same is asked, whatever kind it is of: how many a JobSet may have tells of a RayCluster's groups too.
"""

from typing import Any

from bedplate.lab.cluster import Cluster
from tests.cluster.attacks import HOME, QUEUE, SMALL
from tests.cluster.confined import attempt, held_by

TEMPLATES = 24
"""Twice the groups of workers of the largest RayCluster that we know from anybody's example."""


def container(name: str) -> dict[str, Any]:
    """As large as those of people: sixty variables, a dozen mounts."""
    env = [{"name": f"VARIABLE_{index}", "value": "x" * 40} for index in range(60)]
    mounts = [{"name": f"v{index}", "mountPath": f"/mnt/{index}"} for index in range(12)]
    return {
        "name": name,
        "image": "example.com/train:1",
        "env": env,
        "volumeMounts": mounts,
        "resources": {"limits": SMALL},
    }


def template() -> dict[str, Any]:
    tolerations = [{"key": f"example.com/{index}", "operator": "Exists", "effect": "NoSchedule"} for index in range(8)]
    spec = {
        "restartPolicy": "Never",
        "initContainers": [container(f"first-{index}") for index in range(2)],
        "containers": [container(f"main-{index}") for index in range(3)],
        "volumes": [{"name": f"v{index}", "emptyDir": {"sizeLimit": "1Gi"}} for index in range(12)],
        "tolerations": tolerations,
    }
    return {"metadata": {"annotations": {f"example.com/{index}": "x" for index in range(20)}}, "spec": spec}


def job_set(templates: int) -> dict[str, Any]:
    jobs = [
        {"name": f"j{index}", "replicas": 1, "template": {"spec": {"template": template()}}}
        for index in range(templates)
    ]
    metadata = {"name": "large", "namespace": HOME, "labels": QUEUE}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {"replicatedJobs": jobs},
    }


def test_a_job_of_many_large_templates_is_within_the_budget_of_all_guards(confined: Cluster) -> None:
    held_by("kueue", confined)
    taken, said = attempt(confined, job_set(TEMPLATES))
    assert taken, said
