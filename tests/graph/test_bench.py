"""The benchmark's profile stays sound, and is as big as it says."""

from bench.plan import profile_with
from plan.capture import capture_config
from plan.sizing import sizing


def test_the_benchmark_plans_as_many_pools_as_it_says() -> None:
    graph = capture_config("bench", profile_with(30))

    assert graph.profile is not None
    assert len(sizing(graph.profile)["pools"]) == 30
