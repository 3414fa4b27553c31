"""Pods wherever they stand: sidecars, containers that look inside, claims, and kinds that only their operator knows."""

import csv
from collections.abc import Sequence
from typing import Any

import pytest

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.kinds import known
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.paths import TABLE, rows
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload, workload_of
from bedplate.policies.values import UNKNOWN
from tests.tools.pod_paths import rows as rows_of
from tests.upstream import upstream

GPUS = {"resources": {"limits": {"nvidia.com/gpu": 4}}}
SERVER = {"name": "server", "image": "x:1", "command": ["vllm", "serve", "m", "--tensor-parallel-size", "8"], **GPUS}


def whole(kind: str, api: str, spec: dict[str, Any], file: str = "") -> Resource:
    return from_manifest(
        {"apiVersion": api, "kind": kind, "metadata": {"name": "x", "namespace": "n"}, "spec": spec}, file
    )


def found(resource: Resource) -> Workload:
    workload = workload_of(resource)
    assert workload is not None
    return workload


def pod(**spec: Any) -> Pod:
    return found(whole("Pod", "v1", spec)).pods[0]


def rules(*resources: Resource) -> dict[str, str]:
    return {each.rule: each.severity for each in judge(resources, Facts(), complete=False)}


def test_an_init_container_that_always_restarts_runs_beside_the_others() -> None:
    sidecar = {"name": "proxy", "image": "p:1", "restartPolicy": "Always", **GPUS}
    early = {"name": "fetch", "image": "f:1", **GPUS}
    both = pod(containers=[{"name": "main", "image": "m:1"}], initContainers=[early, sidecar])
    assert [each["name"] for each in both.containers] == ["main", "proxy"]
    assert [each["name"] for each in both.all_containers] == ["fetch", "main", "proxy"]
    assert both.gpus == 4


def test_what_an_ephemeral_container_is_told_counts_as_the_pods() -> None:
    inside = {"name": "debug", "image": "d:1", "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}
    looked = whole("Pod", "v1", {"containers": [{"name": "main", "image": "m:1"}], "ephemeralContainers": [inside]})
    assert "GPU-126" in rules(looked)


@pytest.mark.parametrize(
    ("request_", "gpus"),
    [
        ({"exactly": {"deviceClassName": "gpu.nvidia.com", "count": 8}}, 8),
        ({"deviceClassName": "gpu.nvidia.com"}, 1),
        ({"firstAvailable": [{"deviceClassName": "gpu.nvidia.com", "count": 2}, {"deviceClassName": "x"}]}, 2),
        ({"exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All"}}, 0),
        ({"exactly": {"deviceClassName": "mig.nvidia.com", "count": 2}}, 0),
    ],
)
def test_gpus_that_come_by_claim_are_gpus_of_the_pod(request_: dict[str, Any], gpus: int) -> None:
    template = whole("ResourceClaimTemplate", "resource.k8s.io/v1", {"spec": {"devices": {"requests": [request_]}}})
    claims = [{"name": "gpu", "resourceClaimTemplateName": "x"}]
    main = {"name": "main", "image": "m:1", "resources": {"claims": [{"name": "gpu"}]}}
    claiming = whole("Pod", "v1", {"containers": [main], "resourceClaims": claims})
    (found_pod,) = Stack([template, claiming], Facts()).pods
    assert found_pod.gpus == gpus
    assert found_pod.gpu_containers == ([main] if gpus else [])


OPERATORS = [
    ("InferenceService", "serving.kserve.io/v1beta1", {"predictor": {"containers": [SERVER]}}),
    ("ClusterServingRuntime", "serving.kserve.io/v1alpha1", {"containers": [SERVER]}),
    ("LLMInferenceService", "serving.kserve.io/v1alpha1", {"template": {"containers": [SERVER]}}),
    (
        "PodCliqueSet",
        "grove.io/v1alpha1",
        {"template": {"cliques": [{"name": "a", "spec": {"podSpec": {"containers": [SERVER]}}}]}},
    ),
    ("Workflow", "argoproj.io/v1alpha1", {"templates": [{"name": "serve", "container": SERVER}]}),
]


@pytest.mark.parametrize(("kind", "api", "spec"), OPERATORS)
def test_a_pod_spec_is_found_in_any_kind_and_judged_by_what_it_says(kind: str, api: str, spec: dict[str, Any]) -> None:
    resource = whole(kind, api, spec)
    assert found(resource).pods[0].gpus == 4
    assert rules(resource)["INF-601"] == "advisory"


def test_a_container_by_another_name_is_one() -> None:
    env = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    model = {"modelFormat": {"name": "vllm"}, "args": ["--x"], "env": env, **GPUS}
    assert "GPU-126" in rules(whole("InferenceService", "serving.kserve.io/v1beta1", {"predictor": {"model": model}}))
    nim = {"image": {"repository": "nim"}, "env": env, **GPUS}
    assert "GPU-126" in rules(whole("NIMService", "apps.nvidia.com/v1alpha1", nim))


def test_dynamos_own_word_for_a_gpu_is_understood() -> None:
    worker = {"resources": {"limits": {"gpu": "8"}}, "extraPodSpec": {"mainContainer": {"image": "d:1"}}}
    graph = whole("DynamoGraphDeployment", "nvidia.com/v1alpha1", {"services": {"Decode": worker}})
    (only,) = found(graph).pods
    assert (only.gpus, only.role) == (8, "Decode")


