"""What the lab knows of a controller that it can run: its source, its processes, and what each is told otherwise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.components.kustomization import Manifests
from bedplate.lab.binaries import Project
from bedplate.lab.control_plane import LOOPBACK

CERTIFICATES = "tmp/k8s-webhook-server/serving-certs"
"""Below the folder for temporary files, where controller-runtime looks if it is not told."""
KUBECONFIG = "kubeconfig.yaml"
"""In the process's folder."""
HEALTH = "LAB_HEALTH"
"""The variable from which one takes its address for health that has no flag for it."""


@dataclass(frozen=True)
class Ports:
    """Where a process listens on loopback."""

    webhook: int
    health: int
    metrics: int
    other: int

    def at(self, port: str) -> str:
        """An address as Go takes it."""
        return f"{LOOPBACK}:{getattr(self, port)}"


def _nothing(_: Ports) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Process:
    """The process that stands for a Deployment, and what the lab must change of how that starts it."""

    deployment: str
    flags: Callable[[Ports], Mapping[str, str]] = _nothing
    """Laid over those of the Deployment."""
    settings: Callable[[Ports], Mapping[str, Any]] = _nothing
    """Laid over the configuration file."""
    webhook: bool = True
    """Whether it answers for the API server, so that it is ready only when it does."""
    health: str = "/readyz"
    """Path of its health; empty: it has none that HTTP reaches."""


@dataclass(frozen=True)
class Real:
    """A controller that the lab can run."""

    project: Project
    processes: Mapping[str, Process] = field(hash=False)
    """By binary."""
    chart: str = ""
    """Its folder in the source; empty: there is none, and the stack applies `kustomization`."""
    kustomization: Manifests | None = None
    """Ours, over manifests that are in the source."""
    needs: tuple[str, ...] = ()
    """Controllers without which it does nothing."""

    @property
    def name(self) -> str:
        """The project's, and the stack's of its release or kustomization."""
        return self.project.name
