"""`bedplate plan --emit argocd|flux`: what a controller delivers of a plan, in which order, and what it is told to be lost.

All objects of 59 clusters (six stacks and `tests/profiles`) were held against the controllers' own CRDs, strictly,
without a fault on 2026-11-25: argo-cd v3.5.1, helm-controller v1.6.3, kustomize-controller v1.9.4, source-controller
v1.9.1. The CRDs are not in the repository; `tests/schemas.yaml` has the fields that we write.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from cel_expr_python import cel

from bedplate.plan.__main__ import main
from bedplate.plan.capture import capture, capture_config
from bedplate.plan.emit.argocd import checks
from bedplate.plan.emit.conditions import Condition
from bedplate.plan.emit.emission import Emission, emission
from bedplate.plan.emit.place import Place
from bedplate.plan.emit.waves import Delivery, Wave
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Graph
from bedplate.plan.manifests import is_object, is_patch, manifests, object_of
from bedplate.plan.summary import releases
from bedplate.plan.wire import MASK
from bedplate.stacks.load import load
from bedplate.stacks.profile.stack_file import StackFiles
from tests.crds import faults

STACKS = ("lab", "onprem-h100-roce", "onprem-h100-ib", "eks-p5", "gke-a3-mega", "inference-l40s")
REFERENCE = "onprem-h100-roce"
PLACE = Place("https://git.example.com/clusters.git", "main", "clusters/a")
WITH_STATUS = cel.NewEnv(variables=dict.fromkeys(("metadata", "status"), cel.Type.DYN))


@cache
def graph(stack: str) -> Graph:
    return capture(stack)


@cache
def emitted(stack: str, controller: str) -> Emission:
    return emission(graph(stack), controller, PLACE)


def documents(stack: str, controller: str) -> dict[str, list[dict[str, Any]]]:
    """By the name of their file."""
    files = emitted(stack, controller).files
    return {name: [*yaml.safe_load_all(text)] for name, text in files.items() if "/kustomize/" not in name}


def of_kind(stack: str, controller: str, kind: str) -> dict[str, dict[str, Any]]:
    each = [one for file in documents(stack, controller).values() for one in file if one.get("kind") == kind]
    return {one["metadata"]["name"]: one for one in each}


@pytest.mark.parametrize("stack", STACKS)
def test_what_waits_for_something_comes_in_a_later_wave(stack: str) -> None:
    """By the plan's own edges: of two that are delivered, the one that names the other comes after it."""
    numbers = {_key(one): wave.number for wave in Delivery(graph(stack)).waves for one in _documents(wave)}
    charts = {chart.node.urn: wave.number for wave in Delivery(graph(stack)).waves for chart in wave.charts}
    wave = charts | {
        node.urn: numbers[_key(object_of(node))]
        for node in graph(stack).resources
        if (is_object(node) or is_patch(node)) and _key(object_of(node)) in numbers
    }
    edges = [
        (node, urn) for node in graph(stack).resources if node.urn in wave for urn in node.dependencies if urn in wave
    ]
    assert edges
    assert [(node.name, urn) for node, urn in edges if wave[urn] >= wave[node.urn]] == []


def _documents(wave: Wave) -> list[Mapping[str, Any]]:
    return [one.document for one in (*wave.objects, *wave.patches)]


def _key(document: Mapping[str, Any]) -> tuple[Any, ...]:
    metadata = document["metadata"]
    return document["apiVersion"], document["kind"], metadata.get("namespace"), metadata["name"]


def test_a_gate_holds_back_what_comes_after_it() -> None:
    numbers = {name: wave.number for wave in Delivery(graph(REFERENCE)).waves for name in _names(wave)}
    order = ["nfd", "network-operator", "nic-cluster-policy", "gpu-operator", "cluster-policy", "research-rail-0"]
    assert sorted(order, key=numbers.__getitem__) == order
    assert len({numbers[name] for name in order}) == len(order)


def _names(wave: Wave) -> list[str]:
    return [
        *(chart.name for chart in wave.charts),
        *(one.document["metadata"]["name"] for one in (*wave.objects, *wave.patches) if one.document["kind"] != "Namespace"),
    ]  # fmt: skip


