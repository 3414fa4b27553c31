"""Which controllers can be had: a Go module each, at the version of our pin, with its chart in its source.

The others stay played, and `PLAYED` says why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from components.scheduling import kueue
from components.training import jobset
from lab.binaries import Project
from lab.sources import Edit, Source

LOOPBACK = "127.0.0.1"
CERTIFICATES = "tmp/k8s-webhook-server/serving-certs"
"""Below the folder for temporary files, where controller-runtime looks if it is not told."""
KUBECONFIG = "kubeconfig.yaml"
"""In the process's folder."""
HELM = Project("helm", "helm.sh/helm/v3", "v3.20.2", {"helm": "helm.sh/helm/v3/cmd/helm"})
"""Renders the charts, at the version that the engine's provider carries."""


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


@dataclass(frozen=True)
class Real:
    """A controller that the lab can run."""

    project: Project
    processes: Mapping[str, Process] = field(hash=False)
    """By binary."""
    chart: str
    """Its folder in the source."""

    @property
    def name(self) -> str:
        """The project's, and the stack's of its release."""
        return self.project.name


def _project(name: str, module: str, version: str, commands: Mapping[str, str], source: Source) -> Project:
    return Project(name, module, f"v{version.removeprefix('v')}", commands, source=source)


def _identity(_: Ports) -> dict[str, str]:
    return {"--kubeconfig": KUBECONFIG}


def _manager(ports: Ports) -> dict[str, Any]:
    """What controllers on controller-runtime have in common; certificates are the lab's."""
    return {
        "health": {"healthProbeBindAddress": ports.at("health")},
        "metrics": {"bindAddress": ports.at("metrics")},
        "webhook": {"host": LOOPBACK, "port": ports.webhook},
        "leaderElection": {"leaderElect": False},
    }


def _with_certificates(ports: Ports) -> dict[str, Any]:
    """And of those that look for certificates at a path of their own."""
    common = _manager(ports)
    webhook = {**common["webhook"], "certDir": CERTIFICATES}
    return {**common, "webhook": webhook, "internalCertManagement": {"enable": False}}


def _kueue(ports: Ports) -> dict[str, Any]:
    return {**_with_certificates(ports), "visibilityServer": {"bindAddress": LOOPBACK, "bindPort": ports.other}}


def _jobset(ports: Ports) -> dict[str, Any]:
    return {
        **_with_certificates(ports),
        "metrics": {"bindAddress": ports.at("metrics"), "certDir": CERTIFICATES},
    }


KUEUE = Real(
    _project(
        "kueue",
        "sigs.k8s.io/kueue",
        kueue.CHART.version,
        {"kueue": "./cmd/kueue"},
        Source(
            ("charts/kueue",),
            (
                Edit("cmd/kueue/main.go", '"/etc/kueue/metrics/certs"', '"tmp/k8s-webhook-server/serving-certs"'),
                Edit("pkg/visibility/server.go", '= "/visibility"', '= "tmp/k8s-webhook-server/serving-certs"'),
            ),
        ),
    ),
    {"kueue": Process("kueue-controller-manager", flags=_identity, settings=_kueue)},
    chart="charts/kueue",
)
JOBSET = Real(
    _project("jobset", "sigs.k8s.io/jobset", jobset.CHART.version, {"jobset": "."}, Source(("charts/jobset",))),
    {"jobset": Process("jobset-controller", settings=_jobset)},
    chart="charts/jobset",
)
CONTROLLERS = {real.name: real for real in (KUEUE, JOBSET)}
UNSERVED = "the Go module proxy does not serve {}"
PLAYED = {
    "leader-worker-set": UNSERVED.format("sigs.k8s.io/lws"),
    "kuberay": UNSERVED.format("github.com/ray-project/kuberay/ray-operator"),
    "kai": UNSERVED.format("github.com/kai-scheduler/KAI-scheduler"),
    "volcano": UNSERVED.format("volcano.sh/apis at Volcano's own release"),
    **dict.fromkeys(("trainer", "training-operator", "mpi-operator"), "the lab does not run it yet"),
}
"""Why the others are not real, by the name of the stack's release or kustomization."""
