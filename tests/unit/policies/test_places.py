"""A complaint points at the line of the field that it is about."""

import json
from pathlib import Path

import pytest

from bedplate.policies.command.cli import main
from bedplate.policies.manifests.documents import node_of
from bedplate.policies.reports.places import place

POD = """apiVersion: v1
kind: Pod
metadata: {name: x, namespace: y}
spec:
  containers:
    - name: side
      image: side:1
    - name: train
      image: train:1
      env:
        - name: OTHER
          value: Ring
        - name: NCCL_ALGO
          value: Ring
      command:
        - sh
        - -c
        - |
          set -e
          export NCCL_SHM_DISABLE=1
          train
      resources:
        limits:
          nvidia.com/gpu: 8
"""


@pytest.mark.parametrize(
    ("complaint", "line"),
    [
        ("NCCL_ALGO is Ring", 14),
        ("NCCL_SHM_DISABLE is 1", 20),
        ("container side has no cpu limit", 6),
        ("container train has 8 GPUs and no memory volume", 24),
        ("spec.containers.image is wrong", 7),
        ("asks for nvidia.com/gpu", 24),
        ("has nothing that stands here", 1),
        ("spec.containers[1].env[1].value is 5 where a text belongs", 14),
        ("spec.containers[1] is no field of this kind", 8),
        ("metadata.namespace is no field of this kind", 3),
    ],
)
def test_the_field_that_the_complaint_names_is_found(complaint: str, line: int) -> None:
    assert place(node_of(POD.encode()), complaint).line == line


def test_a_manifests_misfit_is_at_its_own_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value is not written as it is read, and the path alone says where it is."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(POD.replace("value: Ring\n        - name: NCCL", "value: 0755\n        - name: NCCL"))
    main(["check", "a.yaml", "--format", "json"])
    found = {each["rule"]: each["line"] for each in json.loads(capsys.readouterr().out)["verdicts"]}
    assert found["OBJ-902"] == 12


def test_the_column_is_that_of_the_field() -> None:
    assert place(node_of(POD.encode()), "asks for nvidia.com/gpu").column == 11


def test_an_item_of_a_list_in_a_later_document_has_its_own_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = "kind: PersistentVolume, apiVersion: v1, metadata: {name: %s}"
    lines = [
        "# a comment",
        "apiVersion: v1",
        "kind: ConfigMap",
        "metadata: {name: a}",
        "---",
        "apiVersion: v1",
        "kind: List",
        "items:",
        f"  - {{{volume % 'one'}}}",
        f"  - {{{volume % 'two'},",
        "     spec: {csi:",
        "       {driver: lustre.csi.io}}}",
    ]
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    main(["check", str(tmp_path), "--format", "json"])
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert (verdict["resource"], verdict["line"]) == ("PersistentVolume two", 12)
