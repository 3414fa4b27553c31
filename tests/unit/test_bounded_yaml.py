"""What a small file cannot do to whoever reads it: take the memory, the time or the stack."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

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
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\nspec: {containers: [{name: c, image: 'i:latest'}]}\n"
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
