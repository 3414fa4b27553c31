"""A chart's folder is judged as helm renders it; where it cannot be, its templates are passed over and that is said."""

import shutil
from pathlib import Path

import pytest

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests import helm
from bedplate.policies.manifests.read import deployments, read
from bedplate.policies.values import trees

SERVER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}-vllm"}
spec:
  selector: {matchLabels: {app: vllm}}
  template:
    metadata: {labels: {app: vllm}}
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.15.0
          args: [--model, m, -tp, "{{ .Values.gpus }}"]
          resources: {limits: {nvidia.com/gpu: {{ .Values.gpus }}}}
"""
RENDERED = SERVER.replace("{{ .Release.Name }}", "release").replace("{{ .Values.gpus }}", "2")


def chart(top: Path, extra: str = "") -> Path:
    files = {
        "Chart.yaml": f"apiVersion: v2\nname: server\nversion: 1.0.0\n{extra}",
        "values.yaml": "gpus: 2\n",
        "templates/server.yaml": SERVER,
        "templates/plain.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        "charts/part/Chart.yaml": "apiVersion: v2\nname: part\nversion: 1.0.0\n",
    }
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def with_helm(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """A helm that says the same whatever it is asked."""
    folder.mkdir()
    (folder / "helm").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "helm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_what_is_rendered_is_judged_once_as_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = chart(tmp_path / "chart")
    with_helm(monkeypatch, tmp_path / "bin", f"cat <<'E'\n{RENDERED}E")
    reading = read([top])
    assert [(each.kind, each.object_name, each.file) for each in reading.resources] == [
        ("Deployment", "release-vllm", str(top / "Chart.yaml"))
    ]
    assert sum(reading.skipped[name] for name in reading.skipped if "judged as it is rendered" in name) == 3
    (part,) = deployments(reading.resources)
    severities = {each.rule: each.severity for each in judge(part, Facts(), complete=False)}
    assert severities["NCCL-310"] == "advisory"


def test_two_charts_of_a_folder_are_two_deployments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        chart(tmp_path / "charts" / name)
    with_helm(monkeypatch, tmp_path / "bin", f"cat <<'E'\n{RENDERED}E")
    assert len(deployments(read([tmp_path / "charts"]).resources)) == 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo Error: no gpus >&2; exit 1", "helm says: Error: no gpus"), ("sleep 5", "it takes more than 0.1 s")],
)
def test_a_chart_that_does_not_render_says_why(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helm, "SECONDS", 0.1)
    with_helm(monkeypatch, tmp_path / "bin", script)
    reading = read([chart(tmp_path / "chart")])
    assert [each.kind for each in reading.resources] == ["ConfigMap"]
    assert reading.skipped[f"chart that is not rendered: {reason}"] == 1


def test_a_library_and_a_machine_without_helm_leave_templates_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_helm(monkeypatch, tmp_path / "bin", "exit 1")
    assert helm.charted([chart(tmp_path / "chart", "type: library\n") / "Chart.yaml"]) == helm.Charted()
    monkeypatch.setenv("PATH", "")
    assert helm.charted([chart(tmp_path / "other") / "Chart.yaml"]) == helm.Charted()


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm renders charts")
def test_helm_itself_renders_a_chart_with_its_own_values(tmp_path: Path) -> None:
    server = next(each for each in read([chart(tmp_path)]).resources if each.kind == "Deployment")
    (container,) = trees(server.at("spec", "template", "spec", "containers"))
    assert container["resources"] == {"limits": {"nvidia.com/gpu": 2}}
