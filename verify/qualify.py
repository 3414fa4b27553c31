"""`bedplate verify ENV --qualify`: test nodes a few at a time, and let those in that are well.

Every step is one request that leaves the cluster safe: a node is taken out before its test begins, the label is set
after its log was read, and its job goes last.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from components.digest import digest
from components.facts import NodePool
from components.verification.qualification import NAMESPACE, Qualification
from components.watching import ClusterError, Reader, kubectl, until
from components.workload.contract import QUEUE_KEYS
from components.workload.pod import JOB_LABEL
from verify import gate
from verify.cluster import Cluster, ended
from verify.jobs import Run
from verify.outcome import Case
from verify.run import Task, alone

JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
HOME = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "baseline"}},
}
Call = Callable[..., str]


@dataclass(frozen=True)
class Gate:
    """One process that lets nodes in; another may go on where it was killed."""

    task: Task
    cluster: Cluster
    call: Call = kubectl
    """How the cluster is told something."""

    def run(self) -> list[Case]:
        """Until no node waits, or the time is up: what every tested node came to."""
        found: dict[str, list[Case]] = {}
        self._tell("apply", "--server-side", "-f", "-", stdin=json.dumps(HOME))
        while True:
            nodes = gate.gated(self.task.pools, self.cluster.nodes())
            jobs = self._jobs()
            todo = gate.next_(
                [node for _, node in nodes], jobs, self._digest, self._section.at_once, self._asked(found)
            )
            self._drop(todo.drop)
            for job in todo.read:
                node, cases = self._read(job, {_name(node): pool for pool, node in nodes})
                found[node] = cases
            for node in todo.start:
                self._start(next(pool for pool, one in nodes if one is node), node)
            idle = not (todo.start or todo.read or todo.drop)
            if idle and (not todo.running or self._late()):
                break
        return [case for cases in found.values() for case in cases]

    def refuse(self, cases: Sequence[Case]) -> None:
        """Take out what lost to two sound nodes."""
        lost = {case.subject: case.text for case in cases if (case.check, case.status) == ("fabric", "failed")}
        for _, node in gate.gated(self.task.pools, self.cluster.nodes()):
            if text := lost.get(_name(node)):
                patch = json.dumps(gate.refused(node, self._digest, f"fabric: {text}"))
                self._tell("patch", "node", _name(node), "--type=merge", "-p", patch)
                self.cluster.say(f"{_name(node)}: out")

    @property
    def _section(self) -> Qualification:
        """There is one: the command has looked."""
        return self.task.desk.section.qualify or Qualification()

    @property
    def _digest(self) -> str:
        return self.task.desk.facts.foundation

    def _asked(self, found: Mapping[str, Sequence[Case]]) -> frozenset[str]:
        """By name, and not tested by this run yet."""
        return self.task.nodes - found.keys()

    def _jobs(self) -> list[dict[str, Any]]:
        return list(Reader(self.cluster.context).look(JOBS)[0].values())

    def _late(self) -> bool:
        """Wait for the end of any test; whether the time is up before."""

        def judge(jobs: Sequence[Mapping[str, Any]]) -> list[str]:
            return [] if any(ended(job)[1] is not None for job in jobs) else ["none has ended"]

        return bool(until(Reader(self.cluster.context), JOBS, judge, self.cluster.deadline)[0])

    def _start(self, pool: NodePool, node: Mapping[str, Any]) -> None:
        name = _name(node)
        self._tell("patch", "node", name, "--type=merge", "-p", json.dumps(gate.out(node)))
        run = self.test(pool, node)
        listed = {"apiVersion": "v1", "kind": "List", "items": list(run.objects)}
        self._tell("apply", "--server-side", "-f", "-", stdin=json.dumps(listed))
        self.cluster.say(f"{name}: under test")

    def test(self, pool: NodePool, node: Mapping[str, Any]) -> Run:
        """The node's job, outside all queues; its name follows from node and foundation, so there is one."""
        labels = node["metadata"].get("labels", {})
        host = str(labels.get("kubernetes.io/hostname", _name(node)))
        desk = replace(self.task.desk, run=digest(self._digest, node["metadata"]["uid"])[:8])
        made = desk.on_node(pool, host)
        objects = [gate.marked(_outside(one), node, self._digest) for one in made.objects]
        return replace(made, namespace=NAMESPACE, objects=tuple(objects))

    def _read(self, job: Mapping[str, Any], pools: Mapping[str, NodePool]) -> tuple[str, list[Case]]:
        """The label comes before the job goes: who is killed between them finds the job, and reads it again."""
        node, well = str(job["metadata"]["labels"][gate.NODE_LABEL]), ended(job)[1]
        log = self.cluster.log(Run(job["metadata"]["name"], "Job", NAMESPACE, ()))
        cases = list(alone(self.task, pools[node], node, log, well=well))
        patch = json.dumps(gate.result(job, cases))
        try:
            self._tell("patch", "node", node, "--type=merge", "-p", patch)
        except ClusterError as error:
            if "NotFound" not in str(error) and "onflict" not in str(error):
                raise  # the node is gone, or another one by now: it is tested anew
        self._drop([job])
        self.cluster.say(f"{node}: {'in' if all(case.status == 'passed' for case in cases) else 'stays out'}")
        return node, cases

    def _drop(self, jobs: Sequence[Mapping[str, Any]]) -> None:
        for job in jobs:
            name = str(job["metadata"]["name"])
            chosen = ("-n", NAMESPACE, "-l", f"{JOB_LABEL}={name}", "--ignore-not-found")
            self._tell("delete", "jobs,services", *chosen)

    def _tell(self, *words: str, stdin: str = "") -> None:
        self.call(self.cluster.context, *words, stdin=stdin)


def _outside(one: Mapping[str, Any]) -> dict[str, Any]:
    """An object in the namespace of tests, without a queue."""
    labels = {key: value for key, value in one["metadata"].get("labels", {}).items() if key not in QUEUE_KEYS.values()}
    return {**one, "metadata": {**one["metadata"], "labels": labels, "namespace": NAMESPACE}}


def _name(node: Mapping[str, Any]) -> str:
    return str(node["metadata"]["name"])
