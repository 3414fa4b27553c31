"""Labels and annotations of an object."""

from collections.abc import Mapping


def marks(**groups: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """`labels` and `annotations` for an object's metadata; the API server drops empty ones, a change at every `up`."""
    return {name: dict(group) for name, group in groups.items() if group}
