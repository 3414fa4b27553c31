"""Which controllers can be had: a Go module each, at the version of our pin, with its chart or manifests in its source.

The others stay played, and `played` in their `release.toml` says why.
"""

from collections.abc import Mapping

from bedplate.components.scheduling import kueue, volcano
from bedplate.components.training import jobset, mpi_operator, trainer, training_operator
from bedplate.lab.binaries import Project
from bedplate.lab.control_plane import LOOPBACK
from bedplate.lab.controllers import told
from bedplate.lab.controllers.real import HEALTH, Process, Real
from bedplate.lab.sources import Borrowed, Edit, Source

HELM = Project("helm", "helm.sh/helm/v3", "v3.20.2", {"helm": "helm.sh/helm/v3/cmd/helm"})
"""Renders the charts, at the version that the engine's provider carries."""


def _project(name: str, module: str, version: str, commands: Mapping[str, str], source: Source) -> Project:
    return Project(name, module, f"v{version.removeprefix('v')}", commands, source=source)


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
    {"kueue": Process("kueue-controller-manager", flags=told.identity, settings=told.kueue)},
    chart="charts/kueue",
)
JOBSET = Real(
    _project("jobset", "sigs.k8s.io/jobset", jobset.CHART.version, {"jobset": "."}, Source(("charts/jobset",))),
    {"jobset": Process("jobset-controller", settings=told.jobset)},
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
    {"trainer": Process("trainer-kubeflow-trainer-controller-manager", settings=told.trainer)},
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
    {"training-operator": Process("training-operator", flags=told.training_operator)},
    kustomization=training_operator.MANIFESTS,
)
# The API of its own release is not served. Of the last that is, the types differ from 1.15.1's in comments and this
# name alone (staging/src/volcano.sh/apis/pkg/apis); the kinds' schemas are those of the chart.
_LAST = 'const TopologyDecisionAnnotation = "volcano.sh/topology-decision"'
_APIS = "staging/src/volcano.sh/apis"
VOLCANO = Real(
    _project(
        "volcano",
        "volcano.sh/volcano",
        volcano.CHART.version,
        {
            "volcano-admission": "./cmd/webhook-manager",
            "volcano-controllers": "./cmd/controller-manager",
            "volcano-scheduler": "./cmd/scheduler",
        },
        Source(
            ("installer/helm/chart/volcano",),
            (
                Edit(
                    f"{_APIS}/pkg/apis/scheduling/v1beta1/labels.go",
                    _LAST,
                    f'{_LAST}\nconst QueueAllocationGateKey = GroupName + "/queue-allocation-gate"',
                ),
            ),
            (Borrowed(_APIS, "volcano.sh/apis", "v1.14.0"),),
        ),
    ),
    {
        "volcano-admission": Process("volcano-admission", flags=told.volcano_admission, health=""),
        "volcano-controllers": Process("volcano-controllers", flags=told.volcano, webhook=False, health="/healthz"),
        "volcano-scheduler": Process("volcano-scheduler", flags=told.volcano, webhook=False, health="/healthz"),
    },
    chart="installer/helm/chart/volcano",
)
CONTROLLERS = {real.name: real for real in (KUEUE, VOLCANO, JOBSET, TRAINER, MPI_OPERATOR, TRAINING_OPERATOR)}
