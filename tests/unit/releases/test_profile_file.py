"""Where a road stands is written into the profile's file, and nothing else of it changes."""

from pathlib import Path

import pytest
import yaml

from bedplate.releases.profile_file import rewritten, write
from bedplate.releases.road import Place
from bedplate.stacks.profile.named import named
from bedplate.stacks.profile.stack_file import StackFileError

HERE, WAY = Place("2026.10"), Place("2026.10", "2026.11", ("vllm/vllm-openai", "gpu-operator"))
UPGRADE = 'upgrade: {to: "2026.11", moved: [vllm/vllm-openai, gpu-operator]}'


@pytest.mark.parametrize(
    ("text", "place", "after"),
    [
        ("# mine\nname: a # b\n", HERE, '# mine\nset: "2026.10"\nname: a # b\n'),
        ("name: a\nset: 2026.11 # why\n", HERE, 'name: a\nset: "2026.10" # why\n'),
        (
            "name: a\nset: x\npools: []\n",
            WAY,
            f'{UPGRADE}\nname: a\nset: "2026.10"\npools: []\n',
        ),
        ('upgrade: {to: "x", moved: [a]}\nname: a\nset: x', HERE, 'name: a\nset: "2026.10"'),
        ("name: a\nupgrade:\n  to: x\n  moved:\n    - a\nset: x\n", HERE, 'name: a\nset: "2026.10"\n'),
        (
            "config:\n  x: 1\n  bedplate:profile:\n    name: a\n",
            WAY,
            f"config:\n  x: 1\n  bedplate:profile:\n    set: '2026.10'\n    {UPGRADE}\n    name: a\n".replace("'", '"'),
        ),
    ],
    ids=["new", "replaced", "beside", "taken away", "in a block", "in a stack file"],
)
def test_both_keys_are_written_and_the_rest_stays(text: str, place: Place, after: str) -> None:
    assert rewritten(text, place) == after


def test_what_was_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("name: a\r\nset: x\r\n", newline="")
    files, stack = named(str(path))
    for place in (WAY, HERE, WAY, WAY, HERE):
        write(files, stack, place)
        assert yaml.safe_load(path.read_text()) == {"name": "a", **place.keys}


@pytest.mark.parametrize(
    "text", ["{name: a, set: x}\n", "base: &b {set: x}\nname: a\n<<: *b\n"], ids=["flow", "merged"]
)
def test_a_file_that_is_written_otherwise_is_for_its_author(tmp_path: Path, text: str) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(text)
    files, stack = named(str(path))
    if "base" in text:
        write(files, stack, HERE)
        assert yaml.safe_load(path.read_text())["set"] == "2026.10"
        return
    with pytest.raises(StackFileError, match="write each on a line of its own"):
        write(files, stack, HERE)
    assert path.read_text() == text
