"""Whether a pod with GPUs names NVIDIA's runtime: where that is not the default one, and GPUs do not come by CDI."""

from typing import Any

import pytest

from bedplate.components.facts import Args, Facts
from bedplate.components.observability import dcgm_exporter
from bedplate.components.observability.dcgm_exporter import DcgmExporterSection
from bedplate.components.serving.section import ServingSection
from bedplate.components.serving.servers import manifests
from bedplate.components.serving.vllm_stack import VllmStackServer, helm_values
from bedplate.components.workload.contract import contract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.stack_files import document
from tests.training_jobs import all_templates, is_worker, job, rendered

OLD = {"gpuOperator": {"version": "v25.3.4"}, "kubernetesVersion": "1.32"}
SITES_OWN = {"existing": {"devicePlugin": {}}, "gpuOperator": None, "nfd": None}
TALOS = {"platform": "talos", "nodeOs": "talos", "driverOwner": "image"}


def cluster(changes: dict[str, Any]) -> Facts:
    """Without fabric, so that any operator may be on any platform."""
    kept = ("name", "context", "kubernetesVersion", "clusterNetwork", "nfd", "gpuOperator")
    profile = {key: value for key, value in document("inference-l40s").items() if key in kept}
    profile |= {
        "platform": "rke2",
        "nodeOs": "ubuntu",
        "driverOwner": "image",
        "gpuOperator": {},
        "fabric": {"kind": "none"},
        "pools": [{"name": "system", "shape": {"cpus": 8, "memoryGib": 32}, "nodes": 2}, L40S],
        "tenancy": {"teams": [{"name": "research"}]},
        "training": {"jobset": {}},
        **changes,
    }
    return facts(load({key: value for key, value in profile.items() if value is not None}))


L40S = {"name": "l40s", "shape": {"gpu": "L40S", "gpus": 4, "cpus": 64, "memoryGib": 512}, "nodes": 2}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, None),
        (OLD, "nvidia"),
        (OLD | {"platform": "k3s"}, "nvidia"),
        (OLD | {"platform": "kubeadm"}, None),
        ({"gpuOperator": {"cdi": False}}, "nvidia"),
        (SITES_OWN, "nvidia"),
        (SITES_OWN | TALOS, "nvidia"),
        (TALOS | {"nodeOs": "talos"}, None),
        (SITES_OWN | {"platform": "kubeadm"}, None),
    ],
)
def test_jobs_name_the_runtime_that_gives_them_their_gpus(changes: dict[str, Any], named: str | None) -> None:
    """By the default runtime they would start, count as users of GPUs, and see none."""
    known = cluster(changes)
    workers = [one for one in all_templates(rendered(job("JobSet", nodes=1), known)) if is_worker(one)]
    assert {one["spec"].get("runtimeClassName") for one in workers} == {named}
    assert contract(known, "research").document()["wholeNode"]["l40s"].get("runtimeClassName") == named


def test_those_who_only_start_others_name_none() -> None:
    known = cluster(OLD | {"training": {"mpiOperator": {}}})
    templates = all_templates(rendered(job("MPIJob", nodes=1), known))
    assert [one["spec"].get("runtimeClassName") for one in templates if not is_worker(one)] == [None]


def test_servers_and_the_exporter_name_it_too() -> None:
    """The exporter of a site whose plugin is its own reads GPUs by the driver's libraries, which the runtime mounts."""
    model = {"namespace": "research", "pool": "l40s", "model": "llama-3.1-8b", "weights": {"kind": "hugging-face"}}
    weights = {"weights": {"kind": "hugging-face", "repository": "org/model"}}
    server = {"kind": "vllm", "name": "chat", **model, **weights}
    known = cluster(SITES_OWN | TALOS)
    one = VllmStackServer.model_validate(server | {"kind": "vllm-stack"})
    assert helm_values(Args(one, known))["servingEngineSpec"]["runtimeClassName"] == "nvidia"
    assert dcgm_exporter.helm_values(Args(DcgmExporterSection(), known))["runtimeClassName"] == "nvidia"
    section = ServingSection.model_validate({"servers": [server]})
    (workload, *_) = manifests(section.servers[0], Args(section, known))
    assert workload["spec"]["template"]["spec"]["runtimeClassName"] == "nvidia"
    assert "runtimeClassName" not in dcgm_exporter.helm_values(Args(DcgmExporterSection(), cluster({})))
