"""What a small file cannot do to whoever reads it: take the memory, the time or the stack."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bedplate.cli import main
from bedplate.components.bounded_yaml import DEPTH, MERGED, VALUES
from bedplate.policies.manifests.documents import Document, Fault, documents
from bedplate.stacks.profile.reading import NotYamlError, parsed
from tests.rooms import ROOT

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
MERGES = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12)
)
DEEP = ("{a: " * 100_000, "[" * 100_000, "- " * 100_000 + "x", '{"a":' * 100_000)
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\n"
    "spec: {containers: [{name: c, image: 'i:latest', resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
)


@pytest.mark.parametrize("text", [BOMB, MERGES, *DEEP], ids=["aliases", "merges", "flow", "list", "block", "json"])
def test_it_is_refused_with_its_line_and_the_next_document_is_read(text: str) -> None:
    fault, after = documents(f"{text}\n---\n{POD}".encode())
    assert isinstance(fault, Fault)
    assert "too deeply" in fault.reason or "aliases" in fault.reason
    assert fault.line
    assert isinstance(after, Document)
    with pytest.raises(NotYamlError, match=r"too deeply|aliases"):
        parsed(text.encode())


def test_the_bounds_are_met_and_not_passed() -> None:
    assert parsed(b"[" * DEPTH + b"]" * DEPTH) is not None
    with pytest.raises(NotYamlError, match=f"more than {DEPTH} levels"):
        parsed(b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1))
    many = "[" + ", ".join(["*a"] * 1000) + "]"
    inner = "[" + ", ".join(["x"] * (VALUES // 1000 - 4)) + "]"
    assert parsed(f"a: &a {inner}\nb: {many}\n".encode()) is not None
    with pytest.raises(NotYamlError, match="aliases make more"):
        parsed(f"a: &a {inner}\nb: {many}\nc: {many}\n".encode())
    keys = ", ".join(f"k{n}: 1" for n in range(MERGED))
    assert parsed(f"a: &a {{{keys}}}\nb: {{<<: *a}}\n".encode()) is not None
    with pytest.raises(NotYamlError, match="aliases make more"):
        parsed(f"a: &a {{{keys}}}\nb: {{<<: *a, z: 1}}\n".encode())


def test_aliases_as_people_write_them_are_no_matter() -> None:
    text = "a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}\n"
    assert parsed(text.encode()) == yaml.safe_load(text)


@pytest.mark.parametrize("text", [BOMB, DEEP[0]], ids=["aliases", "deep"])
def test_the_other_files_of_a_folder_are_judged(tmp_path: Path, text: str) -> None:
    (tmp_path / "a-bomb.yaml").write_text(text)
    (tmp_path / "pod.yaml").write_text(POD)
    command = [sys.executable, "-m", "bedplate", "check", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode in (1, 2)
    assert "a-bomb.yaml: line" in done.stdout + done.stderr
    assert "pod.yaml" in done.stdout


LISTS, MAPS = "[" * 100_000, '{"a":' * 100_000
WITHIN = {
    "networks": {"kind": "Pod", "metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": LISTS}}},
    "interfaces": {"kind": "Pod", "metadata": {"annotations": {"networking.gke.io/interfaces": LISTS}}},
    "a network": {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", "spec": {"config": LISTS}},
    "DeepSpeed": {"kind": "ConfigMap", "data": {"ds_config.json": MAPS}},
}
"""JSON within a value of a manifest, which is as deep as it likes."""


@pytest.mark.parametrize("place", WITHIN)
def test_json_in_a_manifest_that_is_nested_without_end_is_no_json(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bomb: dict[str, object] = {"apiVersion": "v1", "metadata": {}, **WITHIN[place]}
    bomb["metadata"] = {"name": "bomb", "namespace": "n", **dict(bomb["metadata"])}  # type: ignore[call-overload]
    if bomb["kind"] == "Pod":
        bomb["spec"] = {"containers": [{"name": "c", "image": "i:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}
    (tmp_path / "bomb.yaml").write_text(json.dumps(bomb))
    (tmp_path / "pod.yaml").write_text(POD)
    assert main(["check", str(tmp_path), "--baseline", str(baseline(tmp_path, "{}"))]) == 2
    assert main(["check", str(tmp_path), "--baseline", str(baseline(tmp_path, LISTS))]) == 2
    assert "it is no baseline" in "".join(capsys.readouterr())
    assert main(["check", str(tmp_path)]) in (0, 1)
    assert "2 objects judged in 2 files" in capsys.readouterr().out


def baseline(folder: Path, text: str) -> Path:
    file = folder.with_suffix(".json")
    file.write_text(text)
    return file
