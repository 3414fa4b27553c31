"""Admission policies on the lab's API server, which takes note of them only a moment after it has stored them."""

import json
import subprocess
import time
import uuid
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

from bedplate.lab.cluster import Cluster

KINDS = "validatingadmissionpolicybinding,validatingadmissionpolicy"
TRY = ("create", "--dry-run=server", "--validate=ignore", "-f", "-")
PATIENCE = 60
"""Seconds; the API server reads its policies anew once a second."""


def attempt(cluster: Cluster, one: Mapping[str, Any], *words: str) -> tuple[bool, str]:
    """Whether the API server would take an object, or what other words ask of it, and all that it says."""
    command = [*cluster.kubectl_command, *(words or TRY)]
    done = subprocess.run(command, input=json.dumps(one), capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


@contextmanager
def guarding(cluster: Cluster, objects: Iterable[Mapping[str, Any]]) -> Generator[None]:
    """While these policies are enforced."""
    try:
        cluster.apply(objects)
        noted(cluster)
        yield
    finally:
        cluster.kubectl("delete", KINDS, "--all", "--wait=true")


@contextmanager
def unguarded(cluster: Cluster) -> Generator[None]:
    """While no policy of the stack speaks before a controller's own webhook."""
    there = json.loads(cluster.kubectl("get", KINDS, "--output=json"))["items"]
    kept = [{**one, "metadata": {"name": one["metadata"]["name"]}} for one in there]
    cluster.kubectl("delete", KINDS, "--all", "--wait=true")
    noted(cluster)
    try:
        yield
    finally:
        cluster.apply(kept)
        noted(cluster)


def noted(cluster: Cluster) -> None:
    """Until the API server acts on its policies as they are now.

    It hears of changes in the order in which they were made and takes them up together, so that once it enforces one
    more policy, no earlier change is still to come, be it a policy that went.
    """
    token = f"noted-{uuid.uuid4()}"
    cluster.apply(_last(token))
    probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": token, "namespace": "default"}}
    end = time.monotonic() + PATIENCE
    while attempt(cluster, probe)[0]:
        assert time.monotonic() < end, "the API server never took note of its policies"


def _last(token: str) -> list[dict[str, Any]]:
    """A policy and its binding that refuse the ConfigMap of this name alone."""
    admission, metadata = {"apiVersion": "admissionregistration.k8s.io/v1"}, {"name": "tests-last"}
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": f"object.metadata.name != '{token}'"}],
    }
    bound = {"policyName": metadata["name"], "validationActions": ["Deny"]}
    return [
        {**admission, "kind": "ValidatingAdmissionPolicy", "metadata": metadata, "spec": spec},
        {**admission, "kind": "ValidatingAdmissionPolicyBinding", "metadata": metadata, "spec": bound},
    ]