@pytest.mark.parametrize("controller", ["argocd", "flux"])
@pytest.mark.parametrize("stack", STACKS)
def test_every_object_of_the_plan_is_delivered_once_or_told_to_be_lost(stack: str, controller: str) -> None:
    planned = [each.document for each in manifests(graph(stack))]
    secret = [one for one in planned if MASK in json.dumps(one)]
    files = {name: file for name, file in documents(stack, controller).items() if name.split("/")[1].isdigit()}
    written = [_key(one) for file in files.values() for one in file if "toolkit.fluxcd.io" not in one["apiVersion"]]
    patches = {_key(one.document) for wave in Delivery(graph(stack)).waves for one in wave.patches}
    objects = [one for one in written if one not in patches]
    assert sorted(map(str, objects)) == sorted(str(_key(one)) for one in planned if one not in secret)
    lost = emitted(stack, controller).lost
    assert [
        one
        for one in secret
        if f"Secret {one['metadata']['namespace']}/{one['metadata']['name']}, to be" not in "".join(lost)
    ] == []
    assert MASK not in "".join(emitted(stack, controller).files.values())


@pytest.mark.parametrize("stack", STACKS)
def test_releases_are_the_plans_own(stack: str) -> None:
    planned = {one["name"]: one for one in releases(graph(stack))}
    flux = {name: one["spec"] for name, one in of_kind(stack, "flux", "HelmRelease").items()}
    assert {
        name: (one["releaseName"], one["targetNamespace"], one["storageNamespace"]) for name, one in flux.items()
    } == {name: (name, one["namespace"], one["namespace"]) for name, one in planned.items()}
    argocd = of_kind(stack, "argocd", "Application")
    for name, one in planned.items():
        spec = argocd[f"{stack}-{name}"]["spec"]
        source = spec["source"]
        assert spec["destination"]["namespace"] == one["namespace"]
        assert (source["targetRevision"], source["helm"]["valuesObject"]) == (one["version"], flux[name]["values"])
        assert source["repoURL"] == (one["repo"] or one["chart"])


def test_crds_come_with_the_release_unless_another_brings_them() -> None:
    crds = {name: one["spec"]["install"]["crds"] for name, one in of_kind(REFERENCE, "flux", "HelmRelease").items()}
    assert crds["nfd"] == crds["jobset"] == "CreateReplace"
    skipped = {name for name, one in of_kind(REFERENCE, "argocd", "Application").items() if _skips(one)}
    assert skipped == {f"{REFERENCE}-{name}" for name, how in crds.items() if how == "Skip"}


def _skips(application: Mapping[str, Any]) -> bool:
    return application["spec"]["source"].get("helm", {}).get("skipCrds", False)


@pytest.mark.parametrize("stack", STACKS)
def test_each_wave_of_flux_waits_for_all_of_the_one_before(stack: str) -> None:
    waves: dict[str, dict[str, Any]] = {}
    for name, one in of_kind(stack, "flux", "Kustomization").items():
        waves.setdefault(name.removeprefix(f"{stack}-").split("-")[0], {})[name] = one["spec"]
        assert one["spec"]["wait"] is True
    before: set[str] = set()
    for number in sorted(waves):
        for spec in waves[number].values():
            assert {each["name"] for each in spec.get("dependsOn", ())} == before
            folder = spec["path"].removeprefix("./clusters/a/")
            assert any(name.startswith(f"{folder}/") for name in emitted(stack, "flux").files)
        before = set(waves[number])


def test_argo_cds_waves_are_those_of_flux() -> None:
    of = {name: one["metadata"]["annotations"] for name, one in of_kind(REFERENCE, "argocd", "Application").items()}
    for wave in Delivery(graph(REFERENCE)).waves:
        for chart in wave.charts:
            assert of[f"{REFERENCE}-{chart.name}"]["argocd.argoproj.io/sync-wave"] == str(wave.number)


