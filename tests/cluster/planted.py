"""A bad object for each webhook that refuses: every schema takes it, and so do our own policies."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.kinds import KINDS, Kind
from tests.cluster.objects import pod_spec
from tests.cluster.real import Lab
from tests.training_jobs import job, main, rendered

Planted = Callable[[Lab], dict[str, Any]]
QUEUE = "kueue.x-k8s.io/queue-name"
NO_NAME = "Not_a_name"
"""A label's value, but no name of a queue."""
CONTAINERS = {
    "PyTorchJob": "pytorch",
    "TFJob": "tensorflow",
    "XGBoostJob": "xgboost",
    "PaddleJob": "paddle",
    "JAXJob": "jax",
}
"""Names that the Training Operator asks of a container."""


def head(api: str, kind: str, home: str = "", **more: Any) -> dict[str, Any]:
    place = {"namespace": home} if home else {}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "planted", **place, **more}}


def queued(kind: Kind) -> Planted:
    """The smallest job of a kind, without GPUs: those that ask for any are ours to refuse."""
    template = {"spec": pod_spec()}
    job: dict[str, Any] = {"template": template}
    specs: dict[Kind, dict[str, Any]] = {
        "Job": job,
        "JobSet": {"replicatedJobs": [{"name": "node", "template": {"spec": job}}]},
        "TrainJob": {"runtimeRef": {"kind": "TrainingRuntime", "name": "torch-h100"}},
        "MPIJob": {"mpiReplicaSpecs": {"Launcher": {"replicas": 1, "template": template}}},
    }
    return lambda _: {**head(KINDS[kind].api, kind, "research", labels={QUEUE: NO_NAME}), "spec": specs[kind]}


def replicas(kind: str, container: str, **labels: str) -> dict[str, Any]:
    """The smallest job of a kind of the Training Operator."""
    template = {"spec": {**pod_spec(), "containers": [{"name": container, "image": "any"}]}}
    role = "Master" if kind == "XGBoostJob" else "Worker"
    key = {"TFJob": "tf", "XGBoostJob": "xgb"}.get(kind, kind.removesuffix("Job").lower())
    specs = {f"{key}ReplicaSpecs": {role: {"replicas": 1, "restartPolicy": "Never", "template": template}}}
    return {**head(CONTROLLERS["trainingOperator"].api, kind, "research", labels=labels), "spec": specs}


def pods_of(api: str, kind: str, **more: Any) -> dict[str, Any]:
    labels = {"app": "planted"}
    template = {"metadata": {"labels": labels}, "spec": {**pod_spec(), "restartPolicy": "Always"}}
    made = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template, **more}
    return {**head(api, kind, "research", labels={QUEUE: NO_NAME}), "spec": made}


def runtime(kind: str, home: str = "") -> dict[str, Any]:
    """Of a trainer that runs twice."""
    template = {"spec": {**pod_spec(), "containers": [{"name": "node", "image": "any"}]}}
    label = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    one = {"name": "node", "replicas": 2, "template": {"metadata": label, "spec": {"template": template}}}
    policy = {"numNodes": 1, "torch": {}}
    spec = {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": [one]}}}
    framework = {"trainer.kubeflow.org/framework": "torch"}
    return {**head(CONTROLLERS["trainer"].api, kind, home, labels=framework), "spec": spec}


def train_job(_: Lab) -> dict[str, Any]:
    """One that sets what its controller sets."""
    spec = {"runtimeRef": {"kind": "TrainingRuntime", "name": "torch-h100"}}
    own = {"trainer": {"env": [{"name": "PET_NNODES", "value": "2"}]}}
    return {**head(CONTROLLERS["trainer"].api, "TrainJob", "research", labels={QUEUE: "default"}), "spec": spec | own}


def job_set(lab: Lab) -> dict[str, Any]:
    made = main(rendered(job("JobSet"), lab.facts))
    return made | {"spec": made["spec"] | {"successPolicy": {"operator": "All", "targetReplicatedJobs": ["x"]}}}


def follower(_: Lab) -> dict[str, Any]:
    """A pod of a JobSet that has a rack to itself, without a first pod that could have chosen one."""
    labels = {"jobset.sigs.k8s.io/jobset-name": "planted", "jobset.sigs.k8s.io/job-key": "planted"}
    alone = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "kubernetes.io/hostname"}
    told = {**labels, **alone, "batch.kubernetes.io/job-completion-index": "1"}
    return {**head("v1", "Pod", "research", labels=labels, annotations=told), "spec": pod_spec()}


