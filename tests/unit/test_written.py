"""`make schema` writes what is committed, byte for byte."""

from pathlib import Path
from types import ModuleType

import pytest

from bedplate.policies import admission
from bedplate.stacks.profile import schema
from tests.tools.pages import hardware, models, policies, profile


@pytest.mark.parametrize(
    ("module", "place", "write"),
    [
        (admission, "BUNDLE", "write_bundle"),
        (policies, "PAGE", "write"),
        (profile, "REFERENCE_FILE", "write"),
        (schema, "SCHEMA_FILE", "write"),
        (hardware, "PAGE_FILE", "write"),
        (models, "PAGE_FILE", "write"),
    ],
)
def test_a_generated_file_is_written_as_it_is_committed(
    module: ModuleType, place: str, write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed: Path = getattr(module, place)
    monkeypatch.setattr(module, place, tmp_path / committed.name)
    getattr(module, write)()
    assert (tmp_path / committed.name).read_bytes() == committed.read_bytes()