@pytest.mark.parametrize("controller", ["argocd", "flux"])
def test_what_the_plan_protects_is_never_pruned(controller: str) -> None:
    marks = {
        "argocd": ("argocd.argoproj.io/sync-options", "Prune=false,Delete=false"),
        "flux": ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    }
    key, value = marks[controller]
    objects = [one for file in documents(REFERENCE, controller).values() for one in file]
    kept = {
        (one["kind"], one["metadata"]["name"])
        for one in objects
        if one.get("metadata", {}).get("annotations", {}).get(key) == value
    }
    assert {("Namespace", "research"), ("PersistentVolumeClaim", "datasets")} <= kept
    assert ("Namespace", "monitoring") not in kept
    assert any(kind in ("HelmRelease", "Application") and name.endswith("kueue") for kind, name in kept)


def check_of(stack: str, kind: str) -> str:
    waves = of_kind(stack, "flux", "Kustomization").values()
    return next(
        check["current"] for one in waves for check in one["spec"].get("healthCheckExprs", ()) if check["kind"] == kind
    )


NICS = {"name": "nic-cluster-policy"}
SERVED = {"name": "state-nv-ipam-cni", "state": "ready"}


@pytest.mark.parametrize(
    ("status", "name", "passes"),
    [
        ({"state": "ready", "appliedStates": [{"name": "other", "state": "error"}, SERVED]}, NICS, True),
        ({"state": "ready", "appliedStates": [{**SERVED, "state": "notReady"}]}, NICS, False),
        ({"state": "ready", "appliedStates": [{"name": "other", "state": "ready"}]}, NICS, False),
        ({"state": "notReady", "appliedStates": [SERVED]}, NICS, False),
        ({"state": "ready"}, NICS, False),
        ({}, NICS, False),
        ({}, {"name": "another"}, True),
    ],
)
def test_flux_passes_a_gate_where_the_plan_would(
    status: Mapping[str, Any],
    name: Mapping[str, str],
    passes: bool,  # noqa: FBT001 - a case's
) -> None:
    """By Google's CEL, as Flux has it."""
    expression = WITH_STATUS.compile(check_of(REFERENCE, "NicClusterPolicy"))
    found = expression.eval(data={"metadata": dict(name), "status": dict(status)})
    assert found.value() is passes


def test_a_quota_is_looked_at_by_its_namespace() -> None:
    counts = [check for check in check_of(REFERENCE, "ResourceQuota").split("'") if check.startswith("count/")]
    expression = WITH_STATUS.compile(check_of(REFERENCE, "ResourceQuota"))
    whole = {"used": dict.fromkeys(counts, "0")}
    for status, passes in ((whole, True), ({"used": {}}, False)):
        for team in ("research", "serving"):
            data = {"metadata": {"name": "kinds", "namespace": team}, "status": status}
            assert expression.eval(data=data).value() is passes
    assert expression.eval(data={"metadata": {"name": "research-quota", "namespace": "research"}, "status": {}}).value()


def test_argo_cd_has_a_check_for_each_kind_of_gate_and_for_applications() -> None:
    found = checks(Delivery(graph(REFERENCE)))
    kinds = ("argoproj.io_Application", "mellanox.com_NicClusterPolicy", "nvidia.com_ClusterPolicy", "ResourceQuota")
    assert {key.removeprefix("resource.customizations.health.") for key in found} == {*kinds}
    assert (
        'if obj.metadata.name == "nic-cluster-policy" and not (at(obj, {"status", "state"}) == "ready"\n'
        '  and at(obj, {"status", "appliedStates", {by = "name", of = "state-nv-ipam-cni"}, "state"}) == "ready") then\n'
        '  return {status = "Progressing", message = "nic-cluster-policy waits"}\nend\n'
    ) in found["resource.customizations.health.mellanox.com_NicClusterPolicy"]


@pytest.mark.parametrize("text", ["condition=Ready", "jsonpath={.status.items[0]}=x", "jsonpath={.status"])
def test_a_condition_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(PlanError, match="has no form"):
        Condition.read(text)


@pytest.mark.parametrize("controller", ["argocd", "flux"])
@pytest.mark.parametrize("stack", STACKS)
def test_the_controllers_own_kinds_have_the_fields_that_their_crds_have(stack: str, controller: str) -> None:
    ours = [
        one
        for file in documents(stack, controller).values()
        for one in file
        if "fluxcd.io" in one.get("apiVersion", "") or one.get("kind") == "Application"
    ]
    assert ours
    assert [fault for one in ours for fault in faults(one)] == []


