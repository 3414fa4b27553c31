"""The arithmetic of training, network and checkpoints, against figures that are known from elsewhere."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.sizing import checkpoints, memory, network, rate, schedule, spread, train
from bedplate.sizing.figures import ImpossibleError
from bedplate.sizing.memory import Work
from bedplate.sizing.model import Trained, known, trained
from bedplate.sizing.place import Place, of_shape, of_stack
from bedplate.sizing.spread import Spread
from tests import stack_files

H100 = Place("h100", "NVIDIA-H100-80GB-HBM3", 80, 8, 8, 8, 400)
LLAMA_70B = trained("llama-70b")
assert LLAMA_70B is not None
SEVENTY = dataclasses.replace(LLAMA_70B, billions=70)
RUN = train.Run(LLAMA_70B, H100, Spread(8, tensor=8, stage=1), Work(8192, 1))


def value(run: train.Run, topic: str, name: str) -> float | str:
    (found,) = [figure.value for figure in train.size(run) if (figure.topic, figure.name) == (topic, name)]
    return found


@pytest.mark.parametrize(("stage", "expected"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_the_states_of_each_zero_stage_are_those_of_its_paper(stage: int, expected: float) -> None:
    assert 7.5 * memory.states_per_parameter(stage, 64) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("billions", "gigabytes", "gpus"),
    [
        (7, 40, 4),
        (8, 40, 8),
        (8, 80, 4),
        (13, 40, 8),
        (13, 80, 4),
        (13, 141, 2),
        (34, 40, 32),
        (34, 80, 16),
        (34, 141, 8),
        (34, 192, 4),
        (70, 40, 64),
        (70, 80, 32),
        (70, 141, 16),
        (70, 192, 8),
        (180, 80, 64),
        (180, 141, 32),
        (180, 192, 32),
        (405, 40, 256),
        (405, 80, 128),
        (405, 141, 64),
        (405, 192, 64),
    ],
)
def test_the_fewest_gpus_of_a_full_fine_tune_are_the_known_ones(billions: float, gigabytes: int, gpus: int) -> None:
    assert memory.rounded(memory.least(billions, gigabytes)) == gpus


def test_seventy_billion_need_nineteen_gpus_of_eighty_gigabytes_at_least() -> None:
    assert memory.least(70, 80) == 19


@pytest.mark.parametrize(("stage", "states"), [(0, 140), (1, 48.1)])
def test_tensor_parallel_eight_alone_does_not_make_70b_fit_but_zero_does(stage: int, states: float) -> None:
    found = memory.memory(SEVENTY, Spread(8, tensor=8, stage=stage), Work(4096, 1))
    assert found.states == pytest.approx(states, abs=0.1)
    assert (found.total <= memory.limit(80)) is (stage == 1)


def test_full_shard_over_sixty_four_gpus_leaves_seventeen_gigabytes() -> None:
    assert memory.memory(SEVENTY, Spread(64), Work(4096, 1)).states == pytest.approx(17.5)


def test_activations_that_are_kept_take_seventeen_times_those_that_are_recomputed_but_for_one_layer() -> None:
    recomputed = memory.memory(SEVENTY, Spread(8, tensor=8), Work(8192, 1)).activations
    kept = memory.memory(SEVENTY, Spread(8, tensor=8), Work(8192, 1, recompute=False)).activations
    layer = 8192 * 8192 / 8 / 1e9
    assert kept == pytest.approx(34 * 80 * layer)
    assert recomputed == pytest.approx((2 * 80 + 34) * layer)


def test_a_mixtures_experts_are_what_total_and_active_parameters_leave_for_them() -> None:
    mixtral = trained("mixtral-8x7b")
    assert mixtral is not None
    assert mixtral.expert_billions == pytest.approx(45.1, abs=0.1)
    # What is left is attention and embeddings: 32 layers of 4096, once.
    assert mixtral.billions - mixtral.expert_billions == pytest.approx(1.6, abs=0.1)


def test_expert_parallelism_divides_the_experts_and_the_ranks_that_share_them() -> None:
    mixtral = trained("mixtral-8x7b")
    assert mixtral is not None
    (common, everyone), (experts, few) = memory.shards(mixtral, Spread(16, expert=8))
    assert (everyone, few) == (16, 2)
    assert common + experts * 8 == pytest.approx(mixtral.billions)


def test_the_effective_batch_counts_data_parallel_ranks_and_no_others() -> None:
    assert schedule.Batch(4, 1, 8, 4096).samples == 32
    assert schedule.Batch(1, 4, 32, 4096).samples == 128


def test_a_token_of_70b_takes_six_operations_a_parameter_and_a_tenth_more_for_attention() -> None:
    looked_up, attention = 128_256 * 8192, 80 * 8192 * 64 * 128
    assert SEVENTY.flops(8192) == 6 * (70e9 - looked_up + attention)
    assert SEVENTY.flops(8192) / 6 / 70e9 == pytest.approx(1.06, abs=0.01)


def test_fifteen_trillion_tokens_through_70b_take_120_days_of_two_thousand_gpus_and_attention() -> None:
    seconds = schedule.seconds(SEVENTY, 15e12, 8192, schedule.Speed(2048, 989, 0.3))
    assert seconds / schedule.DAY == pytest.approx(120 * 1.06, rel=0.01)


@pytest.mark.parametrize(
    ("layers", "stages", "longest", "wait"),
    [(126, 16, 8, 1.0), (126, 8, 16, 1.0), (126, 4, 32, 1.0), (80, 4, 20, 1.0), (80, 64, 2, 1.56), (61, 4, 16, 1.016)],
)
def test_stages_of_a_pipeline_may_differ_and_wait_for_the_longest(
    layers: int, stages: int, longest: int, wait: float
) -> None:
    cut = Spread(1, pipeline=stages)
    assert cut.longest(layers) == longest
    assert cut.wait(layers) == pytest.approx(wait, abs=0.001)
    assert cut.share(layers) == longest / layers


def test_the_longest_stage_decides_memory_and_time() -> None:
    even, uneven = Spread(8, tensor=2, pipeline=4, stage=1), Spread(4, tensor=2, pipeline=8, stage=1)
    model = dataclasses.replace(SEVENTY, layers=84)
    held = [sum(billions for billions, _ in memory.shards(model, one)) for one in (even, uneven)]
    assert held == pytest.approx([70 / 2 / 4, 70 / 2 * 11 / 84])
    run = dataclasses.replace(RUN, model=model, spread=uneven, mfu=0.4)
    assert run.speed is not None
    assert run.speed.wait == pytest.approx(88 / 86)


def test_the_gradients_of_tensor_parallel_eight_need_six_tenths_of_a_second() -> None:
    shape = Spread(8, tensor=8, stage=1)
    traffic = network.gradients(memory.shards(SEVENTY, shape), shape, H100, 1)
    assert traffic is not None
    assert traffic.sent == pytest.approx(30.6, abs=0.05)
    assert traffic.seconds == pytest.approx(0.61, abs=0.01)


def test_full_shard_sends_half_as_much_again_and_anew_with_every_microbatch() -> None:
    ddp, full = Spread(64, stage=0), Spread(64)
    once = network.gradients(memory.shards(SEVENTY, ddp), ddp, H100, 4)
    always = network.gradients(memory.shards(SEVENTY, full), full, H100, 4)
    assert once is not None
    assert always is not None
    assert always.sent == pytest.approx(once.sent * 1.5 * 4)


@pytest.mark.parametrize("place", [dataclasses.replace(H100, nodes=1), dataclasses.replace(H100, nics=0)])
def test_nothing_is_said_of_a_network_that_is_not_crossed_or_not_known(place: Place) -> None:
    assert network.gradients([(70, 8)], Spread(8), place, 1) is None


@pytest.mark.parametrize(
    ("gpus", "hours", "minutes"), [(64, 712, 292), (512, 89, 103), (2048, 22.3, 52), (16384, 2.78, 18)]
)
def test_failures_and_intervals_are_those_of_the_published_rate(gpus: int, hours: float, minutes: float) -> None:
    found = checkpoints.plan(70, gpus, write_gbs=None, stall=60)
    assert found.mtbf / 3600 == pytest.approx(hours, rel=0.01)
    assert found.interval / 60 == pytest.approx(minutes, rel=0.02)


@pytest.mark.parametrize(("billions", "gigabytes"), [(8, 112), (70, 980), (405, 5670)])
def test_a_checkpoint_has_fourteen_bytes_a_parameter(billions: float, gigabytes: float) -> None:
    assert checkpoints.size(billions) == gigabytes


def test_a_storages_rate_decides_how_long_a_checkpoint_stops_the_job() -> None:
    assert checkpoints.plan(70, 64, write_gbs=9.8, stall=60).stall == pytest.approx(100)


def test_sixty_four_interfaces_fill_one_leaf_and_twice_as_many_need_four() -> None:
    assert network.leaves(H100) == network.Leaves(64, 0, 1)
    assert network.leaves(dataclasses.replace(H100, nodes=16)) == network.Leaves(128, 128, 4)
    assert network.leaves(dataclasses.replace(H100, nodes=16), 2.0).uplinks == 64


@pytest.mark.parametrize(("nodes", "block", "prefix"), [(8, 8, 25), (250, 1, 24), (254, 1, 24), (255, 1, 23)])
def test_a_rails_prefix_holds_every_nodes_block(nodes: int, block: int, prefix: int) -> None:
    assert network.addresses(dataclasses.replace(H100, nodes=nodes), block) == (nodes * block * 8, prefix)


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (Spread(9, tensor=7), "do not divide"),
        (Spread(1, tensor=16, pipeline=4), "leaves NVLink"),
        (Spread(1, pipeline=128), "pp 128: llama-3.1-70b has 80 layers, and a stage has one at least"),
        (Spread(64, expert=4), "has no experts; remove --ep"),
    ],
)
def test_a_cut_that_cannot_be_is_refused_with_its_arithmetic(cut: Spread, words: str) -> None:
    with pytest.raises(ImpossibleError) as refused:
        train.size(dataclasses.replace(RUN, spread=cut))
    assert words in str(refused.value)


def test_a_run_that_does_not_fit_is_refused_with_every_summand() -> None:
    with pytest.raises(ImpossibleError) as refused:
        train.size(dataclasses.replace(RUN, spread=Spread(8, tensor=8, stage=0)))
    assert "states 141 + activations" in str(refused.value)
    assert "19 such GPUs" in str(refused.value)


def test_a_run_that_fits_says_when_it_ends_what_it_draws_and_what_it_costs() -> None:
    run = dataclasses.replace(RUN, tokens=1e12, price=2.0)
    days = value(run, "time", "the whole run")
    assert isinstance(days, float)
    assert value(run, "cost", "the whole run") == pytest.approx(64 * 2 * 24 * days)
    assert value(run, "power", "at most") == pytest.approx(81.6)
    assert value(run, "batch", "tokens a step") == 8 * 8192


def test_an_unknown_gpu_has_no_guessed_time() -> None:
    run = dataclasses.replace(RUN, place=dataclasses.replace(H100, gpu="SOMEBODYS-GPU"))
    assert value(run, "time", "step") == "unknown"
    assert not [figure for figure in train.size(run) if figure.topic == "power"]


@pytest.mark.parametrize(
    ("product", "peak"),
    [
        ("NVIDIA-H100-80GB-HBM3", 989),
        ("NVIDIA-H100-NVL", 835),
        ("NVIDIA-H100-PCIe", 756),
        ("NVIDIA-A100-SXM4-40GB", 312),
        ("NVIDIA-L40S", 362),
        ("NVIDIA-GB200", 2500),
        ("NVIDIA-L4", 121),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", 989),
        ("SOMEBODYS-GPU", None),
    ],
)
def test_a_gpus_peak_is_found_by_its_product_label(product: str, peak: int | None) -> None:
    assert rate.peak(dataclasses.replace(H100, gpu=product).model, "bf16") == peak


@pytest.mark.parametrize("name", known())
def test_every_known_model_is_whole(name: str) -> None:
    model = trained(name)
    assert isinstance(model, Trained)
    assert model.heads % model.kv_heads == 0
    assert 0 <= model.expert_billions < model.billions


@pytest.mark.parametrize("stack", [name for name in stack_files.STACKS if name != "inference-l40s"])
def test_every_stacks_gpus_are_known_here(stack: str) -> None:
    for pool in stack_files.known(stack).pools:
        if pool.gpus:
            at = of_stack(stack_files.known(stack), pool.name, None)
            assert rate.peak(at.model, "bf16"), at.gpu
            assert at.gpus == pool.total_gpus


def test_a_rack_of_gb200_is_one_nvlink_domain() -> None:
    rack = of_shape("p6e-gb200.36xlarge", 18)
    assert rack.nvlink == 72
    assert not list(spread.faults(SEVENTY, Spread(9, tensor=8), rack))


@given(st.integers(1, 64), st.integers(0, 3), st.integers(1, 16), st.sampled_from((1, 2, 4, 8)))
def test_more_ranks_a_higher_stage_and_less_work_never_take_more_memory(
    data: int, stage: int, micro: int, tensor: int
) -> None:
    def total(**changes: int) -> float:
        cut = Spread(changes.get("data", data), tensor=tensor, stage=changes.get("stage", stage))
        found = memory.memory(SEVENTY, cut, Work(4096, changes.get("micro", micro)))
        return found.total - found.gathered

    assert total(data=data + 1) <= total()
    assert total(stage=min(3, stage + 1)) <= total()
    assert total(micro=micro + 1) > total()
