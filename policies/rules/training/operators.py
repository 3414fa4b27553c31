"""What the job operators ask of a job."""

import re
from itertools import chain

from bedplate.policies.facts import Facts
from bedplate.policies.resources.kueue import MPI, TRAINING, arguments, present
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import argv, capabilities, privileged
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import ANCESTOR, V1, Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import UNKNOWN, dig, items, text, tree, trees, whole

RUNTIMES = ("TrainingRuntime", "ClusterTrainingRuntime")
CONTAINERS = {
    "PyTorchJob": "pytorch",
    "TFJob": "tensorflow",
    "XGBoostJob": "xgboost",
    "PaddleJob": "paddle",
    "JAXJob": "jax",
}


@rule("TRN-501", MANDATORY, on=Workload)
def container_name(workload: Workload, _: Facts) -> Complaints:
    """The operator finds the container that it configures by this name: `pytorch` in a PyTorchJob."""
    expected = CONTAINERS.get(workload.kind)
    for pod in workload.pods if expected else ():
        names = [text(container.get("name")) for container in pod.containers]
        if expected not in names and whole([each.get("name") for each in pod.containers]) and names:
            edits = (Edit(pod.containers[0], "name", expected),) if len(names) == 1 else ()
            what = f"{pod.role} has the containers {', '.join(names)}"
            yield Complaint(what, f"Name the container {expected}", edits=edits)


@rule("TRN-502", MANDATORY, also=ADVISORY, on=Stack)
def one_mpi_owner(stack: Stack) -> Complaints:
    """The training operator leaves MPIJobs to mpi-operator where both are installed."""
    for other in present(stack, MPI)[:1]:
        for resource, tokens in arguments(stack, TRAINING):
            schemes = [token for token in tokens if "enable-scheme" in token]
            if whole(resource.at("spec")) and (not schemes or any("mpi" in each for each in schemes)):
                yield Complaint(f"manages MPIJobs beside {other.title}", about=resource, beside=other)
        for job in stack.of("MPIJob"):
            if job.api_version == "kubeflow.org/v1":
                yield Complaint("is kubeflow.org/v1 beside mpi-operator", "Write kubeflow.org/v2beta1", about=job)


CLUSTERS = ((), ("rayClusterSpec",), ("rayClusterConfig",))


@rule("TRN-523", ADVISORY, on=("RayCluster", "RayJob", "RayService"))
def ray_knows_its_cpus(resource: Resource, _: Facts) -> Complaints:
    """The autoscaler takes them from `num-cpus`, or from limits or requests of the group's first container."""
    for path in CLUSTERS:
        cluster = tree(dig(resource.spec, *path))
        groups = [cluster.get("headGroupSpec"), *items(cluster.get("workerGroupSpecs"))]
        scaled = cluster.get("enableInTreeAutoscaling") is True and whole(cluster)
        for group in groups if scaled else ():
            stated = [dig(group, "rayStartParams", "num-cpus"), *_cpus(group)]
            if stated == [None] * len(stated):
                name = text(dig(group, "groupName")) or "head"
                yield f"is scaled by Ray, and the group {name} says neither num-cpus nor what cpu its container has"


def _cpus(group: object) -> list[object]:
    """What the first container of a group is given."""
    containers = trees(dig(group, "template", "spec", "containers"))[:1]
    return [dig(each, "resources", part, "cpu") for each in containers for part in ("limits", "requests")]


@rule("TRN-515", MANDATORY, on=Stack)
def complete_resources(stack: Stack) -> Complaints:
    """What resourcesPerNode does not name, the pod does not get.

    A job on processors is right without GPUs: its runtime must be there to say that it has some.
    """
    for job in stack.of("TrainJob"):
        resources = job.at("spec", "trainer", "resourcesPerNode")
        if resources is None or not whole(resources):
            continue
        names = {key for part in ("limits", "requests") for key in tree(dig(resources, part))}
        gpus = any(name.startswith("nvidia.com/gpu") for name in names)
        if not gpus and _runtime_has_gpus(stack, job):
            yield Complaint("trainer.resourcesPerNode has no nvidia.com/gpu, its runtime has", about=job)
        fabric = set(stack.facts.rdma_resources)
        if gpus and job.at("spec", "trainer", "numNodes") not in (None, 1, UNKNOWN) and fabric and not names & fabric:
            yield Complaint(f"trainer.resourcesPerNode has none of {', '.join(sorted(fabric))}", about=job)


