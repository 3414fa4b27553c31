"""Versions of charts and of Kubernetes, compared as semantic versions (semver.org), with or without a leading `v`."""

from semver import Version


def semantic(version: str) -> Version:
    """`v26.7.0` as a version that can be compared; ValueError where it is none, such as `v26.7` or `26.7.nonsense`."""
    return Version.parse(version.removeprefix("v"))


def line(version: str) -> tuple[int, int]:
    """Major and minor number: releases of one line share their keys."""
    parsed = semantic(version)
    return parsed.major, parsed.minor


def minor(kubernetes: str) -> int:
    """The minor number of Kubernetes' `1.35`."""
    return Version.parse(kubernetes, optional_minor_and_patch=True).minor


def is_semantic(version: str) -> bool:
    """Whether `semantic` takes it."""
    return Version.is_valid(version.removeprefix("v"))