def test_what_each_controller_cannot_do_is_told() -> None:
    assert "patch: ClusterRole kueue-batch-admin-role stays as its chart makes it" in emitted(REFERENCE, "argocd").lost
    assert not [line for line in emitted(REFERENCE, "flux").lost if line.startswith("patch")]
    for controller in ("argocd", "flux"):
        lost = emitted("eks-p5", controller).lost
        assert "cloud: 8 resources of aws; nodes and networks must be there" in lost
        assert any(line.startswith("policies: ") for line in lost)
        assert any(line.startswith("gate pools-ready: ") for line in emitted(REFERENCE, controller).lost)


def test_a_kustomization_takes_along_what_it_builds_on() -> None:
    stated = dict(StackFiles().profile("onprem-h100-ib"))
    files = emission(capture_config("ib", {"bedplate:profile": stated}), "flux", PLACE).files
    folders = {name.rpartition("/")[0] for name in files if "/kustomize/" in name}
    assert {Path(folder).name for folder in folders} == {"v1.9.4-volcano", "v1.9.4"}


@pytest.mark.parametrize("controller", ["argocd", "flux"])
def test_a_job_looks_at_the_nodes_where_an_image_can(controller: str) -> None:
    """In the wave of the plan's own gate: before what is put on nodes, and with no right but to read them."""
    found = emission(graph(REFERENCE), controller, replace(PLACE, image="registry.example.com/bedplate:1"))
    assert not [line for line in found.lost if line.startswith("gate ")]
    files = {name: yaml.safe_load(text) for name, text in found.files.items() if name.split("/")[1].isdigit()}
    job = next((name, one) for name, one in files.items() if one["kind"] == "Job")
    networks = [name for name, one in files.items() if one["kind"] == "MacvlanNetwork"]
    policy = next(name for name, one in files.items() if one["kind"] == "NicClusterPolicy")
    assert policy.split("/")[1] < job[0].split("/")[1] < min(networks).split("/")[1]
    spec = job[1]["spec"]
    assert spec["activeDeadlineSeconds"] == 1800
    [container] = spec["template"]["spec"]["containers"]
    assert container["command"] == ["bedplate", "verify", "/bedplate/profile.yaml", "--level", "nodes"]
    mounted = next(
        one["data"] for one in files.values() if one["metadata"]["name"] == "bedplate-verify" and "data" in one
    )
    assert load(yaml.safe_load(mounted["profile.yaml"])).context == REFERENCE
    assert yaml.safe_load(mounted["kubeconfig"])["current-context"] == REFERENCE
    [role] = [
        one for one in files.values() if one["kind"] == "ClusterRole" and one["metadata"]["name"] == "bedplate-verify"
    ]
    assert role["rules"] == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch"]}]


def test_it_is_written_beside_the_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["lab", "--emit", "argocd", "--repository", PLACE.repository, "--path", "clusters/lab"]
    assert main([*words, "--out", str(tmp_path / "plan")]) == 0
    assert (tmp_path / "plan" / "report.html").exists()
    root = yaml.safe_load((tmp_path / "plan" / "argocd" / "root.yaml").read_text())
    assert root["spec"]["source"]["path"] == "clusters/lab/argocd/applications"
    assert "lost: policies: " in capsys.readouterr().err
    assert main(["lab", "--out", str(tmp_path / "plan")]) == 0, "an emission is a plan's own"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--emit", "argocd", "--out", "plan"],
            "--emit argocd: an Application names its repository: say --repository URL",
        ),
        (["--emit", "flux"], "--emit flux: it writes files: name a folder by --out DIR"),
    ],
)
def test_what_is_missing_is_one_line(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", *words]) == 2
    assert capsys.readouterr().err == f"{says}\n"


def test_a_mirror_that_is_a_folder_is_refused() -> None:
    stated = {**StackFiles().profile("lab"), "charts": {"mirror": "/srv/charts"}}
    plan = capture_config("lab", {"bedplate:profile": stated})
    with pytest.raises(PlanError, match=r"charts.mirror: a folder, which no controller reaches"):
        emission(plan, "flux", PLACE)
