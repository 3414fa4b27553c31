"""What the cluster has already, as the profile says."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Existing:
    """An object of the site: looked up, never made and never deleted."""

    kind: Literal["StorageClass", "Namespace", "CustomResourceDefinition", "CSIDriver", "ServiceAccount"]
    name: str
    key: str
    """The key of the profile that says so."""
    serves: str = ""
    """Of a CustomResourceDefinition: the kind."""
    namespace: str = ""
    """Of what has one."""

    @property
    def identity(self) -> str:
        """As the API server finds it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
