"""Images of NicClusterPolicy's parts, by release: `operands.toml` of the Network Operator's folder."""

from collections.abc import Mapping
from typing import Any

from bedplate.charts import stated
from bedplate.components.version import line

ONE_REPOSITORY_SINCE = (25, 7)
"""From here all parts are in one repository, tagged with the operator's own version."""


def _table(name: str) -> Mapping[str, Any]:
    return stated("network-operator", "operands.toml")[name]


def _line(version: str) -> str:
    return ".".join(map(str, line(version)))


def image(part: str, version: str) -> dict[str, Any]:
    """Image, repository and version of one part at a release of the operator."""
    name = _table("images")[part]
    if line(version) >= ONE_REPOSITORY_SINCE:
        return _own(name, version)
    release = _table("versions")[_line(version)][part]
    return {"image": name, "repository": _table("repositories")[part], "version": release}


def _own(name: str, version: str) -> dict[str, Any]:
    return {"image": name, "repository": "nvcr.io/nvidia/mellanox", "version": f"network-operator-v{version}"}


def configuration_images(version: str) -> dict[str, Any]:
    """Of the NIC Configuration Operator and its daemon."""
    return {part: _own(name, version) for part, name in _table("configuration").items()}


def ofed_version(version: str) -> str:
    """The doca-driver that belongs to a release of the operator."""
    return _table("ofed")[_line(version)]
