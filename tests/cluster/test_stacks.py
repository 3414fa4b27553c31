"""Every stack's manifests on a real API server, with the nodes of its profile: taken as they are, and ready."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.nodes import nodes
from bedplate.lab.stages import READY
from bedplate.lab.watch import counted
from bedplate.plan.__main__ import main
from bedplate.plan.manifests import manifests
from tests.cluster import guarding
from tests.stack_files import STACKS, document, graph, known, profile

CONDITIONS = {
    **{ready.kind: ready.wait for ready in READY},
    "Deployment": "condition=Available",
    "StatefulSet": "jsonpath={.status.readyReplicas}",
    "Job": "condition=Complete",
    "PersistentVolumeClaim": "jsonpath={.status.phase}=Bound",
}
"""What `ready` means for a kind, Volcano's Job aside; a kind that is not here is ready as soon as it exists."""


GKE = "networking.gke.io/v1"
"""The API of GKE's own control plane, whose definitions nobody publishes."""


@pytest.fixture(params=STACKS)
def stack(request: pytest.FixtureRequest, cluster: Cluster, crds: None, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A stack's manifests on the nodes of its pools; everything goes before the next stack comes."""
    name: str = request.param
    assert main([name, "--out", str(tmp_path / "plan")]) == 0
    folder = tmp_path / "plan" / "manifests"
    for path in folder.iterdir():
        if f"apiVersion: {GKE}\n" in path.read_text():
            path.unlink()
    brought = list(site(name))
    cluster.apply([*nodes(profile(name)), *brought])
    yield name, folder
    late = folder.with_name("late")
    for place in (late, folder):
        if place.exists() and any(place.iterdir()):
            cluster.kubectl("delete", "--ignore-not-found", "-f", str(place))
    for one in brought:
        cluster.kubectl("delete", "--ignore-not-found", one["kind"], one["metadata"]["name"])
    cluster.kubectl("delete", "nodes", "--all")
    guarding.noted(cluster)  # or the last stack's policies judge the next one's pods


def site(stack: str) -> Iterator[dict[str, Any]]:
    """Namespaces and storage classes that the profile names and the site has made before us."""
    declared = [manifest.document for manifest in manifests(graph(stack))]
    ours = {(d["kind"], d["metadata"]["name"]) for d in declared}
    homes = {("Namespace", home) for d in declared if (home := d["metadata"].get("namespace"))}
    classes = {("StorageClass", name) for d in declared if (name := d.get("spec", {}).get("storageClassName"))}
    for kind, name in sorted((homes | classes) - ours):
        assert f"'{name}'" in str(document(stack)), f"{stack} neither declares {kind} {name} nor names it"
        api = {"Namespace": "v1", "StorageClass": "storage.k8s.io/v1"}[kind]
        made = {"provisioner": "site.example.com"} if kind == "StorageClass" else {}
        yield {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **made}


def test_the_api_server_takes_every_object_and_what_runs_becomes_ready(
    stack: tuple[str, Path], cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    name, folder = stack
    enforced(cluster, folder)
    counted(cluster, [team.name for team in known(name).teams])
    pools = [path for path in sorted(folder.iterdir()) if "kind: IPPool\n" in path.read_text()]
    late = folder.with_name("late")
    late.mkdir()
    for path in pools:
        path.rename(late / path.name)
    taken(cluster, folder)
    if pools:  # the operator serves the kind once it has the policy, and the program waits for that
        for condition in ("create", "condition=established"):
            cluster.kubectl("wait", f"--for={condition}", "crd/ippools.nv-ipam.nvidia.com", "--timeout=60s")
        taken(cluster, late)
    for manifest in manifests(graph(name)):
        if (condition := CONDITIONS.get(manifest.document["kind"])) and is_placed_here(manifest.document):
            cluster.kubectl("wait", f"--for={condition}", *reference(manifest.document), "--timeout=60s")


def enforced(cluster: Cluster, folder: Path) -> None:
    """The stack's policies and quotas, before anything that they judge comes: `pulumi up` takes minutes from one to the other."""
    early = ("\nkind: ValidatingAdmissionPolicy", "\nkind: Namespace\n", "\nkind: ResourceQuota\n")
    for path in sorted(folder.iterdir()):
        if any(kind in path.read_text() for kind in early):
            cluster.kubectl("apply", "--server-side", "-f", str(path))
    guarding.noted(cluster)


def taken(cluster: Cluster, folder: Path) -> None:
    """The API server takes every file of a folder, to the letter of its kinds."""
    said = cluster.kubectl("apply", "--server-side", "--validate=strict", "-f", str(folder))
    assert len(said.splitlines()) == len(list(folder.iterdir()))


def is_placed_here(document: Mapping[str, Any]) -> bool:
    """Its pods ask for the cluster's own scheduler: no other runs in the lab, so theirs stay Pending."""
    template = document.get("spec", {}).get("template", {})
    return template.get("spec", {}).get("schedulerName", "default-scheduler") == "default-scheduler"


def reference(document: Mapping[str, Any]) -> tuple[str, ...]:
    """How kubectl is told of an object."""
    group, _, version = document["apiVersion"].rpartition("/")
    kind = f"{document['kind']}.{version}.{group}" if group else document["kind"]
    home = document["metadata"].get("namespace")
    return (f"{kind}/{document['metadata']['name']}", *(("-n", home) if home else ()))
