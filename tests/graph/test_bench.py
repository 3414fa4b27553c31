"""The benchmark's profile stays sound, and really grows."""

from bedplate.plan.capture import capture_config
from bench.plan import profile_with


def test_every_pool_of_the_benchmark_brings_its_own_resources() -> None:
    few, many = (len(capture_config("bench", profile_with(pools)).resources) for pools in (10, 30))

    assert many - few == 20 * 2
