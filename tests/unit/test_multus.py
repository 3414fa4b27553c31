"""The thick plugin of Multus, as each platform needs it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.network import multus
from bedplate.evidence.images import images
from bedplate.plan.graph import Graph
from tests.stack_files import graph_of
from tests.unit.checks.case import GONE, edited
from tests.unit.checks.edges_platforms import OWN_DEVICES, TALOS

NAMES = ("cni", "host-run", "host-run-netns")
OWN_RAILS = {
    **OWN_DEVICES,
    "networkOperator": GONE,
    "fabric.existingDevices": {"example.com/hca": 8},
    "fabric.exposure": "sriov",
    "fabric.hcas": GONE,
    "multus": {},
    "whereabouts": {},
}


def planned(**changes: Any) -> Graph:
    return graph_of(edited("onprem-h100-roce", {**OWN_RAILS, **changes}))


def folder(planned: Graph) -> str:
    [directory] = [node for node in planned.resources if "kustomize" in node.type and node.name == "multus"]
    return str(directory.inputs["directory"])


def upstream() -> str:
    """The part of the project's manifest that matters here: its volumes."""
    volumes = [
        {"name": name, "hostPath": {"path": f"/{name.replace('host-', '').replace('-', '/')}"}} for name in NAMES
    ]
    container = {"name": "kube-multus", "image": "ghcr.io/k8snetworkplumbingwg/multus-cni:any"}
    spec = {"template": {"spec": {"containers": [container], "volumes": volumes}}}
    made = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "kube-multus-ds"}, "spec": spec}
    return yaml.safe_dump(made)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl renders kustomizations")
@pytest.mark.parametrize(("platform", "path"), [("talos", "/var/run/netns/"), ("kubeadm", "/run/netns")])
def test_multus_looks_for_network_namespaces_where_the_node_keeps_them(
    platform: str, path: str, tmp_path: Path
) -> None:
    """docs.siderolabs.com, kubernetes-guides/cni/multus: else no new pod of a Talos cluster gets a sandbox."""
    ours = multus.manifests(platform).folder
    shutil.copytree(ours.parent, tmp_path / "network")
    base = tmp_path / "network" / "multus"
    kustomization = yaml.safe_load((base / "kustomization.yaml").read_text())
    (base / "upstream.yaml").write_text(upstream())
    (base / "kustomization.yaml").write_text(json.dumps(kustomization | {"resources": ["upstream.yaml"]}))
    command = ["kubectl", "kustomize", str(tmp_path / "network" / ours.name)]
    made = yaml.safe_load(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    volumes = {one["name"]: one["hostPath"]["path"] for one in made["spec"]["template"]["spec"]["volumes"]}
    assert volumes == {"cni": "/cni", "host-run": "/run", "host-run-netns": path}


def test_the_plan_takes_the_manifests_of_its_platform() -> None:
    assert Path(folder(planned())).name == "multus"
    assert Path(folder(planned(**TALOS))).name == "multus-talos"


def test_a_mirror_keeps_talos_manifests_apart() -> None:
    mirrored = planned(**TALOS, charts={"mirror": "mirror"})
    assert Path(folder(mirrored)).name == "multus-v4.3.0-talos"
    assert "ghcr.io/k8snetworkplumbingwg/multus-cni:v4.3.0-thick" in images(mirrored, ()).found
