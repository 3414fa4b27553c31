"""The files that `--out` writes: their names and keys are an interface."""

import json
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
import pytest
import yaml

from bedplate.plan.__main__ import main
from bedplate.plan.capture import capture, record
from bedplate.plan.deployment import deployment
from bedplate.plan.manifests import manifests
from bedplate.plan.stackfile import Configuration
from bedplate.plan.wire import MASK

TOY = Path(__file__).parent / "toy"


@pytest.fixture
def out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["prod", "--project", str(TOY), "--out", str(tmp_path / "plan")]) == 0
    capsys.readouterr()
    return tmp_path / "plan"


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_the_files_have_their_documented_names(out: Path) -> None:
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) == [
        ".bedplate-plan",
        "deployment.json",
        "graph.json",
        "layers.svg",
        "manifests/003-namespace-first.yaml",
        "manifests/007-namespace-second.yaml",
        "manifests/010-secret-token.yaml",
        "order.svg",
        "releases.json",
        "report.html",
        "values/first.yaml",
        "values/second.yaml",
    ]
    assert {path.stat().st_mode & 0o777 for path in (out, out / "manifests")} == {0o755}


def test_graph_json_lists_every_resource_in_the_order_of_the_program(out: Path) -> None:
    resources = read(out / "graph.json")["resources"]

    assert set(resources[0]) == {"urn", "type", "name", "parent", "dependencies", "provider", "inputs"}
    seen: set[str] = set()
    for resource in resources:
        assert seen.issuperset(resource["dependencies"])
        seen.add(resource["urn"])


def test_releases_json_and_values_hold_what_helm_needs(out: Path) -> None:
    assert [set(release) for release in read(out / "releases.json")] == [
        {"name", "chart", "version", "repo", "namespace"}
    ] * 2
    assert yaml.safe_load((out / "values" / "first.yaml").read_text()) == {"greeting": "hi", "none": None}


def test_manifests_load_and_a_secret_stays_masked(out: Path) -> None:
    documents = [yaml.safe_load(path.read_text()) for path in sorted((out / "manifests").iterdir())]

    assert [document["kind"] for document in documents] == ["Namespace", "Namespace", "Secret"]
    assert documents[2]["stringData"] == {"token": MASK}


def test_the_report_is_one_page_that_names_everything(out: Path) -> None:
    page = (out / "report.html").read_text()

    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "http-equiv" not in page
    for text in (
        "after first",
        "first-ready",
        "operator",
        "example.org/trainer",
        "does not know what is deployed",
    ):
        assert text in page


def test_an_earlier_plan_is_replaced_whole(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (out / "values" / "gone.yaml").write_text("stale")

    assert main(["dev", "--project", str(TOY), "--out", str(out)]) == 0
    assert not (out / "values" / "gone.yaml").exists()
    assert (out / ".bedplate-plan").read_text() == "dev\n"
    assert [path.name for path in out.parent.iterdir()] == ["plan"]
    capsys.readouterr()


@pytest.mark.parametrize("held", ["notes.txt", "graph.json"])
def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, held: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / held).write_text("mine")

    assert main(["dev", "--project", str(TOY), "--out", str(tmp_path)]) == 2
    assert "which no plan wrote: name an empty or a new folder" in capsys.readouterr().err
    assert (tmp_path / held).read_text() == "mine"


def test_notes_beside_an_earlier_plan_are_not_swept_away(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (out / "notes.txt").write_text("mine")

    assert main(["dev", "--project", str(TOY), "--out", str(out)]) == 2
    assert "holds notes.txt, which no plan wrote" in capsys.readouterr().err


def test_a_file_is_no_place_for_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")

    assert main(["dev", "--project", str(TOY), "--out", str(tmp_path / "file")]) == 2
    assert "is a file: name a folder" in capsys.readouterr().err


def test_patches_reads_and_pulumi_annotations_stay_out_of_manifests() -> None:
    def program() -> None:
        wait = {"pulumi.com/waitFor": "condition=Ready"}
        k8s.core.v1.Namespace.get("theirs", "kube-system")
        k8s.core.v1.NamespacePatch("touched", metadata={"name": "default", "labels": {"a": "b"}})
        k8s.apiextensions.CustomResource(
            "own", "example.org/v1", "Thing", metadata={"name": "own", "annotations": wait}, spec={"text": "1e3"}
        )
        k8s.core.v1.Secret("coded", metadata={"annotations": {**wait, "kept": "yes"}}, data={"a": "aHVudGVyMg=="})

    own, coded = manifests(record(program, "toy", "dev", Configuration({})))

    assert own.document["metadata"] == {"name": "own"}
    assert yaml.safe_load(own.text())["spec"] == {"text": "1e3"}
    assert "'1e3'" in own.text()
    assert coded.document["metadata"] == {"name": "coded", "annotations": {"kept": "yes"}}
    assert coded.document["stringData"] == {"a": MASK}
    assert "data" not in coded.document


def test_the_deployment_file_refers_only_backwards_and_holds_no_secret() -> None:
    def program() -> None:
        token = pulumi.Config("toy").require_secret("token")
        first = k8s.core.v1.ConfigMap("first", data={"token": token}, opts=pulumi.ResourceOptions(protect=True))
        k8s.core.v1.ConfigMap("second", data={"name": first.metadata.name})

    written = deployment(record(program, "toy", "dev", Configuration({"toy:token": "hunter2"})))

    assert "hunter2" not in json.dumps(written)
    assert written["version"] == 3
    stack, provider, first, second = written["deployment"]["resources"]
    assert stack["type"] == "pulumi:pulumi:Stack"
    assert first["provider"] == f"{provider['urn']}::{provider['id']}"
    assert (first["protect"], first["id"]) == (True, "first")
    assert second["propertyDependencies"] == {"data": [first["urn"]]}


def test_a_written_plan_says_the_same_as_json(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prod", "--project", str(TOY), "--json"]) == 0

    brief = json.loads(capsys.readouterr().out)
    assert brief["releases"] == read(out / "releases.json")
    assert brief["resources"] == read(out / "graph.json")["resources"]


def test_a_plan_of_the_same_stack_is_the_same_text_every_time() -> None:
    assert json.dumps(deployment(capture("prod", TOY))) == json.dumps(deployment(capture("prod", TOY)))
