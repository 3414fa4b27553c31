"""What Google Cloud answered, as the checks read it."""

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import NodePool
from bedplate.preflight.known import Item, Known


class Project(Known[GcpCloud]):
    """A project of Google Cloud at one moment, and what is wanted of it."""

    def several(self, name: str) -> list[Item]:
        """An answer that is a list."""
        return list(self.answers[name].data or [])

    def has(self, pool: NodePool) -> bool:
        """The cluster has the node pool already, so that its nodes are counted as used."""
        made: list[Item] = self.one("cluster").get("nodePools", []) if self.knows("cluster") else []
        return any(row["name"] == pool.name for row in made)


def last(path: object) -> str:
    """The name at the end of a resource's address."""
    return str(path or "").rpartition("/")[2]
