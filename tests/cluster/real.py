"""A lab with the stack's real controllers, for tests: its nodes, its teams and its queues, and jobs as people submit them."""

import json
import os
import select
import signal
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.components.training.render import manifests
from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.lab.cluster import Cluster
from bedplate.lab.controllers import choice, run
from bedplate.lab.controllers.install import install
from bedplate.lab.site import site
from bedplate.lab.watch import PHASE, condition, watch
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.load import load
from tests.stack_files import document, graph_of
from tests.training_jobs import job

RUNS = {"lab.bedplate/runs-for": "1s"}
AS_OPERATOR = ("--as=system:serviceaccount:operators:cleaner", "--as-group=system:masters")
"""People wait with a PodGroup until its pods have gone."""
STAYS = {"lab.bedplate/runs-for": "600s"}

_GPUS = '{{range .resources}}{{if eq .name "nvidia.com/gpu"}}{{.total}} {{end}}{{end}}'
USED = "{{range .status.flavorsUsage}}" + _GPUS + "{{end}}"


@dataclass(frozen=True)
class Lab:
    """A lab in which the stack's controllers are real."""

    cluster: Cluster
    facts: Facts
    real: tuple[str, ...]
    """Controllers, by name."""
    kinds: tuple[str, ...]
    """Plurals of the jobs' kinds that it serves; owners come first."""

    def needs(self, controller: str) -> None:
        """Skip the test where this controller could not be had."""
        if controller not in self.real:
            pytest.skip(f"{controller} is not real here")

    def submit(self, written: Mapping[str, Any], annotations: Mapping[str, str] = RUNS) -> list[dict[str, Any]]:
        """As a member of the team would; every object of the job."""
        made = self.rendered(written, annotations)
        self.cluster.apply(made, "--as=ada", f"--as-group={written['team']}")
        return made

    def rendered(self, written: Mapping[str, Any], annotations: Mapping[str, str] = RUNS) -> list[dict[str, Any]]:
        """Every object of a job, the job itself last."""
        return manifests(load_job({**written, "annotations": dict(annotations), "grace": 1}, self.facts), self.facts)

    def run(self, name: str, team: str = "research", nodes: int = 2, **more: Any) -> None:
        """A job that holds whole nodes until it is taken away."""
        self.submit(job("Job", name=name, team=team, nodes=nodes, **more), STAYS)

    def phases(self, name: str, phase: str, number: int, team: str = "research", seconds: float = 120) -> None:
        """Wait until so many of a job's pods are in a phase, and all of them are."""
        selector = f"pods --namespace {team} --selector bedplate/job={name}"
        watch(self.cluster, selector, PHASE, lambda seen: list(seen.values()).count(phase) == number, seconds)

    def condition(
        self, name: str, state: str, value: str = "True", team: str = "research", seconds: float = 120
    ) -> None:
        """Wait for a condition of a job's Workload."""
        selector = f"workloads --namespace {team}"
        mine = lambda seen: [v for k, v in seen.items() if k.startswith(f"job-{name}-")]  # noqa: E731
        watch(self.cluster, selector, condition(state), lambda seen: mine(seen) == [value], seconds)

    def pods(self, name: str, team: str = "research") -> list[dict[str, Any]]:
        """Of a job, those that are not on their way out."""
        selector = ("--namespace", team, "--selector", f"bedplate/job={name}", "--output=json")
        found = json.loads(self.cluster.kubectl("get", "pods", *selector))["items"]
        return [one for one in found if "deletionTimestamp" not in one["metadata"]]

    def gone(self, name: str, team: str = "research") -> None:
        """Wait until none of a job's pods is left."""
        place = ("--namespace", team, "--selector", f"bedplate/job={name}", "--timeout=120s")
        self.cluster.kubectl("wait", "pods", "--for=delete", *place)

    def uses(self, gpus: int, team: str = "research") -> None:
        """Wait until Kueue counts so many GPUs as the team's."""
        counted = lambda seen: sum(map(int, seen.get(team, "0").split())) == gpus  # noqa: E731
        watch(self.cluster, "clusterqueues", USED, counted)

    def queued(self, gpus: int, team: str = "research") -> None:
        """Wait until Volcano counts so many GPUs as the team's."""
        allocated = '{{with .status.allocated}}{{index . "nvidia.com/gpu"}}{{end}}'
        counted = lambda seen: seen.get(team, "").replace("<no value>", "") in {str(gpus), str(gpus or "")}  # noqa: E731
        watch(self.cluster, "queues.scheduling.volcano.sh", allocated, counted)

    def finished(self) -> None:
        """Wait until every Workload of research is, and none of its quota is taken."""
        place = ("--all", "--namespace", "research", "--timeout=120s")
        self.cluster.kubectl("wait", "workloads", "--for=condition=Finished", *place)
        self.uses(0)

    def kill(self, name: str) -> None:
        """As a machine that loses power would."""
        pid = self.cluster.processes()[name]
        end = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([end], [], [], 10)
        os.close(end)

    def revive(self) -> None:
        """Start again what does not run."""
        run.start(self.cluster)

    def clear(self) -> None:
        """Take away every job, and wait until no pod is left and the queue has forgotten them."""
        for team in self.facts.teams:
            place = ("--all", "--namespace", team.name, "--timeout=120s")
            self.cluster.kubectl("delete", ",".join(self.kinds), *place)
            self.cluster.kubectl("delete", f"poddisruptionbudgets,services,pods,{self._gangs}", *place, *AS_OPERATOR)

    @property
    def _gangs(self) -> str:
        """What the queue keeps of a job."""
        return "workloads" if "kueue" in self.real else "podgroups.scheduling.volcano.sh"


