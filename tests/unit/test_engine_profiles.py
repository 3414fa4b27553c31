"""The drills deploy sound profiles that differ where they should."""

from collections.abc import Callable
from typing import Any

import pytest

from bedplate.lab.engine import lab_profile
from bedplate.stacks.load import load
from tests.engine.profiles import changed, impatient, previous_pins, without_charts

CURRENT = lab_profile()


def gdrcopy(profile: dict[str, Any]) -> dict[str, Any]:
    return changed(profile, "gpuOperator", gdrcopy=True)


@pytest.mark.parametrize("variation", [previous_pins, impatient, without_charts, gdrcopy])
def test_a_variation_is_a_sound_profile_and_another_one(variation: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    assert load(variation(CURRENT)) != load(CURRENT)


def test_the_current_profile_is_left_alone() -> None:
    before = str(CURRENT)
    previous_pins(CURRENT)
    assert str(CURRENT) == before
