"""The kustomizations of controllers without a chart do what they say, on stand-ins for the upstream manifests."""

import json
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from bedplate.components.training import kustomization
from bedplate.components.training.mpi_operator import MpiOperatorSection
from bedplate.components.training.training_operator import TrainingOperatorSection
from bedplate.lab.cluster import Cluster

TRAINING = Path(kustomization.__file__).parent


def deployment(name: str, container: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": name, **container}]}}
    spec = {"selector": {"matchLabels": labels}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def crd(name: str) -> dict[str, Any]:
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name}}


def aggregated(name: str) -> dict[str, Any]:
    rule = {"clusterRoleSelectors": [{"matchLabels": {"aggregate-to": name}}]}
    api = "rbac.authorization.k8s.io/v1"
    return {"apiVersion": api, "kind": "ClusterRole", "metadata": {"name": name}, "aggregationRule": rule}


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


STAND_INS: dict[str, list[dict[str, Any]]] = {
    "training_operator": [
        namespace("kubeflow"),
        deployment("training-operator", {"image": "kubeflow/training-operator", "command": ["/manager"]}),
        crd("pytorchjobs.kubeflow.org"),
        crd("mpijobs.kubeflow.org"),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "training-operator-webhook-cert"}},
    ],
    "mpi_operator": [
        namespace("mpi-operator"),
        deployment("mpi-operator", {"image": "mpioperator/mpi-operator:latest", "args": ["-alsologtostderr"]}),
        crd("mpijobs.kubeflow.org"),
        aggregated("kubeflow-mpijobs-admin"),
    ],
}


def built(product: str, variant: str, cluster: Cluster, folder: Path) -> dict[str, dict[str, Any]]:
    """What `kubectl kustomize` makes of ours over the stand-in, by name."""
    copy = folder / product
    shutil.copytree(TRAINING / product, copy)
    for path in copy.glob("*/kustomization.yaml"):
        ours = yaml.safe_load(path.read_text())
        if any(resource.startswith("https://") for resource in ours["resources"]):
            (path.parent / "upstream.yaml").write_text(yaml.safe_dump_all(STAND_INS[product]))
            path.write_text(json.dumps(ours | {"resources": ["upstream.yaml"]}))
    made = yaml.safe_load_all(cluster.kubectl("kustomize", str(copy / variant)))
    return {one["metadata"]["name"]: one for one in made if one["kind"] != "Namespace"}


def arguments(made: dict[str, Any]) -> list[str]:
    return made["spec"]["template"]["spec"]["containers"][0]["args"]


@pytest.mark.parametrize("version", get_args(TrainingOperatorSection.model_fields["version"].annotation))
@pytest.mark.parametrize("gang", ["", "-volcano"])
def test_the_training_operator_leaves_mpijobs_alone(version: str, gang: str, cluster: Cluster, tmp_path: Path) -> None:
    made = built("training_operator", f"{version}{gang}", cluster, tmp_path)
    assert "mpijobs.kubeflow.org" not in made
    assert "pytorchjobs.kubeflow.org" in made
    assert made["training-operator-webhook-cert"]["data"], "an empty one would be replaced at every `up`"
    args = arguments(made["training-operator"])
    assert "--enable-scheme=pytorchjob" in args
    assert not any("mpijob" in one for one in args)
    assert ("--enable-scheme=jaxjob" in args) is (version == "v1.9.4")
    assert [one for one in args if "gang" in one] == (["--gang-scheduler-name=volcano"] if gang else [])


@pytest.mark.parametrize("version", get_args(MpiOperatorSection.model_fields["version"].annotation) or ("v0.8.2",))
@pytest.mark.parametrize("gang", ["", "-volcano"])
def test_the_mpi_operator_owns_mpijobs(version: str, gang: str, cluster: Cluster, tmp_path: Path) -> None:
    made = built("mpi_operator", f"{version}{gang}", cluster, tmp_path)
    assert "mpijobs.kubeflow.org" in made
    assert not [name for name, one in made.items() if "aggregationRule" in one], "none that comes back when deleted"
    [container] = made["mpi-operator"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"mpioperator/mpi-operator:{version.removeprefix('v')}"
    assert arguments(made["mpi-operator"]) == ["-alsologtostderr", *(["--gang-scheduling=volcano"] if gang else [])]
