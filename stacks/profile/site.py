"""What a site runs itself, so that it is neither installed again nor missed."""

from typing import Annotated

from pydantic import Field

from bedplate.components.section import Section

Release = Annotated[str, Field(pattern=r"^v?[0-9]+(\.[0-9]+)+([-+].+)?$")]


class Running(Section):
    """Something that others install, look after and upgrade."""

    version: Release | None = None
    """The release that runs, where it is known: what is too old for this cluster is then refused."""


class SiteSection(Section):
    """What runs on the cluster already and stays the site's."""

    multus: Running | None = None
    """Multus, by RKE2's or k3s' chart, Kubespray's switch or a manifest; the Network Operator then brings none."""
    whereabouts: Running | None = None
    """Whereabouts, for `fabric.ipam.kind: whereabouts`."""
    nfd: Running | None = None
    """Node Feature Discovery: our rules for it are made, and its release stays."""
    device_plugin: Running | None = None
    """NVIDIA's device plugin or GPU Operator, as `existingDevicePlugin: true` says without a version."""
    driver: Running | None = None
    """The GPU driver of the node image, with `driverOwner: image` or `cloud`."""
