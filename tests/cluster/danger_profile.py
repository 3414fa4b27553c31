"""What the full cluster of `danger_lab` is made of: its profile and what it declares, and the jobs that run on it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bedplate.plan.graph import Graph
from bedplate.plan.manifests import is_object, object_of
from bedplate.review.changes import Resource
from tests.cluster.real import RUNS
from tests.stack_files import document

NODES = 7
"""Of 8 GPUs, all taken: four by a job of research, which borrows one of serving's, two by its server, one by another."""
JOB: Any = {"name": "large", "team": "research", "nodes": 4}
OUTLASTS = {"lab.bedplate/runs-for": "36000s"}
"""However slow the machine is, the job runs until it is stopped."""
LIMITS = {"storage": "200Ti", "claims": 150}
"""Of each team: the default follows the stack's volumes, and a smaller one would be a smaller quota besides."""
KEPT = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "kept-by-people", "namespace": "visitors"},
}
"""What people have made in a namespace themselves."""


def profile() -> dict[str, Any]:
    """The reference cluster, smaller; one server may roll with spare GPUs of its team's, the other may not."""
    written = document("onprem-h100-roce")
    pools = [pool | {"nodes": nodes} for pool, nodes in zip(written["pools"], (1, NODES), strict=True)]
    teams = [
        {"name": "research", "share": 3},
        {"name": "serving", "priority": "inference", "gpus": {"h100": 24}},
        {"name": "guests", "gpus": {"h100": 8}},
        {"name": "visitors", "gpus": {"h100": 0}, "borrow": False},
    ]
    (server,) = written["serving"]["servers"]
    large = {key: server[key] for key in server if key not in ("maxReplicas", "scaling")} | {"tensorParallel": 8}
    small = large | {"name": "small", "namespace": "guests", "replicas": 1}
    models = written["storage"]["volumes"][2]
    models["namespaces"] = [*models["namespaces"], "guests"]
    return written | {
        "pools": pools,
        "tenancy": {"teams": [team | {"limits": LIMITS} for team in teams], "retire": ["visitors"]},
        "training": {"jobset": {}},
        "serving": {"servers": [large, small]},
        "storage": written["storage"] | {"retire": ["home", "checkpoints"]},
    }


@dataclass(frozen=True)
class Plan:
    """What a profile declares."""

    graph: Graph

    @cached_property
    def resources(self) -> list[Resource]:
        """As the review knows them."""
        return [Resource(n.urn, n.type, n.name, n.inputs, n.read) for n in self.graph.resources]

    @cached_property
    def objects(self) -> Mapping[str, dict[str, Any]]:
        """Those that the program itself makes, by URN: what a release holds is not among them."""
        return {node.urn: object_of(node) for node in self.graph.resources if is_object(node)}

    def of(self, found: Iterable[Resource | None]) -> list[dict[str, Any]]:
        """The objects of these resources."""
        return [self.objects[one.urn] for one in found if one and one.urn in self.objects]


def next_job() -> dict[str, Any]:
    """A job of one small pod beside the GPUs, with the team's volumes."""
    volumes = ("checkpoints", "home", "models")
    container = {
        "name": "main",
        "image": "any",
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False},
        "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in volumes],
    }
    spec = {
        "restartPolicy": "Never",
        "priorityClassName": "training",
        "containers": [container],
        "volumes": [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in volumes],
    }
    template = {"metadata": {"annotations": RUNS}, "spec": spec}
    metadata = {"name": "next", "namespace": "research", "labels": {"kueue.x-k8s.io/queue-name": "default"}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}
