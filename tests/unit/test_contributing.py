"""What CONTRIBUTING names is there: a newcomer follows it to the letter."""

import re

import pytest

from tests.rooms import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:[a-z_]+/)+(?:[\w.]+\.\w+)?)`", TEXT)))
COMMANDS = sorted(set(re.findall(r"`(?:python -m ([\w.]+)|make ([a-z-]+))", TEXT)))


def test_it_names_files_and_commands() -> None:
    assert len(NAMED) > 20
    assert len(COMMANDS) > 3


@pytest.mark.parametrize("path", NAMED)
def test_a_place_that_it_names_is_there(path: str) -> None:
    assert (ROOT / path).exists() or (ROOT / "tests" / path).exists()


@pytest.mark.parametrize(("module", "target"), COMMANDS)
def test_a_command_that_it_names_is_there(module: str, target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    place = ROOT / module.replace(".", "/")
    there = place.with_suffix(".py").exists() or (place / "__main__.py").exists()
    assert f"\n{target}:" in makefile if target else there


def test_every_test_it_relies_on_is_one_that_make_test_runs() -> None:
    relied = [path for path in NAMED if path.startswith("tests/") and path.endswith(".py")]
    assert all((ROOT / path).name.startswith(("test_", "mutation")) for path in relied)
