"""A full cluster to change: the reference stack's plan on a lab with the real queue, and jobs and servers that run."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bedplate.lab import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import condition, watch
from bedplate.review.changes import Change, changes
from bedplate.review.danger import Danger
from bedplate.review.rules import judged
from tests.cluster.danger_profile import JOB, KEPT, OUTLASTS, Plan, next_job, profile
from tests.cluster.danger_seen import happened, look
from tests.cluster.definitions import definitions
from tests.cluster.real import Lab, started
from tests.stack_files import graph_of
from tests.training_jobs import job

PLAYED = {
    "IPPool",
    "MacvlanNetwork",
    "NetworkPolicy",
    "NicClusterPolicy",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}
"""Kinds of which the lab shows nothing: no packet is sent here, the Network Operator is played, and of what policies
of admission newly refuse the one job that comes next is no sample."""
POOLS = "crd/ippools.nv-ipam.nvidia.com"
REAL = ("kueue.x-k8s.io", "jobset.x-k8s.io")
"""API groups that the real controllers' charts bring."""


@dataclass(frozen=True)
class Base:
    """The cluster before each change."""

    lab: Lab
    plan: Plan

    def try_out(self, wanted: dict[str, Any], *, undo: bool = True) -> tuple[Danger, Danger]:
        """Another profile's label, and what happened when its objects were applied; then all is as it was."""
        new = Plan(graph_of(wanted))
        found = changes(self.plan.resources, new.resources)
        before = look(self.lab.cluster)
        seen = self._apply(found, new)
        if seen is None:
            self._settle(found, new)
            seen = happened(before, look(self.lab.cluster), starts=self._starts())
        if undo:
            self._undo(found, new)
        if undo and seen >= Danger.EVICTS_JOBS:
            self.lab.phases(JOB["name"], "Running", JOB["nodes"])
        return self._label(found, new), seen

    def _label(self, found: list[Change], new: Plan) -> Danger:
        """The worst of what the lab can show."""
        known = {*self.plan.objects, *new.objects}
        shown = [one for one in found if one.resource.urn in known and one.resource.kind not in PLAYED]
        return max((judged(one).danger for one in shown), default=Danger.NOTHING)

    def _apply(self, found: list[Change], new: Plan) -> Danger | None:
        """As the engine would: what is replaced goes first, what is deleted last, and it ends where one is refused."""
        self._delete(self.plan.of(one.old for one in found if one.what == "replace"))
        try:
            self._put(new.of(one.new for one in found))
        except LabError as error:
            if not any(word in str(error) for word in ("is invalid", "is forbidden")):
                raise
            return Danger.REFUSED
        gone = self.plan.of(one.old for one in found if one.what == "delete")
        self._delete(gone)
        for one in gone:
            if one["kind"] == "Namespace":
                self.lab.cluster.kubectl("wait", "--for=delete", f"ns/{one['metadata']['name']}", "--timeout=120s")
        return None

    def _undo(self, found: list[Change], new: Plan) -> None:
        self._delete(new.of(one.new for one in found if one.what != "update"))
        self._put(self.plan.of(one.old for one in found))
        self._settle(found, self.plan)

    def _settle(self, found: list[Change], plan: Plan) -> None:
        """Every server that changed has the pods of its newest template."""
        for one in plan.of(change.resource for change in found if change.resource.kind == "Deployment"):
            name, home = one["metadata"]["name"], one["metadata"]["namespace"]
            self.lab.cluster.kubectl("rollout", "status", f"deployment/{name}", "-n", home, "--timeout=120s")

    def _starts(self) -> bool:
        """Whether the team's next job gets its quota and its volumes, and ends."""
        named = ("job/next", "--namespace", "research")
        self.lab.cluster.kubectl("create", "-f", "-", stdin=json.dumps(next_job()))
        try:
            self.lab.cluster.kubectl("wait", *named, "--for=condition=Complete", "--timeout=10s")
        except LabError:
            return False
        finally:
            self.lab.cluster.kubectl("delete", *named)
        return True

    def _put(self, objects: list[dict[str, Any]]) -> None:
        if objects:
            self.lab.cluster.apply(objects)

    def _delete(self, objects: list[dict[str, Any]]) -> None:
        if objects:
            bundle = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
            self.lab.cluster.kubectl("delete", "--ignore-not-found", "--wait=false", "-f", "-", stdin=bundle)


@contextmanager
def full(cluster: Cluster) -> Generator[Base]:
    """A lab of its own, on which every kind of the plan is served, and no GPU is free."""
    written = profile()
    plan = Plan(graph_of(written))
    with started(cluster, "danger", written, ("kueue", "jobset")) as lab:
        _serve(lab.cluster, plan)
        late = [one for one in plan.objects.values() if one["kind"] == "IPPool"]  # of a kind that its operator makes
        lab.cluster.apply(one for one in plan.objects.values() if one not in late)
        lab.cluster.kubectl("wait", "--for=create", POOLS, "--timeout=60s")
        lab.cluster.kubectl("wait", "--for=condition=established", POOLS, "--timeout=60s")
        lab.cluster.apply(late)
        lab.cluster.apply([KEPT])
        lab.submit(job("Job", **JOB), OUTLASTS)
        lab.phases(JOB["name"], "Running", JOB["nodes"])
        yield Base(lab, plan)


def _serve(cluster: Cluster, plan: Plan) -> None:
    """The kinds that no chart brings here."""
    wanted = {(one["apiVersion"].partition("/")[0], one["kind"]) for one in plan.objects.values()}
    missing = [
        one
        for one in definitions()
        if (group := one["spec"]["group"]) not in REAL and (group, one["spec"]["names"]["kind"]) in wanted
    ]
    cluster.create(missing)
    names = {one["metadata"]["name"] for one in missing}
    served = condition("Established")
    watch(cluster, "crd", served, lambda seen: all(seen.get(name) == "True" for name in names), seconds=180)
