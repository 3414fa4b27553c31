"""What runs on a cluster is judged as a folder is, by lists alone, and told as PolicyReports."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bedplate.cluster.errors import ClusterError
from bedplate.policies.command.cli import main
from bedplate.policies.command.running import read_cluster
from tests.unit.cluster.stub import Stub

POD = {"containers": [{"name": "a", "image": "registry.example/a:1", "resources": {"limits": {"nvidia.com/gpu": 0.4}}}]}


def made(  # noqa: PLR0913, PLR0917 (an object in a line)
    kind: str, name: str, uid: str, spec: Any, owner: str = "", namespace: str = "research"
) -> dict[str, Any]:
    owners = [{"uid": owner, "controller": True}] if owner else []
    return {
        "metadata": {"name": name, "namespace": namespace, "uid": uid, "ownerReferences": owners},
        "kind": kind,
        "spec": spec,
        "status": {"phase": "Running"},
    }


LABELS = {"app": "a"}
TEMPLATE = {"selector": {"matchLabels": LABELS}, "template": {"metadata": {"labels": LABELS}, "spec": POD}}
SERVED = {
    "/version": {"major": "1", "minor": "35+"},
    "/apis": {
        "groups": [{"name": name, "preferredVersion": {"groupVersion": f"{name}/v1"}} for name in ("apps", "x.y")]
    },
    "/api/v1": {
        "resources": [
            {"name": "pods", "kind": "Pod", "verbs": ["get", "list"]},
            {"name": "pods/log", "kind": "Pod", "verbs": ["get"]},
            {"name": "secrets", "kind": "Secret", "verbs": ["get", "list"]},
            {"name": "configmaps", "kind": "ConfigMap", "verbs": ["list"]},
            {"name": "bindings", "kind": "Binding", "verbs": ["create"]},
        ]
    },
    "/apis/apps/v1": {"resources": [{"name": "deployments", "kind": "Deployment", "verbs": ["list"]}]},
    "/apis/x.y/v1": {"resources": [{"name": "things", "kind": "Thing", "verbs": ["list"]}]},
    "/apis/apps/v1/deployments": {"items": [made("Deployment", "web", "1", TEMPLATE)]},
    "/api/v1/pods": {
        "items": [
            made("Pod", "web-1", "2", POD, "1"),
            made("Pod", "theirs-1", "3", POD, "operator"),
            made("Pod", "theirs-2", "4", POD, "operator"),
            made("Pod", "alone", "5", POD),
            made("Pod", "system", "6", POD, namespace="kube-system"),
        ]
    },
}


class Server:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, path: str) -> str:
        path = path.partition("?")[0]
        self.asked.append(path)
        if path not in SERVED:
            raise ClusterError(f"kubectl get --raw {path}: Error from server (Forbidden)")
        return json.dumps(SERVED[path])


def test_of_what_controllers_made_the_maker_is_read_and_of_strangers_pods_one() -> None:
    reading = read_cluster(Server(), exclude=("kube-*",))
    assert sorted(each.title for each in reading.resources) == [
        "Deployment research/web",
        "Pod research/alone",
        "Pod research/theirs-1",
    ]
    assert reading.skipped == {"object in a namespace that --exclude names": 1}
    assert all("status" not in each.props for each in reading.resources)


def test_no_secret_and_no_kind_that_no_rule_reads_is_asked_for_and_what_is_refused_is_said() -> None:
    server = Server()
    reading = read_cluster(server)
    assert [path for path in server.asked if "secret" in path or "things" in path or "bindings" in path] == []
    assert reading.faults == [
        "ConfigMap v1: not judged: kubectl get --raw /api/v1/configmaps: Error from server (Forbidden)"
    ]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    answers = tmp_path / "answers"
    answers.mkdir()
    for path, answer in {**SERVED, "/api/v1/configmaps": {"items": []}}.items():
        (answers / path.replace("/", "_")).write_text(json.dumps(answer))
    act = 'for path; do :; done; cat "answers/$(echo "${path%%\\?*}" | tr / _)"'
    return Stub(tmp_path, monkeypatch).plays(list=act)


def test_a_cluster_is_judged_by_lists_alone_and_what_no_release_can_tell_is_not_claimed(
    cluster: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--cluster", "--context", "prod", "--level", "NCCL-310=disabled"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("(the cluster)\n")
    assert "mandatory GPU-128 Deployment research/web: container a: nvidia.com/gpu is" in out
    assert "GPU-103" not in out
    assert "4 objects judged\n" in out
    calls = " ".join(cluster.calls)  # several at a time write there
    assert calls.count("--context prod") == calls.count("get --raw /") == 8
    assert re.findall(r" (create|apply|patch|delete|replace|annotate|label) ", calls) == []


def test_the_verdicts_are_policy_reports_of_each_namespace(cluster: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--cluster", "--format", "policyreport", "--exclude", "kube-*"]) == 1
    items = json.loads(capsys.readouterr().out)["items"]
    assert [(each["kind"], each["metadata"]) for each in items] == [
        ("PolicyReport", {"name": "bedplate-check", "namespace": "research"})
    ]
    assert {each["apiVersion"] for each in items} == {"wgpolicyk8s.io/v1alpha2"}
    results = items[0]["results"]
    wrong = next(each for each in results if each["policy"] == "GPU-128" and each["resources"][0]["name"] == "web")
    assert (wrong["result"], wrong["severity"], wrong["category"]) == ("fail", "high", "driver")
    about = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "research"}
    assert wrong["resources"] == [about]
    assert items[0]["summary"]["fail"] == len([each for each in results if each["result"] == "fail"]) > 0


def test_a_report_of_files_has_their_names_and_what_cannot_be_read_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text(
        json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": POD}) + "\n---\n["
    )
    assert main(["check", str(file), "--format", "policyreport"]) == 2
    (report,) = json.loads(capsys.readouterr().out)["items"]
    assert report["kind"] == "ClusterPolicyReport"
    assert report["summary"]["error"] == 1
    assert report["results"][0]["properties"]["file"] == str(file)
    assert "namespace" not in report["results"][0]["resources"][0]


@pytest.mark.parametrize("words", [["check", "a.yaml", "--cluster"], ["check", "a.yaml", "--context", "x"]])
def test_files_or_a_cluster(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == (
        "check: name files or folders, or --cluster (and --context) for what runs on a cluster\n"
    )
