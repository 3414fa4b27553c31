"""`bedplate verify ENV --qualify`: test nodes a few at a time, and let those in that are well.

Every step is one request that leaves the cluster safe: a node is taken out before its test begins, the label is set
after its log was read, and its job goes last.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.objects import bundle, labels
from bedplate.cluster.objects import name as name_of
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Whole, until
from bedplate.components.digest import digest
from bedplate.components.facts import NodePool
from bedplate.components.verification.qualification import NAMESPACE, Qualification
from bedplate.components.workload.contract import QUEUE_KEYS
from bedplate.components.workload.pod import JOB_LABEL
from bedplate.verify import gate
from bedplate.verify.cluster import SIDE_BY_SIDE, Cluster, ended
from bedplate.verify.jobs import Run
from bedplate.verify.outcome import Case
from bedplate.verify.run import Task, alone

JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
HOME = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "baseline"}},
}
AT_ONE_STROKE = 100
"""Jobs that one request takes away: their names stand in its address."""
Call = Callable[..., str]
One = TypeVar("One")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Gate:
    """One process that lets nodes in; another may go on where it was killed."""

    task: Task
    cluster: Cluster
    call: Call = kubectl
    """How the cluster is told something."""

    def run(self) -> list[Case]:
        """Until no node waits, or the time is up: what every tested node came to."""
        judged: dict[str, list[Case]] = {}
        self._tell("apply", "--server-side", "-f", "-", stdin=json.dumps(HOME))
        while True:
            nodes = gate.gated(self.task.pools, self.cluster.nodes())
            jobs = self._jobs()
            todo = gate.next_(
                [node for _, node in nodes], jobs, self._digest, self._section.at_once, self._asked(judged)
            )
            self._drop(todo.drop)
            judged |= self._read(todo.read, {name_of(node): pool for pool, node in nodes})
            self._start([(pool, node) for pool, node in nodes if any(node is waiting for waiting in todo.start)])
            idle = not (todo.start or todo.read or todo.drop)
            if idle and (not todo.running or self._late()):
                break
        return [case for cases in judged.values() for case in cases]

    def refuse(self, cases: Sequence[Case]) -> None:
        """Take out what lost to two sound nodes."""
        lost = {case.subject: case.text for case in cases if (case.check, case.status) == ("fabric", "failed")}
        for _, node in gate.gated(self.task.pools, self.cluster.nodes()):
            if text := lost.get(name_of(node)):
                self._mark(name_of(node), gate.refused(node, self._digest, f"fabric: {text}"))
                self.cluster.say(f"{name_of(node)}: out")

    @property
    def _section(self) -> Qualification:
        """There is one: the command has looked."""
        return self.task.desk.section.qualify or Qualification()

    @property
    def _digest(self) -> str:
        return self.task.desk.facts.foundation

    def _asked(self, cases: Mapping[str, Sequence[Case]]) -> frozenset[str]:
        """By name, and not tested by this run yet."""
        return self.task.nodes - cases.keys()

    def _jobs(self) -> list[dict[str, Any]]:
        return Reader(self.cluster.context).look(JOBS)[0]

    def _late(self) -> bool:
        """Wait for the end of any test; whether the time is up before."""

        def judge(jobs: Sequence[Mapping[str, Any]]) -> list[str]:
            return [] if any(ended(job)[1] is not None for job in jobs) else ["none has ended"]

        return bool(until(Reader(self.cluster.context), JOBS, Whole(judge), self.cluster.deadline)[0])

    def _start(self, some: Sequence[tuple[NodePool, Mapping[str, Any]]]) -> None:
        """All are out before the first test begins; a node that is gone meanwhile gets none."""
        there = _side_by_side(
            lambda pair: gate.is_out(pair[1]) or self._mark(name_of(pair[1]), gate.out(pair[1])), some
        )
        tested = [pair for pair, is_out in zip(some, there, strict=True) if is_out]
        if not tested:
            return
        items = [made for pool, node in tested for made in self.test(pool, node).objects]
        self._tell("apply", "--server-side", "-f", "-", stdin=bundle(items))
        for _, node in tested:
            self.cluster.say(f"{name_of(node)}: under test")

    def test(self, pool: NodePool, node: Mapping[str, Any]) -> Run:
        """The node's job, outside all queues; its name follows from node and foundation, so there is one."""
        host = str(labels(node).get("kubernetes.io/hostname", name_of(node)))
        desk = replace(self.task.desk, run=digest(self._digest, node["metadata"]["uid"])[:8])
        made = desk.on_node(pool, host)
        objects = [gate.marked(_outside(manifest), node, self._digest) for manifest in made.objects]
        return replace(made, namespace=NAMESPACE, objects=tuple(objects))

    def _read(self, jobs: Sequence[Mapping[str, Any]], pools: Mapping[str, NodePool]) -> dict[str, list[Case]]:
        """The labels come before the jobs go: who is killed between them finds the jobs, and that they were read."""
        cases = dict(_side_by_side(lambda job: self._judge(job, pools), jobs))
        self._drop(jobs)
        return cases

    def _judge(self, job: Mapping[str, Any], pools: Mapping[str, NodePool]) -> tuple[str, list[Case]]:
        node, well = str(job["metadata"]["labels"][gate.NODE_LABEL]), ended(job)[1]
        log = self.cluster.log(Run(job["metadata"]["name"], "Job", NAMESPACE, ()))
        cases = list(alone(self.task, pools[node], node, log, well=well))
        self._mark(node, gate.result(job, cases))
        self.cluster.say(f"{node}: {'in' if all(case.status == 'passed' for case in cases) else 'stays out'}")
        return node, cases

    def _mark(self, node: str, patch: Mapping[str, Any]) -> bool:
        """False where the node is gone, or another one by now: it is tested anew."""
        try:
            self._tell("patch", "node", node, "--type=merge", "-p", json.dumps(patch))
        except ClusterError as error:
            if "NotFound" not in str(error) and "onflict" not in str(error):
                raise
            return False
        return True

    def _drop(self, jobs: Sequence[Mapping[str, Any]]) -> None:
        names = [str(job["metadata"]["name"]) for job in jobs]
        for first in range(0, len(names), AT_ONE_STROKE):
            some = ",".join(names[first : first + AT_ONE_STROKE])
            chosen = ("-n", NAMESPACE, "-l", f"{JOB_LABEL} in ({some})", "--ignore-not-found")
            self._tell("delete", "jobs,services", *chosen)

    def _tell(self, *words: str, stdin: str = "") -> None:
        self.call(self.cluster.context, *words, stdin=stdin)


def _side_by_side(what: Callable[[One], Found], some: Sequence[One]) -> list[Found]:
    with ThreadPoolExecutor(SIDE_BY_SIDE) as hands:
        return list(hands.map(what, some))


def _outside(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """An object in the namespace of tests, without a queue."""
    kept = {key: value for key, value in labels(manifest).items() if key not in QUEUE_KEYS.values()}
    return {**manifest, "metadata": {**manifest["metadata"], "labels": kept, "namespace": NAMESPACE}}
