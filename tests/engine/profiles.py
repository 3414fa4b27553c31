"""Variations of the lab's profile that the drills deploy. Pure, so that they are checked where no engine is."""

from collections.abc import Mapping
from typing import Any

from bedplate.components.operators import gpu_operator, network_operator

Profile = dict[str, Any]


def changed(profile: Mapping[str, Any], section: str, **values: object) -> Profile:
    """The profile with some values of one section set."""
    return {**profile, section: {**profile.get(section, {}), **values}}


def previous_pins(profile: Mapping[str, Any]) -> Profile:
    """The profile at the releases before the current ones."""
    older = changed(profile, "gpuOperator", version=gpu_operator.CHART.older[-1])
    return changed(older, "networkOperator", version=network_operator.CHART.older[-1])


def impatient(profile: Mapping[str, Any], seconds: int = 20) -> Profile:
    """The profile with gates that give up soon."""
    return changed(profile, "gpuOperator", readyTimeout=seconds)


def without_charts(profile: Mapping[str, Any]) -> Profile:
    """The profile with a mirror that is not there."""
    return {**profile, "charts": {"mirror": "/nowhere"}}
