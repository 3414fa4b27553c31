"""Rules about a job by itself: its words, its arithmetic, and fields that go together."""

import re
from collections.abc import Iterator
from itertools import chain

from bedplate.components.workload.deepspeed import CONFIG_FOLDER, train_batch
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.kinds import TORCHRUN
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.secrecy import is_secret

FLAG_AND_VALUE = re.compile(r"-{1,2}[A-Za-z][\w-]*\s+\S|(python3?|torchrun|mpirun)\s")


def check_shape(job: TrainingJob, gpus: int) -> Iterator[Problem]:
    """Faults that hold on any cluster whose nodes give the job so many GPUs each."""
    world = job.nodes * gpus
    yield from chain(_name(job), _words(job), _parallelism(job, world), _elastic(job))
    yield from chain(_deepspeed(job, world), _server(job), _mounts(job), _secrets(job))


def _name(job: TrainingJob) -> Iterator[Problem]:
    longest = job.row.longest_name(job.elastic.max_nodes if job.elastic else job.nodes)
    if len(job.name) > longest:
        reason = f"{len(job.name)} characters, and the pods of kind {job.kind} have longer names still"
        yield Problem("name", job.name, reason, f"use {longest} or fewer")
    if job.name[0].isdigit():
        yield Problem("name", job.name, "a Service's name begins with a letter", "put a letter first")


def _words(job: TrainingJob) -> Iterator[Problem]:
    if bool(job.script) == bool(job.command):
        given = "both" if job.script else None
        yield Problem("script", given, "a job has either a script or a command", "give one of them")
    for key, words in (("script", job.script), ("command", job.command)):
        for index, word in enumerate(words):
            in_shell = index and re.fullmatch(r"-l?c", words[index - 1])
            if not in_shell and FLAG_AND_VALUE.match(word):
                reason = "several words in one item reach the program as one"
                yield Problem(f"{key}[{index}]", word, reason, f"write {', '.join(word.split())} as items of their own")


def _parallelism(job: TrainingJob, world: int) -> Iterator[Problem]:
    cut = job.parallelism
    if cut is None:
        return
    if cut.dp is None and world % cut.model:
        reason = f"tp x pp x cp = {cut.model} does not divide the {world} GPUs of {job.nodes} nodes"
        yield Problem("parallelism", cut.model, reason, "change one of them, or nodes")
    elif cut.dp and cut.model * cut.dp != world:
        reason = f"tp x pp x cp x dp = {cut.model * cut.dp}, but the job has {world} GPUs"
        fix = f"use dp: {world // cut.model}" if world % cut.model == 0 else "change one of them, or nodes"
        yield Problem("parallelism.dp", cut.dp, reason, fix)


def _elastic(job: TrainingJob) -> Iterator[Problem]:
    span = job.elastic
    if span is None:
        return
    if not job.row.elastic:
        fix = "use kind PyTorchJob, or remove it"
        yield Problem("elastic", "present", f"kind {job.kind} has a fixed number of nodes", fix)
    if span.min_nodes >= span.max_nodes:
        reason = f"not less than maxNodes {span.max_nodes}, so nothing is elastic"
        yield Problem("elastic.minNodes", span.min_nodes, reason, "widen the range, or remove elastic")
    if not span.min_nodes <= job.nodes <= span.max_nodes:
        reason = f"outside the elastic range {span.min_nodes} to {span.max_nodes}"
        yield Problem("nodes", job.nodes, reason, "start with a number within it")
    if job.parallelism and job.parallelism.model > 1:
        reason = "a model cut by tp, pp or cp cannot lose a node"
        yield Problem("elastic", "present", reason, "remove elastic, or those")


def _deepspeed(job: TrainingJob, world: int) -> Iterator[Problem]:
    section = job.deepspeed
    if section is None:
        return
    if not job.row.torchrun:
        fix = f"use {' or '.join(TORCHRUN)}"
        yield Problem("deepspeed", "present", f"kind {job.kind} is not started by torchrun", fix)
    if job.elastic:
        reason = "its batch size is computed for a fixed number of GPUs"
        yield Problem("deepspeed", "present", reason, "remove it, or elastic")
    if job.parallelism and job.parallelism.model > 1:
        reason = "DeepSpeed takes every GPU as data parallel, and its batch sizes with it"
        yield Problem("deepspeed", "present", reason, "remove it, or tp, pp and cp")
    batch = train_batch(section, world)
    if section.train_batch not in (None, batch):
        product = f"{section.micro_batch} x {section.accumulation} x {world}"
        reason = f"microBatch x accumulation x GPUs = {product} = {batch}"
        yield Problem("deepspeed.trainBatch", section.train_batch, reason, f"use {batch}, or change one of them")


def _server(job: TrainingJob) -> Iterator[Problem]:
    serves = job.row.serves
    if serves and job.port is None:
        reason = "a LeaderWorkerSet is for servers: its pods start again after success (kubernetes-sigs/lws#570)"
        yield Problem("port", None, reason, "say where the server answers; for training use kind JobSet or TrainJob")
    if serves and job.script:
        yield Problem("script", " ".join(job.script), "a LeaderWorkerSet runs servers, not scripts", "use command")
    if not serves and job.port is not None:
        fix = "remove it, or use kind LeaderWorkerSet"
        yield Problem("port", job.port, f"kind {job.kind} answers no requests", fix)
    if not serves and job.replicas > 1:
        yield Problem("replicas", job.replicas, f"kind {job.kind} runs once", "remove it, or use kind LeaderWorkerSet")


def _mounts(job: TrainingJob) -> Iterator[Problem]:
    taken = ["/dev/shm", *([CONFIG_FOLDER] if job.deepspeed else [])]  # noqa: S108 - NCCL's own place
    paths = [("checkpoint.path", job.checkpoint.path)] if job.checkpoint else []
    for key, path in [*paths, *((f"volumes[{i}].path", volume.path) for i, volume in enumerate(job.volumes))]:
        if path in taken:
            yield Problem(key, path, "something else is mounted there", "use another path")
        taken.append(path)


def _secrets(job: TrainingJob) -> Iterator[Problem]:
    for name, value in job.env.items():
        if is_secret("", value):
            reason = "a secret does not belong in a file that is reviewed"
            yield Problem(f"env.{name}", value, reason, "read it from a Secret that the image mounts")