@contextmanager
def started(
    base: Cluster, name: str, profile: dict[str, Any], wanted: Sequence[str], brought: Sequence[dict[str, Any]] = ()
) -> Generator[Lab]:
    """A lab of its own for a profile, with CRDs that others bring; a desk builds nothing for it, CI what it can."""
    graph, sound = graph_of(profile), load(profile)
    chosen = choice.built(choice.choose(graph, build=bool(os.environ.get("CI"))))
    if missing := [f"{one}: {chosen.played.get(one)}" for one in wanted if one not in chosen.real]:
        pytest.skip("; ".join(missing))
    own = Cluster(f"{base.name}-{name}", base.binaries, real=tuple(chosen.real))
    try:
        own.start()
        own.apply([*site(sound), *brought])
        install(own, graph, chosen)
        yield Lab(own, facts(sound), tuple(chosen.real), kinds(own))
    finally:
        own.stop()


def kinds(cluster: Cluster) -> tuple[str, ...]:
    """Of jobs, those that it serves; whoever owns others comes first, so that what is taken away stays away."""
    served = set(cluster.kubectl("api-resources", "--output=name").split())
    ours = [f"{kind.lower()}s.{one.group}" for one in reversed(tuple(CONTROLLERS.values())) for kind in one.kinds]
    return (*(name for name in (*ours, "jobs.batch.volcano.sh") if name in served), "jobs.batch")


def lab_profile(nodes: int, training: Sequence[str], scheduler: str = "kueue") -> dict[str, Any]:
    """The lab's own stack with so many nodes of eight GPUs, two teams that lend to each other, and these controllers."""
    written = document("lab")
    pools = [pool | ({"nodes": nodes} if pool["name"] == "h100" else {}) for pool in written["pools"]]
    teams = {"teams": [{"name": "research"}, {"name": "platform"}]}
    volume = {"name": "checkpoints", "namespaces": ["research"], "mode": "ReadWriteMany", "size": "1Ti"}
    storage = {
        "existingClasses": [{"name": "shared", "kind": "nfs"}],
        "volumes": [volume | {"path": "/checkpoints", "storageClass": "shared"}],
    }
    queues = {"scheduling": {**written["scheduling"], "kind": scheduler}, "training": {name: {} for name in training}}
    return written | {"pools": pools, "tenancy": teams, "storage": storage, **queues}
