"""One claim that a driver is asked to back: which file system, which directory, for whom."""

from dataclasses import dataclass

from bedplate.components.facts import Facts
from bedplate.components.names import in_cluster


@dataclass(frozen=True)
class VolumeRequest:
    """What a driver may know when it names a persistent volume's source."""

    volume: str
    namespace: str
    file_system: str
    """Key of the file system in the driver's section."""
    directory: str
    """Below its root, without a leading slash; empty: all of it."""
    facts: Facts

    @property
    def unique(self) -> str:
        """The volume's name in the cluster; persistent volumes have no namespace."""
        return in_cluster(self.namespace, self.volume)
