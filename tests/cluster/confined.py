"""A lab that holds its teams' members to what a stack does, and an attempt as a member of such a team."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from bedplate.components.tenancy.access import rules
from bedplate.components.tenancy.confinement import manifests as policies
from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import counted, established
from bedplate.plan.manifests import manifests
from tests.cluster import guarding
from tests.cluster.attacks import HOME
from tests.stack_files import graph, profile
from tests.training_jobs import cluster as facts_with
from tests.upstream import upstream

TEAM_KINDS = {"Namespace", "PriorityClass", "ResourceQuota", "LimitRange", "Role", "RoleBinding"}
POLICY_KINDS = {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
JOB_KINDS = {
    *("JobSet", "TrainJob", "TrainingRuntime", "PyTorchJob", "TFJob", "MPIJob", "LeaderWorkerSet", "Job"),
    *("RayJob", "RayCluster", "RayService"),
}


def definitions() -> Iterator[dict[str, Any]]:
    """Of every kind of job, from the newest release of each project; MPIJob from its own."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(upstream("crds").glob("*/*.yaml")):
        definition = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
        kind, name = definition["spec"]["names"]["kind"], definition["metadata"]["name"]
        if kind in {*JOB_KINDS, "PodGroup"} and not (kind == "MPIJob" and "training-operator" in str(path)):
            found[name] = definition
    yield from found.values()


@contextmanager
def confined_lab(cluster: Cluster) -> Generator[Cluster]:
    """A cluster of its own: the lab's teams, their limits and what confines them."""
    own = Cluster(f"{cluster.name}-red", cluster.binaries)
    own.start()
    try:
        own.create(list(definitions()))
        established(own, (one["metadata"]["name"] for one in definitions()), seconds=180)
        runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}}
        objects = [one.document for one in manifests(graph("lab"))]
        own.apply([{**runtime, "handler": "nvidia"}, *(one for one in objects if one["kind"] in TEAM_KINDS)])
        own.apply([one for one in objects if one["kind"] in POLICY_KINDS])
        guarding.noted(own)
        counted(own, [HOME])
        yield own
    finally:
        own.stop()


def attempt(cluster: Cluster, one: dict[str, Any], *words: str, group: str = HOME) -> tuple[bool, str]:
    """Whether a member may, and all that the API server says."""
    as_ada = ("--as=ada", f"--as-group={group}", "--as-group=system:authenticated")
    return guarding.attempt(cluster, one, *as_ada, *(words or guarding.TRY))


def role(scheduler: str) -> dict[str, Any]:
    """What members may on a cluster with every controller."""
    given = [
        {"apiGroups": one["api_groups"], "resources": one["resources"], "verbs": one["verbs"]}
        for one in rules(facts_with("lab", scheduler))
    ]
    metadata = {"name": "member", "namespace": HOME}
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata, "rules": given}


def held_by(scheduler: str, lab: Cluster) -> None:
    """Put what confines teams with this scheduler in the place of what does now."""
    section = profile("lab").tenancy
    assert section
    lab.kubectl("delete", guarding.KINDS, "--all", "--wait=true")
    lab.apply([role(scheduler), *policies(section, facts_with("lab", scheduler))])
    guarding.noted(lab)
