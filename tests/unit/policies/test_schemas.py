"""What an API server refuses of a file, and what somebody still fills in."""

from pathlib import Path

import pytest

from bedplate.policies.command.cli import main
from bedplate.policies.manifests import schemas
from bedplate.policies.manifests.documents import Document, documents
from bedplate.policies.manifests.read import read
from tests.tools import crd_schemas
from tests.upstream import upstream

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: %s\n"


def found(text: str, release: str | None = None) -> list[str]:
    (document,) = documents(text.encode())
    assert isinstance(document, Document)
    return [f"{each.path} {each.reason}" for each in schemas.misfits(document.value, release)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        "$N",
        "${N}",
        "[YOUR_NUMBER]",
        '"{{ .n }}"',
        "{{ .n }}",
        "<n>",
        "NUM_NODES",
        "{nodes}",
        "NODES",
        "ENC[AES256]",
        "2",
        "null",
    ],
)
def test_what_is_filled_in_later_has_no_type(value: str) -> None:
    assert found(DEPLOYMENT % value) == []


def test_a_field_is_unknown_to_the_releases_before_it() -> None:
    claim = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [], resources: {limits: {cpu: 1}}}\n"
    assert found(claim, "1.29") == ["spec.resources is no field of this kind"]
    assert found(claim, "1.35") == found(claim) == []


def test_a_kind_that_nobody_knows_is_not_judged() -> None:
    assert found("apiVersion: acme.example/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {x: y}\n") == []
    assert found("apiVersion: apps/v9\nkind: Deployment\nmetadata: {name: a}\nspec: {x: y}\n") == []


def test_the_data_of_sops_is_no_field() -> None:
    encrypted = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nsops: {age: []}\n"
    assert found(encrypted) == []


def test_the_directives_of_a_patch_are_no_fields() -> None:
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n$patch: delete\n"
    assert found(patch) == []
    assert len(found(patch.replace("$patch", "patch"))) == 1


def test_what_pyyaml_alone_takes_for_a_number_is_text() -> None:
    (document,) = documents(b"devices: [0000:16:00.0, 16:00.0, 190:20:30]")
    assert isinstance(document, Document)
    assert document.value == {"devices": ["0000:16:00.0", "16:00.0", "190:20:30"]}


def test_a_key_that_a_merge_brings_stands_once(tmp_path: Path) -> None:
    text = "kind: A\napiVersion: v1\na: &a {x: 1}\nb: {<<: *a, x: 2}\n---\nkind: A\napiVersion: v1\nc: {d: 1, d: 2}\n"
    (tmp_path / "a.yaml").write_text(text)
    assert [each.twice for each in read([tmp_path]).resources] == [(), ("d",)]


def test_without_the_packages_the_report_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bedplate.policies.rules.objects.fields.available", lambda: False)
    monkeypatch.setattr("bedplate.policies.command.check.available", lambda: False)
    (tmp_path / "a.yaml").write_text(DEPLOYMENT % '"2"')
    assert main(["check", str(tmp_path)]) == 0
    assert "install bedplate[schema]" in capsys.readouterr().out


def test_the_fields_of_custom_resources_are_what_the_tool_reads() -> None:
    upstream("crds")
    files = list(crd_schemas.files())
    assert len(files) > 10
    for file, folder in files:
        assert file.read_text("utf-8") == crd_schemas.written(crd_schemas.kinds(folder)), file
