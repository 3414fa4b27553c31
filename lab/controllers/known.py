"""Which controllers can be had: a Go module each, at the version of our pin, with its chart or manifests in its source.

The others stay played, and `PLAYED` says why.
"""

from collections.abc import Mapping
from typing import Any

from components.scheduling import kueue
from components.training import jobset, mpi_operator, trainer, training_operator
from lab.binaries import Project
from lab.control_plane import LOOPBACK
from lab.controllers.real import CERTIFICATES, HEALTH, KUBECONFIG, Ports, Process, Real
from lab.sources import Edit, Source

HELM = Project("helm", "helm.sh/helm/v3", "v3.20.2", {"helm": "helm.sh/helm/v3/cmd/helm"})
"""Renders the charts, at the version that the engine's provider carries."""


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


def _trainer(ports: Ports) -> dict[str, Any]:
    return {**_manager(ports), "certManagement": {"enable": False}}


def _training_operator(ports: Ports) -> dict[str, str]:
    return {
        "--metrics-bind-address": ports.at("metrics"),
        "--health-probe-bind-address": ports.at("health"),
        "--webhook-server-port": str(ports.webhook),
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
TRAINER = Real(
    _project(
        "trainer",
        "github.com/kubeflow/trainer/v2",
        trainer.CHART.version,
        {"trainer": "./cmd/trainer-controller-manager"},
        Source(("charts/kubeflow-trainer",)),
    ),
    {"trainer": Process("trainer-kubeflow-trainer-controller-manager", settings=_trainer)},
    chart="charts/kubeflow-trainer",
    needs=("jobset",),
)
MPI_OPERATOR = Real(
    _project(
        "mpi-operator",
        "github.com/kubeflow/mpi-operator",
        mpi_operator.MANIFESTS.version,
        {"mpi-operator": "./cmd/mpi-operator"},
        Source(
            ("deploy",),
            # It has a flag for neither, and listens on every address of the machine.
            (Edit("cmd/mpi-operator/app/server.go", 'fmt.Sprintf(":%d", healthCheckPort)', f'os.Getenv("{HEALTH}")'),),
        ),
    ),
    {"mpi-operator": Process("mpi-operator", webhook=False, health="/healthz")},
    kustomization=mpi_operator.MANIFESTS,
)
TRAINING_OPERATOR = Real(
    _project(
        "training-operator",
        "github.com/kubeflow/training-operator",
        training_operator.MANIFESTS.version,
        {"training-operator": "./cmd/training-operator.v1"},
        Source(
            ("manifests",),
            (
                Edit(
                    "cmd/training-operator.v1/main.go",
                    "\t\t\tPort: webhookServerPort,",
                    f'\t\t\tHost: "{LOOPBACK}", Port: webhookServerPort,',
                ),
                # It has no flag that leaves certificates to others; what it rotates would come back by a kubelet.
                Edit(
                    "pkg/cert/cert.go",
                    "return cert.AddRotator(mgr, ",
                    "close(setupFinished)\n\treturn func(ctrl.Manager, *cert.CertRotator) error { return nil }(mgr, ",
                ),
            ),
        ),
    ),
    {"training-operator": Process("training-operator", flags=_training_operator)},
    kustomization=training_operator.MANIFESTS,
)
CONTROLLERS = {real.name: real for real in (KUEUE, JOBSET, TRAINER, MPI_OPERATOR, TRAINING_OPERATOR)}
UNSERVED = "the Go module proxy does not serve {}"
PLAYED = {
    "leader-worker-set": UNSERVED.format("sigs.k8s.io/lws"),
    "kuberay": UNSERVED.format("github.com/ray-project/kuberay/ray-operator"),
    "kai": UNSERVED.format("github.com/kai-scheduler/KAI-scheduler"),
    "volcano": UNSERVED.format("volcano.sh/apis at Volcano's own release"),
}
"""Why the others are not real, by the name of the stack's release or kustomization."""
