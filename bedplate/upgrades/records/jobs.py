"""The controllers of jobs: JobSet, LeaderWorkerSet, Trainer, KubeRay."""

from bedplate.upgrades.records.transition import Transition, Verdict

JOBSET = "kubernetes-sigs/jobset CHANGELOG/CHANGELOG-{}.md"
TRAINER = "kubeflow/trainer CHANGELOG/CHANGELOG-{}.md, breaking changes"
RAY = "docs.ray.io cluster/kubernetes/user-guides/upgrade-guide: CRDs first, then the operator"
RAY_VALUES = "ray-project/kuberay helm-chart/kuberay-operator/values.yaml at both tags"
LWS = "kubernetes-sigs/lws charts/lws at both tags, kubernetes-sigs/lws#883"
_ENDS = "nothing: running jobs keep their pods, and the controller starts anew"
_POD = "take {} out of pod templates: Kubernetes 1.36 calls it schedulingGroup, and it is dropped"

TRANSITIONS = (
    Transition("jobset", "0.10.1", "0.11.1", Verdict.SAFE, "", (_ENDS,), (JOBSET.format("0.11"),)),
    Transition(
        "jobset",
        "0.11.1",
        "0.12.0",
        Verdict.MANUAL,
        "",
        (_POD.format("workloadRef"), "who reads errors: the webhook says Invalid where it said Forbidden"),
        (JOBSET.format("0.12"),),
    ),
    Transition(
        "lws",
        "0.8.0",
        "0.9.0",
        Verdict.MANUAL,
        "",
        ("DisaggregatedSet comes with the chart: take a controller of it away that you installed by itself",),
        (LWS, "kubernetes-sigs/lws#871", "kubernetes-sigs/lws#876"),
    ),
    Transition(
        "lws",
        "0.9.0",
        "0.10.0",
        Verdict.MANUAL,
        "",
        (
            "replicas are between 0 and 1000000, by the schema",
            "roles of a DisaggregatedSet that are not External have replicas all or none",
        ),
        (LWS, "kubernetes-sigs/lws#913"),
    ),
    Transition(
        "kubeflow-trainer",
        "2.1.0",
        "2.2.1",
        Verdict.MANUAL,
        "",
        (
            (
                "let TrainJobs with podTemplateOverrides, labels or annotations in their spec end, and write them as "
                "runtimePatches: these fields are dropped"
            ),
            "take mlPolicy.torch.numProcPerNode and elasticPolicy out of runtimes, which are dropped",
            "a runtime has one policy of torch, mpi, jax, xgboost and flux; texts and lists have lengths",
            (
                "Helm upgrades no CRDs of a crds/ folder, where they still are in both releases: apply them first "
                "(kubectl apply --server-side)"
            ),
        ),
        (TRAINER.format("2.2"),),
    ),
    Transition(
        "kubeflow-trainer",
        "2.2.1",
        "2.3.0",
        Verdict.MANUAL,
        "",
        (
            (
                "the CRDs are templates of the chart now, and Helm refuses those that it does not own: label all three "
                "app.kubernetes.io/managed-by=Helm, annotate them meta.helm.sh/release-name=trainer and "
                "meta.helm.sh/release-namespace=kubeflow-system, first"
            ),
            "storageUri of an initializer must be empty or a URI with its scheme",
            "go through 2.3 to anything later: from 2.0, 2.1 and 2.2 there is no other way",
            "nothing guards a runtime that a TrainJob uses any more (its finalizer is gone): delete none that is used",
        ),
        (TRAINER.format("2.3"), "kubeflow/trainer#3655", "kubeflow/trainer#3716"),
    ),
    Transition(
        "kuberay-operator",
        "1.5.2",
        "1.6.2",
        Verdict.MANUAL,
        "",
        (
            "CRDs first (this stack does: docs/crds.md), then the operator",
            "a condition of RayJob.deletionStrategy names jobStatus or jobDeploymentStatus, and not both",
        ),
        (RAY,),
    ),
    Transition(
        "kuberay-operator",
        "1.6.2",
        "1.7.0",
        Verdict.MANUAL,
        "",
        (
            "CRDs first (this stack does: docs/crds.md), then the operator",
            _POD.format("workloadRef"),
            "ray.io/v1alpha1 is deprecated: write ray.io/v1",
            "metrics.serviceMonitor.selector is gone from the values: additionalLabels",
            "RayServiceIncrementalUpgrade is on by default: it acts only where a RayService asks for it",
        ),
        (RAY, RAY_VALUES, "ray-project/kuberay#5122", "ray-project/kuberay#4979"),
    ),
)
