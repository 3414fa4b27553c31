"""Command lines of launchers: tokens, sizes, and roles that agree."""

import re
from collections.abc import Iterator
from dataclasses import replace
from math import prod

from bedplate.components.workload.kinds import KINDS
from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import GPU, SHM, Pod, argv, asked
from bedplate.policies.resources.servers import launches, number, script_options
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, dig, integer, items, text, tree, whole

TWO_IN_ONE = re.compile(r"(-{1,2}[A-Za-z][\w-]*) \S")
PROGRAM = re.compile(r"(python3?|torchrun|mpirun|mpiexec) \S")
SHELL = re.compile(r"-[a-z]*c[a-z]*|--|plm_(rsh|ssh)_(args|agent)")
"""What makes the next item a text of several words: a shell's -c among its flags, or the end of them; Open MPI's way to
call ssh."""
MODULE = "vllm.entrypoints.openai.api_server"
"""It has an argument without a name since 0.10: vllm-project/vllm vllm/entrypoints/openai/cli_args.py, `model_tag`."""
COMPARED = ("NCCL_", "FI_")
PER_NODE = re.compile(r"torchrun|torch\.distributed|accelerate launch|--?(npernode|map-by ppr|N)\b|ppr:")
"""Launchers under mpirun of which one a node starts the ranks, and options that say how many a node has."""
OWN_HOSTS = re.compile(r"(?<!\S)(--?(hostfile|machinefile|default-hostfile)[= ](?!/etc/mpi/)|--?host\b|-H\s)")
"""Options by which a launcher brings its own list of hosts and slots, in place of the operator's."""
PARALLELISM = (
    ("--tensor_model_parallel_size", "--tensor_parallel_size"),
    ("--pipeline_model_parallel_size", "--pipeline_parallel_size"),
    ("--context_parallel_size",),
)


@rule("TRN-503", MANDATORY, also=ADVISORY, on=Pod)
def separate_tokens(pod: Pod, _: Facts) -> Complaints:
    """Items of command and args are words, not shell text, unless they follow -c.

    Without a command the image's own entry point decides, which may be a shell. vLLM's API server takes the first such
    item for a name that it does not use, and starts without the option.
    """
    for container in pod.all_containers if launches(pod) or _starts_program(pod) else ():
        previous: object = ""
        for item in [*items(container.get("command")), *items(container.get("args"))]:
            flagged = TWO_IN_ONE.match(text(item)) or PROGRAM.match(text(item))
            if flagged and not SHELL.fullmatch(text(previous)) and previous is not UNKNOWN:
                what = f"container {text(container.get('name'))} has an item that starts `{flagged[0].split()[0]}`"
                surely = items(container.get("command")) and MODULE not in argv(container)
                yield Complaint(f"{what} and goes on", severity=None if surely else ADVISORY)
            previous = item


def _starts_program(pod: Pod) -> bool:
    return any(PROGRAM.match(line) for line in pod.lines)


def _sizes(workload: Workload, pod: Pod) -> Iterator[Complaint]:
    """Numbers on the command line that differ from those of the job: too many never start, too few leave GPUs idle."""
    for line in pod.lines:
        nodes = number(line, "--nnodes")
        if nodes is not None and not _possible(workload, pod, nodes):
            severity = None if nodes > workload.nodes else ADVISORY
            yield Complaint(f"--nnodes is {nodes}, the job has {workload.nodes}", severity=severity)
        per_node = number(line, "--nproc_per_node")
        if per_node is not None and pod.gpus and per_node != pod.gpus:
            severity = None if per_node > pod.gpus else ADVISORY
            yield Complaint(f"--nproc_per_node is {per_node}, the pod has {pod.gpus} GPUs", severity=severity)
        if pod.gpus and per_node is not None:
            yield from map(Complaint, _parallelism(line, workload.nodes * pod.gpus))


READS = re.compile(r"torchrun|torch\.distributed|accelerate|deepspeed|lightning|horovod|mpirun|\.sh\b")
SCRIPT = re.compile(r"(^|\s)python[\d.]*\s(?!-m)\S+\.py\b")


@rule("TRN-522", ADVISORY, on=Workload)
def launcher_reads_the_number(workload: Workload, _: Facts) -> Complaints:
    """The operator hands nprocPerNode on as PET_NPROC_PER_NODE, which torchrun reads and a plain script does not."""
    stated = text(workload.resource.spec.get("nprocPerNode")) if workload.kind == "PyTorchJob" else ""
    for pod in workload.gpu_pods if stated not in ("", "1") else ():
        lines = [" ".join(argv(container)) for container in pod.gpu_containers]
        plain = [line for line in lines if SCRIPT.search(line) and not READS.search(line)]
        if plain and pod.gpus > 1 and whole(pod.spec):
            what = f"nprocPerNode is {stated} for {pod.gpus} GPUs, and {pod.role} starts a script without a launcher"
            yield Complaint(what)


def _possible(workload: Workload, pod: Pod, nodes: int) -> bool:
    """Whether so many pods can meet: all of them, or, in kinds whose roles may differ, an even part of a role."""
    if workload.resource.group == "batch" and workload.resource.spec.get("completionMode") != "Indexed":
        return True  # one Job for each rank
    together = workload.kind == "PyTorchJob" or workload.resource.group == "batch"
    return nodes == workload.nodes or (not together and (integer(pod.replicas) or 1) % nodes == 0)


