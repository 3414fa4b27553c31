"""People's jobs and servers of every kind are there when the stack goes: it ends, and ends nobody's controller first."""

import json

import pytest

from bedplate.lab.engine import Engine
from bedplate.lab.watch import PHASE, counts, watch
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.engine.people import TEAM, of_every_kind
from tests.engine.test_gates import profile_of

UP = ("up", "--yes", "--skip-preview", "--stack", "lab")
EVERY = ("jobset", "trainer", "trainingOperator", "mpiOperator", "kuberay", "leaderWorkerSet")
LET_GO = json.dumps({"metadata": {"finalizers": None}})


@pytest.fixture
def busy(engine: Engine) -> Engine:
    """The stack with every controller of jobs, and jobs and servers of every kind: queued, running and done."""
    profile = {**profile_of(engine), "training": {name: {} for name in EVERY}}
    engine.configure(profile)
    engine.run(*UP)
    engine.cluster.apply(of_every_kind(facts(load(profile))))
    watch(engine.cluster, f"pods --namespace {TEAM}", PHASE, counts("Running", 2))
    return engine


def test_a_destroy_with_jobs_and_servers_of_every_kind_ends_once_kueue_has_let_them_go(busy: Engine) -> None:
    kubectl = busy.cluster.kubectl
    kinds = kubectl(
        "get", "jobs.batch,jobsets,trainjobs,mpijobs,pytorchjobs,rayjobs,leaderworkersets", "-A", "-o", "name"
    )
    assert len(kinds.split()) >= 21
    busy.run("state", "unprotect", "--all", "--yes", "--stack", "lab")
    with busy.start("destroy", "--yes", "--skip-preview", "--stack", "lab") as process:
        kubectl("wait", f"namespace/{TEAM}", "--for=jsonpath={.status.phase}=Terminating", "--timeout=120s")
        left = "condition=NamespaceFinalizersRemaining"
        kubectl("wait", f"namespace/{TEAM}", f"--for={left}", "--timeout=120s")
        assert process.poll() is None, "it waits"
        controllers = kubectl("get", "deployments", "-A", "-o", "name")
        assert "kueue-controller-manager" in controllers, "who could let them go is there"
        assert "jobset-controller" in controllers
        workloads = kubectl("-n", TEAM, "get", "workloads", "-o", "name").split()
        assert len(workloads) >= 7
        kubectl("-n", TEAM, "patch", *workloads, "--type=merge", "-p", LET_GO)  # played: what Kueue would do now
        said, _ = process.communicate(timeout=900)
    assert process.returncode == 0, said
    assert busy.state() == []
    assert TEAM not in kubectl("get", "namespaces", "-o", "name")
