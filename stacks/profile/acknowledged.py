"""Dangerous changes that somebody wants: said in the profile, so that they are reviewed with it."""

from typing import Literal

from pydantic import Field

from bedplate.components.section import Section

DangerName = Literal[
    "rolls-pods",
    "unknown",
    "refused",
    "evicts-jobs",
    "reloads-drivers-or-network",
    "replaces-nodes",
    "loses-quota",
    "loses-data",
]
"""As `bedplate/review/danger.py` has them, from harmless to final."""


class Acknowledged(Section):
    """One change, or some by a pattern, that `bedplate diff --fail-on` lets pass."""

    change: str = Field(min_length=3, pattern="/")
    """Kind and name of the resource, `Release/gpu-operator`; `*` stands for anything."""
    danger: DangerName
    """The worst that it may do."""
    reason: str = Field(min_length=8)
    """Why, and when: shown in the review."""