def test_what_an_operators_object_or_a_patch_does_not_say_is_not_known() -> None:
    spec = {"predictor": {"containers": [SERVER]}}
    completed = found(whole("InferenceService", "serving.kserve.io/v1beta1", spec)).pods[0]
    assert completed.spec.get("volumes") is UNKNOWN
    assert not completed.marks_known
    assert not completed.env_known
    patch = whole(
        "Deployment", "apps/v1", {"template": {"spec": {"containers": [{"name": "a", **GPUS}]}}}, file="patch.yaml"
    )
    assert found(patch).pods[0].spec.get("tolerations") is UNKNOWN
    assert [severity for severity in rules(patch).values() if severity == "mandatory"] == []


@pytest.mark.parametrize(
    ("kind", "api"),
    [
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1"),
        ("ClusterPolicy", "kyverno.io/v1"),
        ("PodTemplate", "v1"),
    ],
)
def test_what_only_looks_like_a_pod_is_none(kind: str, api: str) -> None:
    assert workload_of(whole(kind, api, {"template": {"spec": {"containers": [SERVER]}}})) is None


def test_an_mpijobs_workers_have_what_its_launcher_exports_and_the_launcher_has_none_of_it() -> None:
    launcher = {"name": "l", "image": "m:1", "command": ["mpirun", "-x", "NCCL_IB_DISABLE=1", "-x", "LOG=1", "train"]}
    worker = {"name": "w", "image": "m:1", "env": [{"name": "NCCL_DEBUG", "value": "WARN"}], **GPUS}
    specs = {
        role: {"template": {"spec": {"containers": [each]}}}
        for role, each in (("Launcher", launcher), ("Worker", worker))
    }
    pods = found(whole("MPIJob", "kubeflow.org/v2beta1", {"mpiReplicaSpecs": specs})).pods
    assert dict(pods[0].env) == {}
    assert dict(pods[1].env) == {"NCCL_DEBUG": "WARN", "NCCL_IB_DISABLE": "1"}


PLACES = [(group, kind, steps, main) for (group, kind), found_rows in rows().items() for steps, main in found_rows]


def at(steps: Sequence[str], node: dict[str, Any]) -> dict[str, Any]:
    """An object that has a node at a path."""
    made: Any = node
    for step in reversed(steps):
        made = [{"name": "role", **made}] if step == "[]" else {"role" if step == "*" else step: made}
    return dict(made)


@pytest.mark.parametrize(("group", "kind", "steps", "main"), PLACES, ids=str)
def test_a_faulty_server_is_found_at_every_path_of_every_kind(
    group: str, kind: str, steps: Sequence[str], main: Sequence[str]
) -> None:
    container = {"args": ["--tensor-parallel-size", "8", "--model", "m"], "image": "vllm/vllm-openai:v0.1.2", **GPUS}
    nodes: list[dict[str, Any]] = [{key: container} for key in main] + [{"containers": [SERVER]}]
    if steps[-1] == "template" or steps[-1].endswith("Template"):
        nodes = [{"spec": each} for each in nodes]
    if kind in {"NIMPipeline", "NIMService", "NIMBuild", "ModelBooster", "ClusterStorageContainer"} or "Nemo" in kind:
        nodes = [container]
    for node in nodes:
        props = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": "x"}, **at(steps, node)}
        resource = from_manifest(props, "")
        assert found(resource).gpu_pods[0].gpus == 4
        assert known(resource)


def test_a_model_beside_its_sidecar_has_the_volumes_of_its_pod() -> None:
    mounts = {"volumeMounts": [{"name": "m", "mountPath": "/dev/shm"}]}  # noqa: S108 (in the pod)
    model = {"modelFormat": {"name": "vllm"}, **GPUS, **mounts}
    predictor = {"model": model, "containers": [{"name": "proxy", "image": "p:1"}], "volumes": [{"name": "m"}]}
    (one,) = found(whole("InferenceService", "serving.kserve.io/v1beta1", {"predictor": predictor})).pods
    assert [each["name"] for each in one.containers] == ["model", "proxy"]
    assert one.shares_memory(one.containers[0])


def test_the_pods_of_a_role_are_counted_by_all_that_multiplies_them() -> None:
    template = {"spec": {"containers": [SERVER]}}
    role = {"name": "decode", "replicas": 2, "entryTemplate": template, "workerReplicas": 3, "workerTemplate": template}
    served = found(whole("ModelServing", "workload.serving.volcano.sh/v1alpha1", {"template": {"roles": [role]}}))
    assert [(each.role, each.replicas) for each in served.pods] == [("decode entry", 2), ("decode worker", 6)]
    group = {"roles": [{"name": "prefill", "replicas": 2, "leaderWorkerPattern": {"size": 4, "template": template}}]}
    (grouped,) = found(whole("RoleBasedGroup", "workloads.x-k8s.io/v1alpha2", group)).pods
    assert (grouped.role, grouped.replicas) == ("prefill", 8)


@pytest.mark.parametrize("release", ["jobset-0.12.0", "lws-0.10.0", "training-operator-1.9.4"])
def test_the_paths_are_those_of_the_definitions(release: str) -> None:
    """Of three that are soon read; the tool reads all, and other projects' from their clones."""
    texts = (each.read_text("utf-8") for each in upstream("crds", release).glob("*.yaml"))
    with TABLE.open(encoding="utf-8", newline="") as file:
        stated = {tuple(row.values())[:4] for row in csv.DictReader(file) if release in row["source"].split()}
    assert stated == {row[:4] for row in rows_of(texts, release)}
