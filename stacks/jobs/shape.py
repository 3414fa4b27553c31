"""Rules about a job by itself: its words, its arithmetic, and fields that go together."""

import re
from collections.abc import Iterator
from itertools import chain

from bedplate.components.workload.deepspeed import CONFIG_FOLDER, train_batch
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.kinds import TORCHRUN
from bedplate.stacks.profile.problem import Problem, problem
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
        yield problem("job_shape.name-too-long", job.name, count=len(job.name), job=job, longest=longest)
    if job.name[0].isdigit():
        yield problem("job_shape.name-begins-with-a-digit", job.name)


def _words(job: TrainingJob) -> Iterator[Problem]:
    if bool(job.script) == bool(job.command):
        given = "both" if job.script else None
        yield problem("job_shape.script-or-command", given)
    for key, words in (("script", job.script), ("command", job.command)):
        for index, word in enumerate(words):
            in_shell = index and re.fullmatch(r"-l?c", words[index - 1])
            if not in_shell and FLAG_AND_VALUE.match(word):
                yield problem("job_shape.several-words-in-one", word, key, index=index, words=word.split())


def _parallelism(job: TrainingJob, world: int) -> Iterator[Problem]:
    cut = job.parallelism
    if cut is None:
        return
    if cut.dp is None and world % cut.model:
        yield problem("job_shape.gpus-not-divided", cut.model, cut=cut, world=world, job=job)
    elif cut.dp and cut.model * cut.dp != world:
        fix = f"use dp: {world // cut.model}" if world % cut.model == 0 else "change one of them, or nodes"
        yield problem("job_shape.other-number-of-gpus", cut.dp, product=cut.model * cut.dp, world=world, fix=fix)


def _elastic(job: TrainingJob) -> Iterator[Problem]:
    span = job.elastic
    if span is None:
        return
    if not job.row.elastic:
        yield problem("job_shape.fixed-number-of-nodes", "present", job=job)
    if span.min_nodes >= span.max_nodes:
        yield problem("job_shape.nothing-elastic", span.min_nodes, span=span)
    if not span.min_nodes <= job.nodes <= span.max_nodes:
        yield problem("job_shape.outside-the-range", job.nodes, span=span)
    if job.parallelism and job.parallelism.model > 1:
        yield problem("job_shape.cut-model", "present")


def _deepspeed(job: TrainingJob, world: int) -> Iterator[Problem]:
    section = job.deepspeed
    if section is None:
        return
    if not job.row.torchrun:
        yield problem("job_shape.deepspeed-without-torchrun", "present", job=job, torchrun=TORCHRUN)
    if job.elastic:
        yield problem("job_shape.deepspeed-elastic", "present")
    if job.parallelism and job.parallelism.model > 1:
        yield problem("job_shape.deepspeed-cut", "present")
    batch = train_batch(section, world)
    if section.train_batch not in (None, batch):
        yield problem("job_shape.other-train-batch", section.train_batch, section=section, world=world, batch=batch)


def _server(job: TrainingJob) -> Iterator[Problem]:
    serves = job.row.serves
    if serves and job.port is None:
        yield problem("job_shape.server-without-port")
    if serves and job.script:
        yield problem("job_shape.server-with-script", " ".join(job.script))
    if not serves and job.port is not None:
        yield problem("job_shape.port-of-no-server", job.port, job=job)
    if not serves and job.replicas > 1:
        yield problem("job_shape.replicas-of-no-server", job.replicas, job=job)


def _mounts(job: TrainingJob) -> Iterator[Problem]:
    taken = ["/dev/shm", *([CONFIG_FOLDER] if job.deepspeed else [])]  # noqa: S108 - NCCL's own place
    paths = [("checkpoint.path", job.checkpoint.path)] if job.checkpoint else []
    for key, path in [*paths, *((f"volumes[{i}].path", volume.path) for i, volume in enumerate(job.volumes))]:
        if path in taken:
            yield problem("job_shape.mounted-twice", path, key)
        taken.append(path)


def _secrets(job: TrainingJob) -> Iterator[Problem]:
    for name, value in job.env.items():
        if is_secret("", value):
            yield problem("job_shape.secret", value, name=name)
