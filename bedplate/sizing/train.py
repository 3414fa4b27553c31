"""A training run at a place: every figure, or why it cannot be."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from bedplate.sizing import checkpoints, memory, network, power, rate, schedule, spread
from bedplate.sizing.figures import Figure, ImpossibleError, short
from bedplate.sizing.model import Trained
from bedplate.sizing.place import Place
from bedplate.sizing.spread import Spread

DATA_SHEET = "NVIDIA data sheet, dense"
DEEPSPEED = "DeepSpeed docs, batch size related parameters"


@dataclass(frozen=True)
class Run:
    """What is asked."""

    model: Trained
    place: Place
    spread: Spread
    work: memory.Work
    accumulate: int = 1
    tokens: float = 0
    """To train on; 0: not said, so that no end is computed."""
    precision: str = "bf16"
    """Of the matrix products."""
    mfu: float = 0
    """Share of the peak that is reached; 0: not said, so that a published run stands in."""
    known_batch: int = 0
    """Sequences a step for which a learning rate is known; 0: none."""
    write_gbs: float | None = None
    """What the checkpoints' storage takes."""
    stall: float = 60
    """Seconds that a checkpoint may stop the job where `write_gbs` is not known."""
    hours_to_failure: float = 0
    """Of all these GPUs together, as measured; 0: not said, so that a published rate stands in."""
    keep: int = 3
    price: float = 0
    """Dollars that a GPU costs an hour; 0: not said."""

    @property
    def batch(self) -> schedule.Batch:
        """One optimizer step."""
        return schedule.Batch(self.work.micro, self.accumulate, self.spread.data, self.work.sequence)

    @property
    def days(self) -> float | None:
        """The whole run; None where its tokens were not said, or the GPU's peak is not known."""
        if not self.tokens or self.speed is None:
            return None
        return schedule.seconds(self.model, self.tokens, self.work.sequence, self.speed) / schedule.DAY

    @property
    def step_seconds(self) -> float | None:
        """Computation of one step; None where the GPU's peak is not known."""
        if self.speed is None:
            return None
        return schedule.seconds(self.model, self.batch.tokens, self.work.sequence, self.speed)

    @cached_property
    def rate(self) -> rate.Rate:
        """Share of the peak, and whose figure it is."""
        if self.mfu:
            return rate.Rate(self.mfu, "--mfu")
        return rate.rate(self.model, self.place.model, self.precision)

    @cached_property
    def speed(self) -> schedule.Speed | None:
        """What the whole place computes; None where the GPU's peak is not known."""
        peak = rate.peak(self.place.model, self.precision)
        if peak is None:
            return None
        return schedule.Speed(self.place.gpus, peak, self.rate.mfu, self.spread.wait(self.model.layers))


def size(run: Run) -> list[Figure]:
    """All figures; raises ImpossibleError with a line for each thing that cannot be."""
    needed = memory.memory(run.model, run.spread, run.work)
    problems = [*spread.faults(run.model, run.spread, run.place), *_too_large(run, needed), *_without_kernels(run)]
    if problems:
        raise ImpossibleError(problems)
    parts = (_memory(run, needed), _batch(run), _time(run), _network(run), _checkpoints(run), _costs(run))
    return list(chain(*parts))


def _without_kernels(run: Run) -> Iterator[str]:
    """A GPU that computes, and not in this precision."""
    if run.speed is None and rate.peak(run.place.model, rate.PRECISIONS[0]) is not None:
        yield f"--precision {run.precision}: {run.place.gpu} has no such products, or nobody has published how fast"


def _too_large(run: Run, needed: memory.Memory) -> Iterator[str]:
    limit = memory.limit(run.place.memory_gb)
    if needed.total > limit:
        yield (
            f"{_sum(needed)} = {short(needed.total)} GB a GPU, of which {run.place.gpu} has {run.place.memory_gb} "
            f"({short(limit)} without the reserve of {memory.RESERVE:.0%}): the states of {run.model.name} alone need "
            f"{memory.least(run.model.billions, run.place.memory_gb)} such GPUs, fully sharded; shard more (--zero 3), "
            "take a smaller --micro-batch, more --tp or more nodes"
        )


def _sum(needed: memory.Memory) -> str:
    parts = {
        "states": needed.states,
        "activations": needed.activations,
        "logits": needed.logits,
        "gathered layers": needed.gathered,
        "workspace": memory.WORKSPACE_GB,
    }
    return " + ".join(f"{name} {short(value)}" for name, value in parts.items() if value)


def _memory(run: Run, needed: memory.Memory) -> Iterator[Figure]:
    states = " + ".join(
        f"{short(billions)}e9 × {short(memory.states_per_parameter(run.spread.stage, ranks))} B ({ranks} ranks)"
        for billions, ranks in memory.shards(run.model, run.spread)
    )
    yield Figure("memory", "states a GPU", needed.states, "GB", states, memory.ZERO)
    how = "recomputed" if run.work.recompute else "kept"
    tokens = f"{run.work.sequence} tokens × {run.work.micro} × {run.model.hidden} × {run.model.layers} layers, {how}"
    yield Figure("memory", "activations a GPU", needed.activations + needed.logits, "GB", tokens, memory.MEGATRON)
    yield Figure("memory", "in all", needed.total, "GB", f"{_sum(needed)}; of {run.place.memory_gb}", memory.ZERO)
    least = memory.least(run.model.billions, run.place.memory_gb)
    floor = f"{short(run.model.billions)}e9 × 16 B / ({run.place.memory_gb} GB × {memory.USABLE:.0%})"
    floor += f"; {memory.rounded(least)} as a power of two"
    yield Figure("memory", "fewest GPUs", least, "GPUs", floor, memory.ZERO)


