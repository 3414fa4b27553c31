"""OpenShift: its own names for what a team's pods need of it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.tenancy.isolation import policies
from bedplate.components.tenancy.security_contexts import bound, constraints, use
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import graph_of, profile
from tests.training_jobs import container, job, main, rendered

FILE = Path(__file__).parents[1] / "profiles" / "openshift-h100-ib.yaml"


def document() -> dict[str, Any]:
    return yaml.safe_load(FILE.read_text())


def name_service(known: Profile) -> dict[str, Any]:
    assert known.tenancy
    return dict(policies(known.tenancy.teams[0], facts(known)))["names"]["egress"][0]


def test_names_are_asked_of_openshifts_own_service_on_the_port_of_its_pods() -> None:
    asked = name_service(load(document()))
    assert asked["to"][0]["namespace_selector"]["match_labels"] == {"kubernetes.io/metadata.name": "openshift-dns"}
    assert {port["port"] for port in asked["ports"]} == {53, 5353}
    assert {port["port"] for port in name_service(profile("lab"))["ports"]} == {53}


def test_pods_with_the_fabric_may_lock_memory_and_nothing_else() -> None:
    made = constraints(facts(load(document())))
    assert made["allowedCapabilities"] == ["IPC_LOCK"]
    assert {key: value for key, value in made.items() if key.startswith("allowHost") and value} == {}
    assert made["allowPrivilegedContainer"] is False
    assert use()["resource_names"] == [made["metadata"]["name"]]


def test_every_team_may_run_the_ssh_of_mpi_jobs() -> None:
    """kubeflow/mpi-operator#642: CRI-O grants no SYS_CHROOT, and `restricted-v2` no root."""
    known = facts(load(document() | {"training": {"mpiOperator": {}}}))
    assert constraints(known)["allowedCapabilities"] == ["IPC_LOCK", "SYS_CHROOT"]
    assert set(bound(known)) == {"research", "apps"}


@pytest.mark.parametrize(("team", "nodes"), [("research", 2), ("apps", 1)])
def test_an_mpi_job_is_admitted_as_root_and_may_change_its_root(team: str, nodes: int) -> None:
    known = facts(load(document() | {"training": {"mpiOperator": {}}}))
    templates = main(rendered(job("MPIJob", team=team, nodes=nodes), known))["spec"]["mpiReplicaSpecs"]
    launcher, worker = (container(templates[role]["template"])["securityContext"] for role in ("Launcher", "Worker"))
    assert launcher == {"runAsUser": 0}
    locks = ["IPC_LOCK"] if team == "research" else []
    assert worker == {"runAsUser": 0, "capabilities": {"add": [*locks, "SYS_CHROOT"]}}


def test_a_cache_on_the_nodes_is_the_one_reason_for_host_paths() -> None:
    cached = document() | {"storage": {"cache": {"kind": "host-path", "hostPath": "/var/cache"}}}
    made = constraints(facts(load(cached)))
    assert len(bound(facts(load(cached)))) > len(bound(facts(load(document()))))
    assert made["allowHostDirVolumePlugin"] is True
    assert "hostPath" in made["volumes"]
    assert {"csi", "image", "secret"} < set(made["volumes"])  # as restricted-v2, which would else admit more


def test_only_teams_with_the_fabric_are_bound_to_it() -> None:
    bound = {
        node.inputs["metadata"]["namespace"]
        for node in graph_of(document()).resources
        if node.kind == "RoleBinding" and node.inputs["roleRef"]["name"] != "member"
    }
    assert bound == {"research"}
