"""Facts about what jobs and servers find: storage that they mount, metrics, and objects of the site."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Volume:
    """Shared storage that pods of some namespaces may mount by the claim of the same name."""

    name: str
    """Also the name of the claim in each of its namespaces."""
    namespaces: tuple[str, ...]
    mode: str
    """ReadOnlyMany, ReadWriteMany or ReadWriteOnce."""
    path: str
    """Where containers see it."""
    sub_path: str = ""
    """The directory of the file system that pods mount, where the driver cannot mount it by itself."""
    read_gbs: float = 0.3
    """What one node reads from it, in GB/s."""
    size: str = "0"
    """What each claim of it asks for."""

    service_account: str | None = None
    """Whose rights pods have that mount it; None: the driver asks for nobody's."""
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    """That pods carry which mount it."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def read_only(self) -> bool:
        """Nobody may write."""
        return self.mode == "ReadOnlyMany"

    @property
    def shared(self) -> bool:
        """Pods on several nodes may mount it."""
        return self.mode != "ReadWriteOnce"

    def pod_volume(self) -> dict[str, Any]:
        """The entry of `volumes` in a pod."""
        claim = {"claimName": self.name, **({"readOnly": True} if self.read_only else {})}
        return {"name": self.name, "persistentVolumeClaim": claim}

    def mount(self) -> dict[str, Any]:
        """The entry of `volumeMounts` in a container."""
        extra = {"subPath": self.sub_path} if self.sub_path else {}
        return {"name": self.name, "mountPath": self.path, "readOnly": self.read_only, **extra}


@dataclass(frozen=True)
class NodeCache:
    """Fast local disks of the nodes, for what can be fetched again."""

    path: str
    """Where containers see it."""
    source: Mapping[str, object]
    """The pod volume, without its name: a `hostPath`, or an `ephemeral` claim of the pod's own."""
    host_path: str | None = None
    """The nodes' folder, where it is one."""
    size: str | None = None
    """What the claim of each pod asks for, where it is one."""

    def pod_volume(self) -> dict[str, Any]:
        """The entry of `volumes` in a pod."""
        return {"name": "node-cache", **self.source}

    def mount(self) -> dict[str, Any]:
        """The entry of `volumeMounts` in a container."""
        return {"name": "node-cache", "mountPath": self.path}


@dataclass(frozen=True)
class Monitoring:
    """Where metrics are, and what our monitors, rules and dashboards need to be found."""

    namespace: str
    """Where rules and dashboards are made."""
    url: str
    """Prometheus' HTTP API, with its port."""
    exporters: frozenset[str] = frozenset()
    """What is scraped in this cluster: the names of the files in `tests/metrics/`."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels for every ServiceMonitor, PodMonitor and PrometheusRule; none with our own stack, which sees them all."""
    dashboard_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels of ConfigMaps with dashboards; none where nobody shows them."""
    google: str | None = None
    """The cluster's name in Google's managed Prometheus, where that scrapes: it has kinds of its own for all of this,
    and one API for every cluster of the project."""
    profiling: bool = True
    """DCGM reads the profiling counters too."""
    nvlink5: bool = False
    """And Blackwell's of NVLink."""
    volumes: tuple[str, ...] = ()
    """Shared volumes whose driver tells the kubelets how full they are."""


@dataclass(frozen=True)
class Health:
    """Who acts on sick nodes, and how far."""

    repairs: bool
    """The cloud reboots or replaces them."""
    percent: int
    """With more of the nodes sick nobody repairs any."""
    at_once: int
    """Nodes of a pool that are repaired at a time."""

    def most_unhealthy(self, nodes: int) -> int:
        """Of so many nodes; one may always be."""
        return max(1, nodes * self.percent // 100)


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
