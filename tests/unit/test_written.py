"""`make schema` writes what is committed, byte for byte."""

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from bedplate.folders import PROJECT
from bedplate.policies import admission
from bedplate.stacks.profile import schema
from tests.tools.pages import hardware, models, policies, profile

WRITTEN = [
    (admission, "BUNDLE", "write_bundle"),
    (schema, "SCHEMA_FILE", "write"),
    (hardware, "PAGE_FILE", "write"),
    (models, "PAGE_FILE", "write"),
]


@pytest.mark.parametrize(("module", "place", "write"), WRITTEN)
def test_a_generated_file_is_written_as_it_is_committed(
    module: ModuleType, place: str, write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed: Path = getattr(module, place)
    monkeypatch.setattr(module, place, tmp_path / committed.name)
    getattr(module, write)()
    assert (tmp_path / committed.name).read_bytes() == committed.read_bytes()


@pytest.mark.parametrize("module", [policies, profile])
def test_pages_below_a_page_are_written_as_they_are_committed(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed: Path = module.DOCS
    monkeypatch.setattr(module, "DOCS", tmp_path)
    module.write()
    for name in module.pages():
        assert (tmp_path / name).read_bytes() == (committed / name).read_bytes()
        assert is_folded(committed / name)


@pytest.mark.parametrize(("module", "place", "write"), WRITTEN)
def test_a_review_folds_what_is_generated(module: ModuleType, place: str, write: str) -> None:
    assert is_folded(getattr(module, place))


def is_folded(file: Path) -> bool:
    command = ["git", "check-attr", "linguist-generated", "--", str(file.resolve())]
    said = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    return said.endswith("linguist-generated: set\n")