def _runtime_has_gpus(stack: Stack, job: Resource) -> bool:
    name = text(job.at("spec", "runtimeRef", "name"))
    pods = [pod for pod in stack.pods if pod.resource.kind in RUNTIMES and pod.resource.object_name == name]
    return any(pod.gpus for pod in pods)


@rule("TRN-516", MANDATORY, also=ADVISORY, on=("TrainingRuntime", "ClusterTrainingRuntime"))
def runtime_marks_trainer(runtime: Resource, facts: Facts) -> Complaints:
    """The operator finds the step that a TrainJob configures by its label.

    Trainers before 2.0 found it by its name, and a manifest does not say which one it is for.
    """
    if runtime.group != "trainer.kubeflow.org":  # an older API finds its step otherwise
        return
    jobs = trees(dig(runtime.spec, "template", "spec", "replicatedJobs"))
    labels = [dig(job, "template", "metadata") for job in jobs]
    if jobs and whole(labels) and not any(dig(each, "labels", ANCESTOR) == "trainer" for each in labels):
        severity = None if facts.platform else ADVISORY
        yield Complaint(f"no replicated job has the label {ANCESTOR}", severity=severity)


@rule("TRN-517", MANDATORY, also=ADVISORY, on=Workload)
def pods_cleaned(workload: Workload, _: Facts) -> Complaints:
    """A finished launcher or worker of a queued PyTorchJob or MPIJob is removed.

    An MPIJob's workers are servers that nothing ends; a PyTorchJob's mostly end with their master.
    """
    if not workload.queue or workload.kind not in {"PyTorchJob", "MPIJob"}:
        return
    policy = workload.resource.at("spec", "runPolicy", "cleanPodPolicy")
    if policy is None or policy == "None":
        what = f"runPolicy.cleanPodPolicy is {policy or 'not set'} with queue {workload.queue}"
        served = workload.kind == "MPIJob" and bool(workload.gpu_pods)
        yield Complaint(what, severity=None if served else ADVISORY)


@rule("TRN-521", ADVISORY, on=Workload)
def ssh_may_change_its_root(workload: Workload, facts: Facts) -> Complaints:
    """Workers wait in sshd, which the operator starts in a container without a command, too; v1 goes by kubectl."""
    resource = workload.resource
    if facts.platform != "openshift" or workload.kind != "MPIJob" or resource.api_version == "kubeflow.org/v1":
        return
    for pod in (pod for pod in workload.pods if pod.role == "Worker"):
        for container in pod.containers:
            serves = "sshd" in " ".join(argv(container)) or not (container.get("command") or container.get("args"))
            allowed = "SYS_CHROOT" in capabilities(container) or privileged(container)
            if serves and not allowed and whole(container):
                yield f"Worker {text(container.get('name'))} runs sshd without SYS_CHROOT"


OWN_COMMAND = "ray.io/overwrite-container-cmd"
JSON = re.compile(r"^\s*\{")


@rule("TRN-524", MANDATORY, on=("RayCluster", "RayJob", "RayService"))
def parameters_are_quoted(resource: Resource, _: Facts) -> Complaints:
    """KubeRay writes `ray start --key=value` for a shell: JSON has quotes of the shell around it."""
    clusters = [resource.spec, *(tree(resource.spec.get(key)) for key in ("rayClusterSpec", "rayClusterConfig"))]
    groups = [(tree(each.get("headGroupSpec")), *trees(each.get("workerGroupSpecs"))) for each in clusters]
    for group in chain.from_iterable(groups if OWN_COMMAND not in resource.annotations else ()):
        for name, value in tree(group.get("rayStartParams")).items():
            if JSON.match(text(value)):
                who = text(group.get("groupName")) or "the head"
                yield f"rayStartParams.{name} of {who} is {text(value)}, which a shell takes apart"


@rule("TRN-518", ADVISORY, on=V1)
def current_trainer(job: Resource, _: Facts) -> Complaints:
    """TrainJob replaces PyTorchJob and its siblings; kinds of that name of other projects are theirs."""
    if job.group == "kubeflow.org":
        yield "is a Kubeflow v1 job"
