"""DDN EXAScaler: the driver's chart, and how a directory of it becomes a persistent volume.

The chart is published in git only (DDNStorage/exa-csi-driver, `deploy/helm-chart`), so it comes from the mirror:
`helm package deploy/helm-chart` at the tag makes the archive that belongs there.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.section import DnsLabel, HelmSection
from bedplate.components.storage.lustre import LustreServers, source
from bedplate.components.storage.request import VolumeRequest

CHART = Chart.of("exa-csi")


SAMPLE = "exa1"
"""File system of the chart's example, which Helm would merge with ours; null takes it out."""
RESOURCES = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"cpu": "4", "memory": "1Gi"}}
"""Of each container. The chart asks for 4 processors for every one: 20 for the controller, 8 on each GPU node."""


class ExascalerDriver(HelmSection):
    """DDN EXAScaler appliances."""

    kind: Literal["exascaler"]
    file_systems: Mapping[DnsLabel, LustreServers] = Field(min_length=1)
    """File systems by a name of your own, which is also the driver's `configName`."""


class Exascaler(
    Installed[ExascalerDriver],
    token="bedplate:storage:Exascaler",
    release="lustre-csi",
    level="privileged",
    constraints="privileged",
):
    """Mounts EXAScaler file systems on nodes, once each, and binds directories of them into pods."""


def helm_values(args: Args[ExascalerDriver]) -> dict[str, Any]:
    """The file systems, mounted on every node that runs pods."""
    systems = {
        name: {"mountPoint": mount_point(name), "exaFS": source(servers, args.facts)}
        for name, servers in args.section.file_systems.items()
    }
    sample = {} if SAMPLE in systems else {SAMPLE: None}
    return {
        "resources": RESOURCES,
        "config": {
            "exascaler_map": {**sample, **systems},
            "openshift": args.facts.platform == "openshift",
            "debug": False,
        },
        "node": {"tolerations": args.facts.tolerations},
    }


def mount_point(file_system: str) -> str:
    """Where the driver mounts a file system on the node."""
    return f"/exa/{file_system}"


def csi(driver: ExascalerDriver, request: VolumeRequest) -> dict[str, Any]:
    """`configName:source:mountPoint:/directory`, the colons of the source written as semicolons (README)."""
    where = source(driver.file_systems[request.file_system], request.facts).replace(":", ";")
    parts = (request.file_system, where, mount_point(request.file_system), f"/{request.directory}")
    return {"volumeHandle": ":".join(parts), "volumeAttributes": {"createStaticDir": "true"}}
