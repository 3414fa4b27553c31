"""What the job operators ask of a job."""

from policies.facts import Facts
from policies.model import Resource
from policies.operators import MPI, TRAINING, arguments, present
from policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from policies.stack import Stack
from policies.values import UNKNOWN, dig, text, tree, trees, whole
from policies.workloads import ANCESTOR, V1, Workload

CONTAINER = "pytorch"


@rule(
    "TRN-501",
    "A PyTorchJob's container is called pytorch",
    MANDATORY,
    on=Workload,
    why="The operator's webhook denies the job",
    fix=f"Name the container {CONTAINER}",
    source="kubeflow/training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go 144",
)
def container_name(workload: Workload, _: Facts) -> Complaints:
    """The operator finds the container that it configures by this name."""
    for pod in workload.pods if workload.resource.kind == "PyTorchJob" else ():
        names = [text(container.get("name")) for container in pod.containers]
        if CONTAINER not in names and whole([each.get("name") for each in pod.containers]) and names:
            yield f"{pod.role} has the containers {', '.join(names)}"


@rule(
    "TRN-502",
    "One operator owns MPIJobs",
    MANDATORY,
    on=Stack,
    why="Both bring the CRD mpijobs.kubeflow.org in different versions, and the second apply fails",
    fix="Take mpi-operator, v2beta1, and start the training operator with --enable-scheme for all other kinds",
    source="kubeflow/trainer#1777, #1930",
)
def one_mpi_owner(stack: Stack) -> Complaints:
    """The training operator leaves MPIJobs to mpi-operator where both are installed."""
    for other in present(stack, MPI)[:1]:
        for resource, tokens in arguments(stack, TRAINING):
            schemes = [token for token in tokens if "enable-scheme" in token]
            if whole(resource.at("spec")) and (not schemes or any("mpi" in each for each in schemes)):
                yield Complaint(f"manages MPIJobs beside {other.title}", about=resource)
        for job in stack.of("MPIJob"):
            if job.api_version == "kubeflow.org/v1":
                yield Complaint("is kubeflow.org/v1 beside mpi-operator", "Write kubeflow.org/v2beta1", about=job)


@rule(
    "TRN-515",
    "A TrainJob's resources are complete",
    MANDATORY,
    on=("TrainJob",),
    why="resourcesPerNode replaces the runtime's resources as a whole: the GPUs or the fabric vanish",
    fix="Repeat the GPUs and the fabric's resource in resourcesPerNode",
    source="NVIDIA/aicr fabric-attached-training.md",
)
def complete_resources(job: Resource, facts: Facts) -> Complaints:
    """What resourcesPerNode does not name, the pod does not get."""
    trainer = tree(job.spec.get("trainer"))
    resources = trainer.get("resourcesPerNode")
    if resources is None or not whole(resources):
        return
    names = {key for part in ("limits", "requests") for key in tree(dig(resources, part))}
    if not any(name.startswith("nvidia.com/gpu") for name in names):
        yield "trainer.resourcesPerNode has no nvidia.com/gpu"
    several = trainer.get("numNodes") not in (None, 1, UNKNOWN)
    if several and facts.rdma_resources and not names & set(facts.rdma_resources):
        yield f"trainer.resourcesPerNode has none of {', '.join(sorted(facts.rdma_resources))}"


@rule(
    "TRN-516",
    "A custom runtime marks its trainer",
    MANDATORY,
    on=("TrainingRuntime", "ClusterTrainingRuntime"),
    why="The TrainJob's image, command and nodes are never applied",
    fix=f"Label the replicated job's template {ANCESTOR}: trainer",
    source="NVIDIA/aicr fabric-attached-training.md; kubeflow/trainer documentation",
)
def runtime_marks_trainer(runtime: Resource, _: Facts) -> Complaints:
    """The operator finds the step that a TrainJob configures by its label."""
    jobs = trees(dig(runtime.spec, "template", "spec", "replicatedJobs"))
    labels = [dig(job, "template", "metadata") for job in jobs]
    if jobs and whole(labels) and not any(dig(each, "labels", ANCESTOR) == "trainer" for each in labels):
        yield f"no replicated job has the label {ANCESTOR}"


@rule(
    "TRN-517",
    "Queued jobs give their GPUs back",
    MANDATORY,
    on=Workload,
    why="Kueue frees the quota when the job succeeds while its pods still hold the GPUs",
    fix="Set runPolicy.cleanPodPolicy: Running",
    source="kubernetes-sigs/kueue#1574; kubeflow/mpi-operator#643",
)
def pods_cleaned(workload: Workload, _: Facts) -> Complaints:
    """A finished launcher or worker of a queued PyTorchJob or MPIJob is removed."""
    if not workload.queue or workload.resource.kind not in {"PyTorchJob", "MPIJob"}:
        return
    policy = workload.resource.at("spec", "runPolicy", "cleanPodPolicy")
    if policy is None or policy == "None":
        yield f"runPolicy.cleanPodPolicy is {policy or 'not set'} with queue {workload.queue}"


@rule(
    "TRN-518",
    "New stacks use the current trainer",
    ADVISORY,
    on=V1,
    why="Kubeflow's v1 jobs are deprecated: Kueue switched them off in 0.19 and plans to drop them",
    fix="Write a TrainJob, or a JobSet",
    source="kubernetes-sigs/kueue CHANGELOG-0.19",
)
def current_trainer(_: Resource, __: Facts) -> Complaints:
    """TrainJob replaces PyTorchJob and its siblings."""
    yield "is a Kubeflow v1 job"
