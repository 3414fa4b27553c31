"""A member of a team on a real API server: never root on a node, no GPU past the queue, and every proper job taken."""

import json
from functools import cache
from typing import Any

import pytest
import yaml

from bedplate.components.tenancy.confinement import manifests as policies
from bedplate.folders import PROJECT
from bedplate.lab.cluster import Cluster
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.cluster import guarding
from tests.cluster.attacks import GPUS, HOME, PAST_THE_QUEUE, QUEUE, ROOT_ON_THE_NODE, batch, container, labelled, pod
from tests.cluster.attacks_by_name import BY_NAME, TAKEN
from tests.cluster.attacks_by_scheduler import NETWORK, past
from tests.cluster.confined import attempt, held_by
from tests.stack_files import document
from tests.training_jobs import SCHEDULERS, rendered
from tests.training_jobs import cluster as facts_with

ATTACKS = {**ROOT_ON_THE_NODE, **PAST_THE_QUEUE, **NETWORK, **BY_NAME}
GATE = {"name": "kueue.x-k8s.io/admission"}


def test_at_least_thirty_ways_are_tried() -> None:
    assert len(ATTACKS) >= 30


@pytest.mark.parametrize("name", ATTACKS)
def test_a_member_cannot_have(name: str, confined: Cluster) -> None:
    attack, reason = ATTACKS[name]
    taken, said = attempt(confined, attack)
    assert not taken, said
    assert reason in said


@pytest.mark.parametrize("name", TAKEN)
def test_a_member_may_have(name: str, confined: Cluster) -> None:
    taken, said = attempt(confined, TAKEN[name])
    assert taken, said


