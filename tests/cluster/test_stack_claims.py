"""The claims that the stack made are not the members': neither by name, nor all at once, nor changed."""

from collections.abc import Iterator

import pytest

from bedplate.components.tenancy.confinement import manifests as policies
from bedplate.lab.cluster import Cluster
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.cluster import guarding
from tests.cluster.attacks import HOME
from tests.cluster.confined import attempt
from tests.cluster.conftest import TRAINING
from tests.cluster.real import lab_profile
from tests.stack_files import profile

CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
}
OTHER = "data-of-a-member"


@pytest.fixture
def claimed(confined: Cluster) -> Iterator[Cluster]:
    """The policies of a stack with a volume, its claim, and a member's own."""
    stack = facts(load(lab_profile(4, TRAINING)))
    section = profile("lab").tenancy
    assert section
    names = [volume.name for volume in stack.volumes.values()] + [OTHER]
    assert names == ["checkpoints", OTHER]
    confined.apply([CLAIM | {"metadata": {"name": name, "namespace": HOME}} for name in names])
    confined.apply(policies(section, stack))
    guarding.noted(confined)
    yield confined
    free = (
        "patch",
        "persistentvolumeclaims",
        "--type=merge",
        '-p={"metadata":{"finalizers":null}}',
        "--namespace",
        HOME,
    )
    for name in names:
        confined.kubectl(*free[:2], name, *free[2:])
        confined.kubectl("delete", "persistentvolumeclaims", name, "--namespace", HOME, "--ignore-not-found")


ALL = f"/api/v1/namespaces/{HOME}/persistentvolumeclaims"
MARKED = '-p={"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"1"}]}}'


def test_a_member_deletes_and_changes_claims_of_the_team_and_none_of_the_stack(claimed: Cluster) -> None:
    for name, ours in (("checkpoints", True), (OTHER, False)):
        place = ("patch", "persistentvolumeclaims", name, "--namespace", HOME, "--dry-run=server", "--type=merge")
        delete = ("delete", "--raw", f"{ALL}/{name}?dryRun=All")
        for words in (delete, (*place, MARKED)):
            taken, said = attempt(claimed, {}, *words)
            assert taken != ours, said
            assert ("It is the stack's" in said) == ours


def test_all_claims_at_once_are_not_deleted_with_the_stacks(claimed: Cluster) -> None:
    taken, said = attempt(claimed, {}, "delete", "--raw", f"{ALL}?dryRun=All")
    assert not taken
    assert "It is the stack's" in said
