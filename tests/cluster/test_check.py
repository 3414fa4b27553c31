"""What runs on a real API server is judged by lists, which nobody may write with, and nothing of it is changed."""

import json
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.policies.command.cli import main

LABELS = {"app": "train"}
POD = {"containers": [{"name": "a", "image": "registry.example/a:1", "resources": {"limits": {"nvidia.com/gpu": 2}}}]}


def objects() -> list[dict[str, Any]]:
    place = {"namespace": "judged", "name": "train"}
    template = {"metadata": {"labels": LABELS}, "spec": POD}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": place, "stringData": {"token": "hidden-from-reports"}}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "judged"}},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": place,
            "spec": {"selector": {"matchLabels": LABELS}, "template": template},
        },
        secret,
    ]


def test_what_runs_is_told_as_policy_reports(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.create(objects())
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    assert main(["check", "--cluster", "--format", "policyreport", "--exclude", "kube-*"]) in (0, 1)
    out = capsys.readouterr()
    (report,) = [each for each in json.loads(out.out)["items"] if each["metadata"].get("namespace") == "judged"]
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "train", "namespace": "judged"}
    assert ("NCCL-310", [about]) in [(each["policy"], each["resources"]) for each in report["results"]]
    assert "hidden-from-reports" not in out.out + out.err
    assert "judged" in out.err
