"""What every Lustre client needs: the network that its servers are reached by, and the source that is mounted."""

from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.facts import Facts
from bedplate.components.section import Section

Lnet = Literal["tcp", "o2ib"]
ServerAddress = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]*$")]
FsName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,8}$")]
"""A Lustre file system name: at most eight characters (Lustre Operations Manual, mkfs.lustre)."""
MOUNT_OPTIONS = ("noatime", "flock")
"""No write for every read; locks that all nodes see, which PyTorch's file stores and SQLite need."""


class LustreServers(Section):
    """A Lustre file system of the site, by the addresses of its management servers."""

    mgs: tuple[ServerAddress, ...] = Field(min_length=1)
    """Management servers, the failover partner second."""
    name: FsName
    """Name of the file system."""
    lnet: Lnet | None = None
    """Lustre network of the servers; by default o2ib on an InfiniBand cluster and tcp anywhere else."""


def lnet(servers: LustreServers, facts: Facts) -> Lnet:
    """The declared network, or the one that the fabric suggests."""
    return servers.lnet or ("o2ib" if facts.fabric.kind == "infiniband" else "tcp")


def source(servers: LustreServers, facts: Facts) -> str:
    """What `mount -t lustre` takes: `10.0.0.1@o2ib:10.0.0.2@o2ib:/name`."""
    nids = ":".join(f"{address}@{lnet(servers, facts)}" for address in servers.mgs)
    return f"{nids}:/{servers.name}"
