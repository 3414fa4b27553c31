"""The gate of the rooms sees every room, wherever they lie."""

from pathlib import Path

import pytest

from tests import rooms

FILES = {
    "components/__init__.py": "",
    "components/marks.py": "from review.danger import Danger\n",
    "review/__init__.py": "",
    "review/danger.py": "from . import deep\n",
    "review/deep/__init__.py": "from review.danger import Danger\n",
    "strange/__init__.py": "",
    "notes/README.md": "",
}


@pytest.fixture(params=["", "bedplate/"], ids=["at-the-top", "below-bedplate"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A house of three rooms and the command line, in both places that rooms may lie in."""
    prefix = request.param.replace("/", ".")
    for name, text in FILES.items():
        file = tmp_path / request.param / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("from review", f"from {prefix}review"))
    (tmp_path / "bedplate").mkdir(exist_ok=True)
    (tmp_path / "bedplate" / "__init__.py").write_text("")
    (tmp_path / "bedplate" / "cli.py").write_text(f"import {prefix}components\n")
    monkeypatch.setattr(rooms, "ROOT", tmp_path)
    return tmp_path


def test_a_package_that_nobody_wrote_into_the_table_is_a_room(house: Path) -> None:
    assert house.is_dir()
    assert rooms.rooms() == {"components", "review", "strange", "bedplate"}


def test_a_file_belongs_to_one_room(house: Path) -> None:
    assert [path.relative_to(house).name for path in rooms.modules("bedplate")] == ["__init__.py", "cli.py"]
    assert [path.name for path in rooms.modules("review")] == ["__init__.py", "danger.py", "__init__.py"]


def test_two_parts_of_a_room_that_import_each_other_are_seen(house: Path) -> None:
    assert house.is_dir()
    assert {(here, there) for here, there, _ in rooms.arrows("review")} == {("danger", "deep"), ("deep", "danger")}