def group_of_pods(_: Lab) -> dict[str, Any]:
    """A part of a group that does not say how many they are."""
    labels = {QUEUE: "default", "kueue.x-k8s.io/pod-group-name": "planted"}
    return {**head("v1", "Pod", "research", labels=labels), "spec": pod_spec()}


def workload(_: Lab) -> dict[str, Any]:
    """One whose pods ask for pods."""
    spec = pod_spec()
    spec["containers"][0]["resources"] = {"requests": {"pods": "1"}}
    sets = [{"name": "main", "count": 1, "template": {"spec": spec}}]
    return {**head("kueue.x-k8s.io/v1beta2", "Workload", "research"), "spec": {"queueName": "default", "podSets": sets}}


def of_queues(kind: str, spec: Mapping[str, Any]) -> Planted:
    return lambda _: {**head("kueue.x-k8s.io/v1beta2", kind), "spec": dict(spec)}


def _kueue() -> Iterator[tuple[str, Planted, str]]:
    unfair = {"fairSharing": {"weight": "-1"}}
    taint = {"nodeTaints": [{"key": "pool", "value": "not one word", "effect": "NoSchedule"}]}
    yield "vclusterqueue.kb.io", of_queues("ClusterQueue", unfair), "must be greater than or equal to 0"
    yield "vcohort.kb.io", of_queues("Cohort", unfair), "must be greater than or equal to 0"
    yield "vresourceflavor.kb.io", of_queues("ResourceFlavor", taint), r"nodeTaints\[0\].value"
    yield "vworkload.kb.io", workload, "the key is reserved for internal kueue use"
    yield "vpod.kb.io", group_of_pods, "pod-group-total-count"
    kinds: tuple[Kind, ...] = ("Job", "JobSet", "TrainJob", "MPIJob")
    for kind in kinds:
        yield f"v{kind.lower()}.kb.io", queued(kind), NO_NAME
    for kind, name in CONTAINERS.items():
        yield (
            f"v{kind.lower()}.kb.io",
            lambda _, kind=kind, name=name: replicas(kind, name, **{QUEUE: NO_NAME}),
            NO_NAME,
        )
    yield "vdeployment.kb.io", lambda _: pods_of("apps/v1", "Deployment"), NO_NAME
    yield "vstatefulset.kb.io", lambda _: pods_of("apps/v1", "StatefulSet", serviceName="planted"), NO_NAME


def _others() -> Iterator[tuple[str, Planted, str]]:
    yield "validate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io", job_set, "invalid replicatedJob name 'x'"
    yield "validate--v1-pod.x-k8s.io", follower, "follower pod node selector not set"
    part = "trainer.kubeflow.org"
    yield f"validator.clustertrainingruntime.{part}", lambda _: runtime("ClusterTrainingRuntime"), "always must be 1"
    yield f"validator.trainingruntime.{part}", lambda _: runtime("TrainingRuntime", "research"), "always must be 1"
    yield f"validator.trainjob.{part}", train_job, "must not have reserved envs"
    for kind in CONTROLLERS["trainingOperator"].kinds:
        name = f"validator.{kind.lower()}.training-operator.kubeflow.org"
        yield name, lambda _, kind=kind: replicas(kind, "main"), "must have at least one container with name"


PLANTED = {name: (made, told) for name, made, told in (*_kueue(), *_others())}
"""What is planted, and what its webhook says, by the webhook's name."""