def _batch(run: Run) -> Iterator[Figure]:
    batch = run.batch
    product = f"micro {batch.micro} × accumulate {batch.accumulate} × data {batch.data}"
    yield Figure("batch", "sequences a step", batch.samples, "", product, DEEPSPEED)
    yield Figure("batch", "tokens a step", batch.tokens, "", f"{batch.samples} × {batch.sequence}", schedule.SCALING)
    if run.known_batch:
        factor = schedule.learning_rate_factor(batch.samples, run.known_batch)
        rule = f"√({batch.samples} / {run.known_batch}), Adam, with warm-up: advice"
        yield Figure("batch", "learning rate", factor, "× the known", rule, "arXiv 2205.10287, square root rule")


def _time(run: Run) -> Iterator[Figure]:
    speed, flops = run.speed, run.model.flops(run.work.sequence)
    if speed is None or run.step_seconds is None:
        yield Figure("time", "step", "unknown", "", f"no published peak of {run.place.gpu} is known here", DATA_SHEET)
        return
    share = speed.mfu * 100
    yield Figure("time", "of the peak", share, "%", run.rate.source, run.rate.source)
    parts = f"6 × ({short(run.model.passed)}e9 - what is looked up + attention to {run.work.sequence} / 2)"
    yield Figure("time", "a token takes", flops / 1e9, "GFLOP", parts, schedule.SCALING)
    waits = f" / {speed.wait:.2f} for the longest stage" if speed.wait > 1 else ""
    peak = f"{speed.gpus} GPUs × {speed.peak:g} TFLOP/s × MFU {speed.mfu:.0%}{waits}"
    yield Figure("time", "tokens a second", speed.flops / flops, "", f"{peak} / {short(flops / 1e9)} GFLOP", DATA_SHEET)
    step = f"{short(flops / 1e9)} GFLOP × {run.batch.tokens} tokens / ({peak})"
    yield Figure("time", "step", run.step_seconds, "s", step, schedule.SCALING)
    if run.days is not None:
        whole = f"{short(flops / 1e9)} GFLOP × {run.tokens:.3g} tokens / ({peak})"
        yield Figure("time", "the whole run", run.days, "days", whole, schedule.SCALING)
        steps = run.tokens / run.batch.tokens
        yield Figure("time", "steps", steps, "", f"{run.tokens:.3g} / {run.batch.tokens}", schedule.SCALING)


def _network(run: Run) -> Iterator[Figure]:
    traffic = network.gradients(memory.shards(run.model, run.spread), run.spread, run.place, run.accumulate)
    if traffic is None:
        yield Figure("network", "gradients", 0, "s", "nothing leaves the node, or no fabric is known", network.RING)
        return
    rate = f"{short(traffic.sent)} GB / {short(run.place.gpu_network)} GB/s of its own NIC"
    yield Figure("network", "gradients and parameters", traffic.seconds, "s a step", rate, network.RING)
    if run.step_seconds:
        share = traffic.seconds / run.step_seconds
        words = f"{short(traffic.seconds)} s / {short(run.step_seconds)} s; hidden behind it where below 1"
        yield Figure("network", "against computation", share, "", words, network.RING)


def _checkpoints(run: Run) -> Iterator[Figure]:
    plan = checkpoints.plan(
        run.model.billions,
        run.place.gpus,
        write_gbs=run.write_gbs,
        stall=run.stall,
        hours=run.hours_to_failure,
    )
    bytes_ = f"{short(run.model.billions)}e9 × {checkpoints.BYTES} B"
    yield Figure("checkpoints", "one", plan.size, "GB", bytes_, checkpoints.PARTS)
    room = plan.size * run.keep / 1000
    yield Figure("checkpoints", f"room for {run.keep}", room, "TB", f"{bytes_} × {run.keep}", checkpoints.PARTS)
    hours = f"{checkpoints.HOURS_TO_FAILURE} GPU h / {run.place.gpus} GPUs"
    rate = ("as measured", "--mtti") if run.hours_to_failure else (hours, checkpoints.LLAMA)
    yield Figure("checkpoints", "between failures", plan.mtbf / checkpoints.HOUR, "h", *rate)
    every = f"√(2 × {short(plan.stall)} s × {short(plan.mtbf)} s)"
    yield Figure("checkpoints", "one every", plan.interval / 60, "min", every, checkpoints.YOUNG)
    if run.step_seconds:
        steps = f"{short(plan.interval)} s / {short(run.step_seconds)} s"
        yield Figure(
            "checkpoints", "which is", max(1, int(plan.interval / run.step_seconds)), "steps", steps, schedule.SCALING
        )
    speed = f"{short(plan.size)} GB / {short(plan.stall)} s"
    yield Figure("checkpoints", "written at", plan.size / plan.stall, "GB/s", speed, checkpoints.YOUNG)
    words = f"δ/τ + (τ/2 + {plan.restart:.0f} s)/MTBF = {short(plan.stall)} s / {short(plan.interval)} s + "
    words += f"({short(plan.interval / 2)} s + {plan.restart:.0f} s) / {short(plan.mtbf)} s"
    yield Figure("checkpoints", "time lost", plan.lost * 100, "%", words, checkpoints.YOUNG)


def _costs(run: Run) -> Iterator[Figure]:
    yield from power.power(run.place, run.days)
    yield from power.cost(run.place, run.price, run.days)
