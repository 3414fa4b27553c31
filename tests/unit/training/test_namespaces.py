"""Namespaces of controllers without a chart admit their pods also where the cluster's default is `restricted`."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.kustomization import Manifests
from bedplate.components.training import mpi_operator, training_operator

LABEL = "pod-security.kubernetes.io/enforce"
FOLDERS = [
    (one, file.parent)
    for one in (mpi_operator.MANIFESTS, training_operator.MANIFESTS)
    for file in sorted(one.folder.rglob("kustomization.yaml"))
]


def upstream(manifests: Manifests) -> list[dict[str, Any]]:
    """As much as our patches are about, without a word on Pod Security, as all of these projects have it."""
    (home,) = manifests.takes
    args = {"containers": [{"name": "main", "image": "example.com/it:1", "args": ["serve"]}]}
    named = (
        ("apps/v1", "Deployment", manifests.name, {"spec": {"template": {"spec": args}}}),
        ("v1", "Secret", "training-operator-webhook-cert", {}),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "kubeflow-mpijobs-admin", {}),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "mpijobs.kubeflow.org", {}),
    )
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": home}}
    return [space, *({"apiVersion": a, "kind": k, "metadata": {"name": n}, **rest} for a, k, n, rest in named)]


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl builds the kustomization")
@pytest.mark.parametrize(("manifests", "folder"), FOLDERS, ids=lambda one: one.name)
def test_the_namespace_says_what_its_pods_need(manifests: Manifests, folder: Path, tmp_path: Path) -> None:
    base = tmp_path / folder.parent.name
    shutil.copytree(folder.parent, base)
    for file in base.rglob("kustomization.yaml"):
        document = yaml.safe_load(file.read_text())
        if not any(each.startswith("..") for each in document["resources"]):
            (file.parent / "upstream.yaml").write_text(yaml.safe_dump_all(upstream(manifests)))
            file.write_text(yaml.safe_dump({**document, "resources": ["upstream.yaml"]}))
    built = subprocess.run(
        ["kubectl", "kustomize", str(base / folder.name)], capture_output=True, text=True, check=True
    )
    [space] = [one for one in yaml.safe_load_all(built.stdout) if one["kind"] == "Namespace"]
    # Neither operator has a whole securityContext, which `restricted` asks for.
    assert space["metadata"]["labels"][LABEL] == "baseline"
