"""Manifests of projects without a chart: a kustomization of ours over a pinned upstream ref, or the mirror's copy."""

from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s

from bedplate.charts import pin
from bedplate.components.facts import ChartSource
from bedplate.folders import INSTALLED

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Manifests:
    """A kustomization at one release, and what it takes of the cluster; declared once, as `MANIFESTS`."""

    name: str
    folder: Path
    version: str
    """Tag or commit of the upstream project that the kustomization names."""
    groups: tuple[str, ...] = ()
    """API groups whose kinds it brings, by its CRDs."""
    takes: tuple[str, ...] = ()
    """Namespaces that it makes, which no team can have."""

    @classmethod
    def of(cls, name: str, folder: Path) -> "Manifests":
        """What is pinned in the folder of that name in `bedplate/charts/`."""
        return cls(name=name, folder=folder, **pin(name, cls))

    def apply(self, source: ChartSource, opts: pulumi.ResourceOptions) -> k8s.kustomize.v2.Directory:
        """Apply it, or the mirror's copy of it."""
        return k8s.kustomize.v2.Directory(self.name, directory=self.directory(source), opts=opts)

    def directory(self, source: ChartSource) -> str:
        """Ours, relative to the project where it is in it: of an installed Bedplate the engine needs the whole path.

        An air-gapped site keeps the built one as `<mirror>/<name>-<version>/`.
        """
        if source.mirror is None:
            return str(self.folder if INSTALLED else HERE.name / self.folder.relative_to(HERE))
        return f"{source.mirror.rstrip('/')}/{self.name}-{self.version}"