@pytest.mark.parametrize("words", [("delete",), ("label", "--overwrite", "x=y")], ids=lambda words: words[0])
def test_the_contract_is_the_stacks(words: tuple[str, ...], confined: Cluster) -> None:
    place = {"name": "bedplate-workload-contract", "namespace": HOME}
    confined.apply([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": place, "data": {"facts.json": "{}"}}])
    verb, *rest = words
    named = (verb, "configmap", place["name"], *rest, "-n", HOME, "--dry-run=server")
    taken, said = attempt(confined, {}, *named)
    assert not taken
    assert "is the stack's" in said
    assert guarding.attempt(confined, {}, *named)[0]


@pytest.mark.parametrize(
    "words",
    [
        ("label", "namespace", HOME, "kueue-managed=false", "--overwrite"),
        ("delete", "validatingadmissionpolicybinding", "bedplate-team-node"),
        ("debug", "node/h100-0", "--image=shell"),
        ("get", "--raw", "/api/v1/nodes/h100-0/proxy/pods"),
        ("create", "token", "default", "-n", HOME),
        ("delete", "resourcequota", "team", "-n", HOME),
        ("patch", "serviceaccount", "default", "-n", HOME, "-p", "{}"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_member_cannot_change_what_holds_members(words: tuple[str, ...], confined: Cluster) -> None:
    taken, said = attempt(confined, {}, *words)
    assert not taken
    assert "forbidden" in said.lower()


def test_a_member_cannot_open_the_gate_at_which_a_pod_waits(confined: Cluster) -> None:
    gated = labelled(pod("gated", containers=[container(**GPUS)], schedulingGates=[GATE]), labels=QUEUE)
    confined.apply([gated])
    taken, said = attempt(
        confined,
        {},
        "patch",
        "pod",
        "gated",
        "-n",
        HOME,
        "--type=json",
        '-p=[{"op":"remove","path":"/spec/schedulingGates"}]',
    )
    assert not taken
    assert "Kueue opens its own gate" in said


def test_a_member_cannot_let_a_job_go_that_is_held_back(confined: Cluster) -> None:
    held = batch("held", containers=[container(**GPUS)])
    held["spec"]["suspend"] = True
    confined.apply([held])
    taken, said = attempt(confined, {}, "patch", "job", "held", "-n", HOME, "-p", '{"spec":{"suspend":false}}')
    assert not taken
    assert "Kueue lets a job go" in said
    taken, said = attempt(confined, {}, "patch", "job", "held", "-n", HOME, "-p", '{"spec":{"backoffLimit":3}}')
    assert taken, said


def test_a_team_without_the_fabric_may_not_lock_memory(confined: Cluster) -> None:
    locks = pod("locks", containers=[container(securityContext={"capabilities": {"add": ["IPC_LOCK"]}})])
    assert attempt(confined, locks)[0]
    one = document("lab")
    one["tenancy"]["teams"][0]["rdma"] = False
    section = load(one)
    assert section.tenancy
    changed = facts(section)
    said = json.dumps(list(policies(section.tenancy, changed)))
    assert "a == 'IPC_LOCK' && request.namespace in [\\\"platform\\\"]" in said


EXAMPLES = sorted((PROJECT / "examples" / "jobs").glob("*.yaml"))


@cache
def proper(scheduler: str) -> list[tuple[str, dict[str, Any]]]:
    """The objects of every example that this scheduler can start, in the lab's team."""
    found: list[tuple[str, dict[str, Any]]] = []
    for path in EXAMPLES:
        written = yaml.safe_load(path.read_text()) | {"team": HOME, "nodes": 2}
        for key in ("pool", "elastic", "parallelism", "checkpoint", "volumes", "deepspeed"):
            written.pop(key, None)
        try:
            found += [(path.stem, one) for one in rendered(written, facts_with("lab", scheduler))]
        except ProfileError:
            continue
    return found


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_proper_job_is_taken_and_no_attack_whatever_the_scheduler(scheduler: str, confined: Cluster) -> None:
    held_by(scheduler, confined)
    refused = [
        f"{name}: {said}" for name, one in proper(scheduler) for taken, said in [attempt(confined, one)] if not taken
    ]
    assert len({name for name, _ in proper(scheduler)}) >= 6
    assert refused == []
    assert [name for name, (attack, why) in tried(scheduler).items() if not foiled(confined, attack, why)] == []


def tried(scheduler: str) -> dict[str, tuple[dict[str, Any], str]]:
    """All attacks that make sense with it."""
    own = PAST_THE_QUEUE if scheduler == "kueue" else past(scheduler, str(facts_with("lab", scheduler).scheduler.name))
    return {**ROOT_ON_THE_NODE, **NETWORK, **own}


def foiled(confined: Cluster, attack: dict[str, Any], why: str) -> bool:
    """Refused, and for the reason."""
    taken, said = attempt(confined, attack)
    return not taken and why in said


def test_a_member_cannot_join_another_teams_network_before_the_pod_starts(confined: Cluster) -> None:
    held_by("kueue", confined)
    confined.apply([pod("waits", schedulingGates=[{"name": "example.com/gate"}])])
    mark = "k8s.v1.cni.cncf.io/networks=platform/rail-0"
    taken, said = attempt(confined, {}, "annotate", "pod", "waits", "-n", HOME, mark)
    assert not taken
    assert "A network of another namespace" in said
    taken, said = attempt(confined, {}, "annotate", "pod", "waits", "-n", HOME, mark.replace("platform", HOME))
    assert taken, said


def test_what_a_network_wrote_on_a_pod_stays_and_the_rest_may_change(confined: Cluster) -> None:
    held_by("kueue", confined)
    confined.apply([pod("marked", schedulingGates=[{"name": "example.com/gate"}])])
    own = ("annotate", "pod", "marked", "-n", HOME, "--overwrite")
    network = ("--as=system:serviceaccount:openshift-ovn-kubernetes:node", "--as-group=system:masters")
    taken, said = guarding.attempt(confined, {}, *network, *own, "k8s.ovn.org/pod-networks=10.128.0.9")
    assert taken, said
    taken, said = attempt(confined, {}, *own, "note=mine")
    assert taken, said
    taken, said = attempt(confined, {}, *own, "k8s.ovn.org/pod-networks=10.128.0.1")
    assert not taken
    assert "An annotation that hands out" in said
