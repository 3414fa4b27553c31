"""A kustomization is judged as it is rendered; where it cannot be, its files give advice only."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests import kustomize
from bedplate.policies.manifests.read import deployments, read
from tests.unit.policies import valid as v

RENDERS = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl renders kustomizations")
SERVICE = v.manifest("v1", "Service", "vllm", spec={"selector": {"app": "vllm"}, "ports": [{"port": 8000}]})
BARE = {"image": "vllm/vllm-openai:v0.15.0", "name": "vllm", "args": ["--model", "m", "-tp", "2"], "ports": []}
GPUS = {"resources": {"limits": {"nvidia.com/gpu": 2}}}
LABELS = {"app": "vllm"}


def server(container: dict[str, Any]) -> v.Doc:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [container]}}
    return v.manifest("apps/v1", "Deployment", "vllm", spec={"selector": {"matchLabels": LABELS}, "template": template})


SHM: dict[str, Any] = {
    "spec": {
        "template": {
            "spec": {
                "containers": [{"name": "vllm", "volumeMounts": [{"name": "shm", "mountPath": v.SHM_PATH}]}],
                "volumes": [v.SHM],
            }
        }
    }
}
PATCH = {**v.manifest("apps/v1", "Deployment", "vllm"), **SHM}


def tree(top: Path, **overlay: Any) -> Path:
    """A base with a server that lacks shared memory, and an overlay."""
    base = {"resources": ["server.yaml", "service.yaml"]}
    files = {
        "base/kustomization.yaml": base,
        "base/server.yaml": server({**BARE, **GPUS}),
        "base/service.yaml": SERVICE,
        "overlay/kustomization.yaml": {"resources": ["../base"], **overlay},
    }
    if "patches" in overlay:
        files["overlay/patch.yaml"] = PATCH
    for name, content in files.items():
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(yaml.safe_dump(content))
    return top


def found(top: Path) -> list[Verdict]:
    parts = deployments(read([top]).resources)
    return [each for part in parts for each in judge(part, Facts(), complete=False)]


def mandatory(top: Path) -> list[str]:
    return sorted(each.rule for each in found(top) if each.severity == "mandatory")


@RENDERS
def test_patches_suffixes_and_images_count_before_anything_is_judged(tmp_path: Path) -> None:
    assert mandatory(tree(tmp_path)) == ["INF-609", "NCCL-310"]
    assert mandatory(tree(tmp_path, patches=[{"path": "patch.yaml"}])) == ["INF-609"]
    assert mandatory(tree(tmp_path, patches=[{"path": "patch.yaml"}], nameSuffix="-h100")) == []
    assert "GPU-102" not in {each.rule for each in found(tmp_path)}
    tree(tmp_path, images=[{"name": "vllm/vllm-openai", "newTag": "latest"}])
    assert "GPU-102" in {each.rule for each in found(tmp_path)}


@RENDERS
def test_what_is_rendered_is_named_by_its_kustomization_and_judged_once(tmp_path: Path) -> None:
    reading = read([tree(tmp_path)])
    assert {each.file for each in reading.resources} == {str(tmp_path / "overlay" / "kustomization.yaml")}
    assert len(reading.resources) == 2
    assert reading.skipped["file of a kustomization (judged as it is rendered)"] == 3
    assert reading.faults == []


@RENDERS
def test_two_overlays_of_a_base_are_two_deployments(tmp_path: Path) -> None:
    tree(tmp_path, nameSuffix="-a")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "kustomization.yaml").write_text(yaml.safe_dump({"resources": ["../base"]}))
    assert len(deployments(read([tmp_path]).resources)) == 2


def test_without_kubectl_the_bases_give_advice_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kustomize.shutil, "which", lambda _: None)
    reading = read([tree(tmp_path, patches=[{"path": "patch.yaml"}])])
    assert [what for what in reading.skipped if what.endswith(": there is no kubectl here")]
    assert mandatory(tmp_path) == []
    assert {"INF-609", "NCCL-310"} <= {each.rule for each in found(tmp_path)}
    assert {Path(each.file).name for each in reading.resources} == {"server.yaml", "service.yaml"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"resources": ["../base", "github.com/org/repo?ref=v1"]}, "github.com/org/repo?ref=v1 is not here"),
        ({"helmCharts": [{"name": "x"}]}, "it has helmCharts"),
    ],
)
def test_what_needs_the_network_or_a_plugin_is_not_rendered(tmp_path: Path, more: dict[str, Any], reason: str) -> None:
    reading = read([tree(tmp_path, **more)])
    assert [what for what in reading.skipped if what.endswith(reason)]
    assert mandatory(tmp_path) == []


def test_a_patch_that_is_missing_is_named(tmp_path: Path) -> None:
    reading = read([tree(tmp_path, patches=[{"path": "missing.yaml"}])])
    assert [what for what in reading.skipped if what.endswith("missing.yaml is not here")]


@RENDERS
def test_one_that_does_not_render_says_why(tmp_path: Path) -> None:
    reading = read([tree(tmp_path, patches=[{"path": "patch.yaml", "target": {"kind": "("}}])])
    assert [what for what in reading.skipped if "kubectl says: " in what]
    assert mandatory(tmp_path) == []
