"""The running cluster: the objects of a run are made, waited for, read and taken away, through kubectl."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import kubectl
from bedplate.cluster.objects import bundle
from bedplate.cluster.objects import kind as kind_of
from bedplate.cluster.reader import Reader
from bedplate.cluster.watch import Whole, until
from bedplate.components.workload.kinds import KINDS, Kind
from bedplate.components.workload.pod import JOB_LABEL
from bedplate.verify.jobs import RUN_LABEL, Run

Say = Callable[[str], None]
SIDE_BY_SIDE = 8
READING = 600.0
"""Seconds that a pod's log may take."""
ENDS = {"Complete": True, "Completed": True, "Failed": False}
"""Conditions by which a job says that it is over, and whether it went well."""


@dataclass(frozen=True)
class Ended:
    """What a job left."""

    well: bool | None
    """None: it has not ended."""
    log: str


@dataclass(frozen=True)
class Cluster:
    """The one that the profile names."""

    context: str
    deadline: float
    """Of `time.monotonic`, by which all jobs must have ended."""
    say: Say = lambda _: None
    """Where progress goes."""

    def nodes(self) -> list[dict[str, Any]]:
        """Every node."""
        return Reader(self.context).look("/api/v1/nodes")[0]

    def play(self, runs: Sequence[Run]) -> dict[str, Ended]:
        """Make them all, wait for all, and read what they wrote; by the run's name. Nothing of them stays."""
        if not runs:
            return {}
        made = [obj for run in runs for obj in run.objects]
        try:
            kubectl(self.context, "apply", "--server-side", "-f", "-", stdin=bundle(made))
            ended = self._wait(runs)
            with ThreadPoolExecutor(SIDE_BY_SIDE) as readers:
                logs = list(readers.map(self.log, runs))
        finally:
            self.clear(runs)
        return {run.name: Ended(ended.get(run.name), log) for run, log in zip(runs, logs, strict=True)}

    def _wait(self, runs: Sequence[Run]) -> dict[str, bool]:
        finished: dict[str, bool] = {}
        expected: dict[tuple[str, Kind], set[str]] = {}
        for run in runs:
            expected.setdefault((run.namespace, run.kind), set()).add(run.name)
        for (namespace, kind), names in expected.items():
            until(Reader(self.context), _path(kind, namespace), Whole(self._judge(names, finished)), self.deadline)
        return finished

    def _judge(self, names: set[str], finished: dict[str, bool]) -> Callable[[Iterable[Mapping[str, Any]]], list[str]]:
        """Those that have not ended; each change of their number is told."""
        reported = [-1]

        def judge(objects: Iterable[Mapping[str, Any]]) -> list[str]:
            finished.update((name, well) for name, well in map(ended, objects) if name in names and well is not None)
            left = sorted(names - finished.keys())
            if len(left) != reported[0]:
                reported[0] = len(left)
                self.say(f"{len(names) - len(left)} of {len(names)} checks have ended")
            return left

        return judge

    def log(self, run: Run) -> str:
        """What all its pods wrote; empty where there are none, or nobody can read it."""
        many = ("--tail=-1", "--max-log-requests=2048", "--all-containers")
        try:
            chosen = ("-n", run.namespace, "-l", f"{JOB_LABEL}={run.name}")
            return kubectl(self.context, "logs", *chosen, *many, request=READING)
        except ClusterError:
            return ""

    def clear(self, runs: Sequence[Run]) -> None:
        """Delete what was made, by the label of the run."""
        for namespace, label in {(run.namespace, run.objects[-1]["metadata"]["labels"][RUN_LABEL]) for run in runs}:
            kinds = ",".join(dict.fromkeys(kind_of(obj) for run in runs for obj in run.objects))
            chosen = ("-l", f"{RUN_LABEL}={label}", "--wait=false", "--ignore-not-found")
            kubectl(self.context, "delete", kinds, "-n", namespace, *chosen)


def ended(job: Mapping[str, Any]) -> tuple[str, bool | None]:
    """A job's name, and whether it ended well."""
    conditions = job.get("status", {}).get("conditions") or ()
    ends = [
        ENDS[condition["type"]]
        for condition in conditions
        if condition["type"] in ENDS and condition["status"] == "True"
    ]
    return str(job["metadata"]["name"]), ends[0] if ends else None


def patience(seconds: float) -> float:
    """A deadline so many seconds from now."""
    return time.monotonic() + seconds


def _path(kind: Kind, namespace: str) -> str:
    group, _, plural = KINDS[kind].admitted
    version = KINDS[kind].api.partition("/")[2]
    return f"/apis/{group}/{version}/namespaces/{namespace}/{plural}"
