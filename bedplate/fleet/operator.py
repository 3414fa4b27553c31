"""The fleet as `Stack` objects of the Pulumi Kubernetes Operator, for companies that let no CI into their clusters.

The operator begins a stack once each of its prerequisites has succeeded at its newest generation (v2.9.0 of
pulumi/pulumi-kubernetes-operator, operator/internal/controller/pulumi/stack_controller.go, `isRequirementSatisfied`).
So every object names one commit: a new one gives all of them a new generation, and a wave waits for the one before. By
a branch there would be no order, since an earlier commit's success counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.fleet.member import Formation, Member

API = "pulumi.com/v1"
CONTAINER = "pulumi"
"""In which the operator runs Pulumi (operator/internal/controller/auto/workspace_controller.go)."""
MOUNTED = "/kubeconfig"
LOST = (
    "gates: a wave begins once every update of the one before has succeeded; no verify, no doctor, no query",
    "the stop rule, soak, windows, budgets and pause: the wave after a red one waits, the rest of its own does not",
    "the policies: an Update of the operator names no policy pack; keep `bedplate fleet plan` in the pull request",
    "rollback: set the commit back",
)
"""What the operator has no equal for."""


@dataclass(frozen=True)
class Place:
    """Where the operator finds the fleet's project."""

    repository: str
    commit: str
    folder: str = ""
    """Of Pulumi.yaml, from the repository's top."""
    backend: str = ""
    namespace: str = "pulumi"
    service_account: str = "pulumi"


def stacks(formed: Formation, place: Place) -> Iterator[Mapping[str, Any]]:
    """One a cluster, each waiting for the whole wave before."""
    before: tuple[str, ...] = ()
    for _, members in formed.waves:
        for member in members:
            yield _stack(formed, member, place, before)
        before = tuple(member.name for member in members)


def _stack(formed: Formation, member: Member, place: Place, before: Sequence[str]) -> Mapping[str, Any]:
    spec = {
        "stack": member.stack,
        "projectRepo": member.source.repository or place.repository,
        "commit": member.source.revision or place.commit,
        "repoDir": place.folder,
        "backend": place.backend,
        "serviceAccountName": place.service_account,
        "prerequisites": [{"name": name} for name in before],
    }
    labels = {"bedplate/fleet": formed.fleet.name, "bedplate/wave": formed.wave_of(member.name)}
    metadata = {"name": member.name, "namespace": place.namespace, "labels": labels}
    stated = {key: value for key, value in spec.items() if value}
    return {"apiVersion": API, "kind": "Stack", "metadata": metadata, "spec": {**stated, **_credentials(member)}}


def _credentials(member: Member) -> Mapping[str, Any]:
    """Of the Secret that is named after the cluster: its kubeconfig as a file, and the stack's passphrase."""
    passphrase = {"type": "Secret", "secret": {"name": member.name, "key": "passphrase"}}
    kubeconfig = {"type": "Literal", "literal": {"value": f"{MOUNTED}/kubeconfig"}}
    mount = {"name": "kubeconfig", "mountPath": MOUNTED, "readOnly": True}
    source = {"secretName": member.name, "items": [{"key": "kubeconfig", "path": "kubeconfig"}]}
    pod = {
        "containers": [{"name": CONTAINER, "volumeMounts": [mount]}],
        "volumes": [{"name": "kubeconfig", "secret": source}],
    }
    return {
        "envRefs": {"PULUMI_CONFIG_PASSPHRASE": passphrase, "KUBECONFIG": kubeconfig},
        "workspaceTemplate": {"spec": {"podTemplate": {"spec": pod}}},
    }
