"""Components that no stack of ours shows whole: what each declares."""

import json
from typing import Any

from bedplate.folders import PROJECT
from bedplate.plan.graph import Graph, Node
from tests.cloud_profiles import SYSTEM
from tests.stack_files import document, graph, graph_of
from tests.tools import golden_objects


def below(declared: Graph, kind: str) -> list[Node]:
    """Everything that the one component of a class declares, at any depth."""
    (top,) = [node for node in declared.resources if node.type.startswith("bedplate:") and node.kind == kind]
    found = list(declared.children(top.urn))
    for node in found:
        found.extend(declared.children(node.urn))
    return found


def test_gke_gets_the_installer_of_its_fabric() -> None:
    (installer,) = below(graph("gke-a3-mega"), "GpuDirectInstaller")
    assert installer.name == "gpudirect-tcpxo"
    assert installer.inputs["directory"] == "components/network/gpudirect/tcpxo"


def test_a4x_gets_the_plug_in_of_its_architecture_which_alone_picks_its_nodes() -> None:
    (installer,) = below(golden_objects.declared("gke-a4x"), "GpuDirectInstaller")
    assert installer.inputs["directory"] == "components/network/gpudirect/gib-a4x"
    kustomization = PROJECT / installer.inputs["directory"] / "kustomization.yaml"
    assert "nccl-rdma-installer-a4x.yaml" in kustomization.read_text()


def test_azures_driver_comes_from_its_manifests_or_from_the_mirrors_copy() -> None:
    one = document("onprem-h100-ib")
    one |= {"platform": "aks", "nodeOs": "ubuntu", "driverOwner": "operator", "kubernetesVersion": "1.34"}
    assert azure_directory(one) == "components/storage/azure-lustre"
    assert azure_directory(one | {"charts": {"mirror": "/srv/charts/"}}) == "/srv/charts/azure-lustre-v0.4.0"


def azure_directory(one: dict[str, Any]) -> str:
    pools = [{"name": "h100", "shape": "ND96isr_H100_v5", "nodes": 2}, SYSTEM]
    fabric = {"kind": "infiniband", "exposure": "shared", "rails": []}
    storage = {"driver": {"kind": "azure-lustre"}}
    kept = {key: one[key] for key in ("name", "platform", "nodeOs", "kubernetesVersion", "context", "driverOwner")}
    profile = kept | {"pools": pools, "fabric": fabric, "storage": storage, "nfd": {}, "gpuOperator": {}}
    profile |= {"networkOperator": {}} | ({"charts": one["charts"]} if "charts" in one else {})
    (driver,) = below(graph_of(profile), "AzureLustre")
    return driver.inputs["directory"]


def test_a_team_reads_in_its_namespace_what_its_pods_must_ask_for() -> None:
    maps = below(graph("onprem-h100-roce"), "WorkloadContract")
    assert {one.inputs["metadata"]["namespace"] for one in maps} == {"research", "serving"}
    for one in maps:
        said = json.loads(one.inputs["data"]["contract.json"])
        assert one.inputs["metadata"]["name"] == "bedplate-workload-contract"
        assert said["namespace"] == one.inputs["metadata"]["namespace"]
        assert said["wholeNode"]["h100"]["resources"]["nvidia.com/gpu"] == "8"
