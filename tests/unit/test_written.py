"""`make schema` writes what is committed, byte for byte."""

from pathlib import Path
from types import ModuleType

import pytest

from bedplate.policies import admission
from bedplate.policies.reports import docs
from bedplate.stacks.hardware import page
from bedplate.stacks.profile import reference, schema


@pytest.mark.parametrize(
    ("module", "place", "write"),
    [
        (admission, "BUNDLE", "write_bundle"),
        (docs, "PAGE", "write"),
        (reference, "REFERENCE_FILE", "write"),
        (schema, "SCHEMA_FILE", "write"),
        (page, "PAGE_FILE", "write"),
    ],
)
def test_a_generated_file_is_written_as_it_is_committed(
    module: ModuleType, place: str, write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed: Path = getattr(module, place)
    monkeypatch.setattr(module, place, tmp_path / committed.name)
    getattr(module, write)()
    assert (tmp_path / committed.name).read_bytes() == committed.read_bytes()
