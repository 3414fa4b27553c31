"""The controllers that the lab can run, read from `known.yaml`: their source, their processes, the lab's settings.

The others stay played, and `played` in their `release.toml` says why.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import yaml

from bedplate.charts import sets
from bedplate.components.kustomization import Manifests
from bedplate.components.training import mpi_operator, training_operator
from bedplate.lab.binaries import Project
from bedplate.lab.control_plane import LOOPBACK
from bedplate.lab.sources import Borrowed, Edit, Source

CERTIFICATES = "tmp/k8s-webhook-server/serving-certs"
"""Below the folder for temporary files, where controller-runtime looks by default."""
KUBECONFIG = "kubeconfig.yaml"
"""In the process's folder."""
HEALTH = "LAB_HEALTH"
"""The variable that tells its health address to a controller that has no flag for it."""
CONSTANTS = {"loopback": LOOPBACK, "certificates": CERTIFICATES, "kubeconfig": KUBECONFIG, "variable": HEALTH}
HELM = Project("helm", "helm.sh/helm/v3", "v3.20.2", {"helm": "helm.sh/helm/v3/cmd/helm"})
"""Renders the charts, at the version that the engine's provider carries."""
KUSTOMIZED = {"mpi-operator": mpi_operator.MANIFESTS, "training-operator": training_operator.MANIFESTS}


@dataclass(frozen=True)
class Ports:
    """Where a process listens on loopback."""

    webhook: int
    health: int
    metrics: int
    other: int

    def at(self, port: str) -> str:
        """An address as Go takes it, such as `127.0.0.1:15001`."""
        return f"{LOOPBACK}:{getattr(self, port)}"

    def fill(self, template: Mapping[str, Any]) -> dict[str, Any]:
        """A template of `known.yaml` with these ports in it."""
        return yaml.safe_load(Template(yaml.safe_dump(dict(template))).substitute(asdict(self)))


@dataclass(frozen=True)
class Process:
    """The process that stands for a Deployment, and what the lab changes of how the Deployment starts it."""

    deployment: str
    webhook: bool = True
    """Whether it answers the API server's webhooks; it is ready only when it does."""
    health: str = "/readyz"
    """Path of its health endpoint; empty: it has none that HTTP reaches."""
    templates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """`flags` and `settings`, with names in place of ports."""

    def flags(self, ports: Ports) -> dict[str, str]:
        """The flags that replace or extend those of the Deployment."""
        return {flag: str(value) for flag, value in ports.fill(self.templates.get("flags", {})).items()}

    def settings(self, ports: Ports) -> dict[str, Any]:
        """The keys that the lab sets in the controller's configuration file."""
        return ports.fill(self.templates.get("settings", {}))


@dataclass(frozen=True)
class Real:
    """A controller that the lab can run."""

    project: Project
    processes: Mapping[str, Process] = field(hash=False)
    """By binary."""
    chart: str = ""
    """Its folder in the source; empty: there is no chart, and the stack applies `kustomization`."""
    kustomization: Manifests | None = None
    """Ours, over manifests that are in the source."""
    needs: tuple[str, ...] = ()
    """Controllers without which it does nothing."""

    @property
    def name(self) -> str:
        """The project's, and the stack's name of its release or kustomization."""
        return self.project.name


def _real(name: str, row: Mapping[str, Any]) -> Real:
    source = Source(
        (row.get("chart") or row["manifests"],),
        tuple(Edit(**edit) for edit in row.get("edits", ())),
        tuple(Borrowed(**module) for module in row.get("borrowed", ())),
    )
    version = sets.version(row.get("pin", name))
    project = Project(name, row["module"], f"v{version.removeprefix('v')}", row["commands"], source=source)
    processes = {binary: _process(dict(process)) for binary, process in row["processes"].items()}
    return Real(project, processes, row.get("chart", ""), KUSTOMIZED.get(name), tuple(row.get("needs", ())))


def _process(row: dict[str, Any]) -> Process:
    templates = {key: row.pop(key) for key in ("flags", "settings") if key in row}
    return Process(**row, templates=templates)


_ROWS = Template(Path(__file__).with_name("known.yaml").read_text(encoding="utf-8")).safe_substitute(CONSTANTS)
CONTROLLERS: Mapping[str, Real] = {name: _real(name, row) for name, row in yaml.safe_load(_ROWS).items()}