def _parallelism(line: str, world: int) -> Iterator[str]:
    degrees = [number(line, *names) or 1 for names in PARALLELISM]
    if world % prod(degrees):
        yield f"tensor x pipeline x context parallelism is {prod(degrees)}, which does not divide {world} GPUs"


def _mpi_sizes(workload: Workload) -> Iterator[Complaint]:
    """More ranks than slots never start; fewer, or slots that are not GPUs, may be meant: one torchrun a node.

    A launcher with its own list of hosts has its own slots, and a job without workers is an excerpt.
    """
    workers = any(pod.role == "Worker" for pod in workload.pods)
    if not workers or any(OWN_HOSTS.search(line) for pod in workload.pods for line in pod.lines):
        return
    slots = integer(workload.resource.spec.get("slotsPerWorker")) or 1
    per_node = any(PER_NODE.search(line) for pod in workload.pods for line in pod.lines)
    for pod in workload.gpu_pods:
        if pod.role == "Worker" and slots != pod.gpus and not per_node:
            yield Complaint(f"slotsPerWorker is {slots}, a worker has {pod.gpus} GPUs", severity=ADVISORY)
    room = workload.nodes * slots
    for line in (line for pod in workload.pods for line in pod.lines if "mpirun" in line):
        ranks = number(line, "-np", "-n", "--np")
        if ranks is not None and ranks != room and (workload.gpu_pods or ranks > room) and not per_node:
            surely = ranks > room and "oversubscribe" not in line.lower()
            what = f"-np is {ranks}, {workload.nodes} workers with {slots} slots make {room}"
            yield Complaint(what, severity=None if surely else ADVISORY)


@rule("TRN-504", MANDATORY, also=ADVISORY, on=Workload)
def world_size(workload: Workload, _: Facts) -> Complaints:
    """Plain numbers are compared; variables and elastic ranges are left to the job."""
    if not (workload.finite and workload.known and workload.counted):
        return
    if workload.kind == "MPIJob":
        yield from _mpi_sizes(workload)
    elif workload.resource.spec.get("elasticPolicy") is None:
        for pod in workload.pods:
            for size in _sizes(workload, pod):
                yield replace(size, what=f"{pod.role} {size.what}".strip())


ALIKE = ("PyTorchJob", "LeaderWorkerSet", "Job")
"""Kinds whose roles run the same program; a JobSet's replicated jobs may differ on purpose."""
ARGUMENTS = "the script's arguments"
OWN_TO_LEADERS = {ARGUMENTS, "resources"}


def _traits(pod: Pod) -> dict[str, object]:
    """What every rank of a job must have in common."""
    container = next(each for each in pod.containers if any(GPU.fullmatch(key) for key in asked(each)))
    shm = pod.mounted(container, SHM)
    env = {name: value for name, value in pod.env.items() if name.startswith(COMPARED)}
    return {
        "image": container.get("image"),
        "resources": tree(container.get("resources")),
        "the communication variables": env,
        SHM: tree(dig(shm, "emptyDir")),
        ARGUMENTS: [script_options(line) for line in pod.lines if script_options(line)],
    }


@rule("TRN-507", ADVISORY, on=Workload)
def roles_alike(workload: Workload, _: Facts) -> Complaints:
    """Image, resources, communication variables, shared memory and script arguments are those of every GPU role.

    The leader of a LeaderWorkerSet runs a program of its own, beside workers that only join.
    """
    leader = workload.kind == "LeaderWorkerSet"
    alike = workload.multi_node and workload.kind in ALIKE and whole(workload.resource.at("spec"))
    roles = [pod for pod in workload.gpu_pods if pod.role] if alike else []
    for pod in roles[1:]:
        first, other = _traits(roles[0]), _traits(pod)
        leads = leader and not (launches(roles[0]) and launches(pod))
        for trait, value in first.items():
            if value != other[trait] and not (leads and trait in OWN_TO_LEADERS):
                yield f"{roles[0].role} and {pod.role} differ in {trait}"


TRAINING = re.compile(r"\btorchrun\b|\btrain\w*\.py|finetune\w*\.py|pretrain\w*\.py")
LONGEST_NAME = KINDS["LeaderWorkerSet"].longest_name(1)


@rule("TRN-508", ADVISORY, also=MANDATORY, on=("LeaderWorkerSet", Workload))
def servers_only(view: object, _: Facts) -> Complaints:
    """A LeaderWorkerSet runs a server with a port and has a name of at most 51 characters."""
    if not isinstance(view, Workload):
        name = text(dig(getattr(view, "props", {}), "metadata", "name"))
        if len(name) > LONGEST_NAME:
            yield Complaint(f"the name has {len(name)} characters", f"Shorten it to {LONGEST_NAME}", MANDATORY)
        return
    if view.kind != "LeaderWorkerSet":
        return
    if any(TRAINING.search(line) for pod in view.pods for line in pod.lines):
        yield "runs a training command"
    elif all(whole(pod.spec) for pod in view.pods) and not any(
        container.get("ports") for pod in view.pods for container in pod.containers
    ):
        yield "serves no port"
