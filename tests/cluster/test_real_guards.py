"""The teams' guards beside the real queue: every attack refused, every act of Kueue's own taken, and amounts as they are."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bedplate.lab.watch import PHASE, watch
from tests.cluster.attacks import HOME, QUEUE, app, batch, container, labelled
from tests.cluster.guarding import attempt, noted, unguarded
from tests.cluster.real import STAYS, Lab
from tests.cluster.tries import played, tries
from tests.training_jobs import job

AS_ADA = ("--as=ada", f"--as-group={HOME}", "--as-group=system:authenticated")
TRIES = [one for one in (*tries("attacks"), *tries("legitimate")) if not one.alone]
COUNTED = (
    "{{range .status.flavorsUsage}}{{range .resources}}"
    '{{if eq .name "cpu" "memory"}}{{if ne .total "0"}}{{.name}}={{.total}} {{end}}{{end}}{{end}}{{end}}'
)


@pytest.fixture(autouse=True)
def cleared(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    for lab in (request.getfixturevalue(name) for name in ("kueue", "volcano") if name in request.fixturenames):
        lab.cluster.kubectl("delete", "deployments,statefulsets", "--all", "--namespace", HOME, "--timeout=120s")
        lab.clear()


def test_with_the_real_kueue_every_attack_is_refused_and_every_legitimate_act_taken(kueue: Lab) -> None:
    noted(kueue.cluster)
    told = [one.wrong(kueue.cluster) for one in played(TRIES, kueue.facts)]
    assert len(told) >= 30
    assert [one for one in told if one] == []


def test_with_the_real_volcano_every_attack_is_refused_and_every_legitimate_act_taken(volcano: Lab) -> None:
    noted(volcano.cluster)
    told = [one.wrong(volcano.cluster) for one in played(TRIES, volcano.facts)]
    assert len(told) >= 15
    assert [one for one in told if one] == []


def gpus(number: int) -> dict[str, Any]:
    return container(resources={"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": str(number)}})


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_kueue_makes_what_it_needs_of_the_pods_of_servers_and_counts_them(kind: str, kueue: Lab) -> None:
    made = labelled(app(kind, "serve", 2, containers=[gpus(4)]), labels=QUEUE)
    kueue.cluster.apply([made], *AS_ADA)
    runs = lambda seen: list(seen.values()) == ["Running", "Running"]  # noqa: E731
    watch(kueue.cluster, f"pods --namespace {HOME} --selector app=x", PHASE, runs)
    kueue.uses(8)


def test_what_has_limits_alone_is_counted_as_them(kueue: Lab) -> None:
    small = container(resources={"limits": {"cpu": "500m", "memory": "1Gi"}})
    made = batch("small", containers=[small])
    made["spec"]["template"]["metadata"]["annotations"] = STAYS
    kueue.cluster.apply([made], *AS_ADA)
    counted = lambda seen: seen.get(HOME, "").split() == ["cpu=500m", "memory=1Gi"]  # noqa: E731
    watch(kueue.cluster, "clusterqueues", COUNTED, counted)
    chosen = ("--namespace", HOME, "--selector=batch.kubernetes.io/job-name=small", "--output=json")
    (pod,) = json.loads(kueue.cluster.kubectl("get", "pods", *chosen))["items"]
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "500m", "memory": "1Gi"}


def refused(lab: Lab, *words: str) -> str:
    """What is said to a member who tries it."""
    taken, said = attempt(lab.cluster, {}, *AS_ADA, *words, "--namespace", HOME)
    assert not taken, said
    return said


def test_a_job_that_runs_is_deleted_with_its_pods_or_not_at_all(kueue: Lab) -> None:
    kueue.run("runs")
    kueue.phases("runs", "Running", 2)
    assert "Its pods would run on" in refused(kueue, "delete", "job", "runs", "--cascade=orphan")
    year = f"--grace-period={365 * 24 * 3600}"
    assert "gives its GPUs back within 600 s" in refused(kueue, "delete", "pods", "--all", year)
    kueue.uses(16)
    kueue.cluster.kubectl("delete", "job", "runs", "--namespace", HOME, *AS_ADA)
    kueue.gone("runs")
    kueue.uses(0)


def test_the_group_of_a_volcano_job_that_runs_stays_and_is_counted(volcano: Lab) -> None:
    volcano.submit(job("VolcanoJob", name="runs"), STAYS)
    volcano.phases("runs", "Running", 2)
    said = refused(volcano, "delete", "podgroups.scheduling.volcano.sh", "--all")
    assert "The queue counts pods by their PodGroup" in said
    volcano.queued(16)
    volcano.cluster.kubectl("delete", "jobs.batch.volcano.sh", "runs", "--namespace", HOME, *AS_ADA)
    volcano.queued(0)


@pytest.mark.parametrize("kind", ["JobSet", "Job"])
def test_the_group_that_a_job_file_brings_stays_while_its_pods_run_and_goes_with_them(kind: Any, volcano: Lab) -> None:
    made = volcano.submit(job(kind, name="ours"), STAYS)
    volcano.phases("ours", "Running", 2)
    (group,) = [one["metadata"]["name"] for one in made if one["kind"] == "PodGroup"]
    place = ("podgroups.scheduling.volcano.sh", group)
    groups = f"podgroups.scheduling.volcano.sh --namespace {HOME}"
    watch(volcano.cluster, groups, PHASE, lambda seen: seen[group] == "Running")
    assert "The queue counts pods by their PodGroup" in refused(volcano, "delete", *place)
    plural = {"JobSet": "jobsets.jobset.x-k8s.io", "Job": "jobs.batch"}[kind]
    volcano.cluster.kubectl("delete", plural, "ours", "--namespace", HOME, *AS_ADA)
    volcano.gone("ours")
    watch(volcano.cluster, groups, PHASE, lambda seen: seen[group] not in ("Running", "Unknown"))
    volcano.cluster.kubectl("delete", *place, "--namespace", HOME, *AS_ADA)


@pytest.mark.parametrize("marked", ["one", "two"])
def test_what_says_that_it_is_not_taken_back_is_passed_by_where_no_guard_stands(marked: str, volcano: Lab) -> None:
    """Whichever of two jobs has the mark, the other is taken for what both have lent; hence the guard."""
    with unguarded(volcano.cluster):
        for name in ("one", "two"):
            volcano.submit(job("VolcanoJob", name=name), STAYS | (KEPT if name == marked else {}))
            volcano.phases(name, "Running", 2)
    volcano.submit(job("VolcanoJob", name="ours", team="platform"), STAYS)
    volcano.phases("ours", "Running", 2, team="platform")
    left = {
        name: len([one for one in volcano.pods(name) if one["status"]["phase"] == "Running"]) for name in ("one", "two")
    }
    assert left == {name: 2 if name == marked else 0 for name in ("one", "two")}


KEPT = {"volcano.sh/preemptable": "false"}
