"""Versions of charts and of Kubernetes, compared as semantic versions (semver.org), with or without a leading `v`."""

import re

from semver import Version

LEADING = re.compile(r"v?(\d+(?:\.\d+)*)")


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


def numbers(text: str) -> tuple[int, ...]:
    """The numbers that a version of any make begins with; none: ().

    For what is no semantic version: drivers (`535.104.05`), kernels (`6.8.0-45-generic`), image tags (`25.08-py3`).
    """
    found = LEADING.match(text)
    return tuple(map(int, found[1].split("."))) if found else ()
