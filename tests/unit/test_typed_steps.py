# pyright: reportUnnecessaryTypeIgnoreComment=true
"""A step built from the wrong section is an error of types: each ignored one below is an error itself if pyright is content."""

from bedplate.components.nodes import feature_discovery
from bedplate.components.operators import gpu_operator
from bedplate.components.scheduling import kueue, volcano
from bedplate.stacks.platform import scheduling
from bedplate.stacks.platform.step import Step

RIGHT = (
    Step("nfd", feature_discovery.NodeFeatureDiscovery, lambda p, _: p.nfd),
    Step("kueue", kueue.Kueue, scheduling.scheduler(kueue.KueueSection)),
)
WRONG = (
    Step("nfd", feature_discovery.NodeFeatureDiscovery, lambda p, _: p.gpu_operator),  # pyright: ignore[reportArgumentType]
    Step("gpus", gpu_operator.GpuReady, lambda p, _: p.nfd),  # pyright: ignore[reportArgumentType]
    Step("kueue", kueue.Kueue, scheduling.scheduler(volcano.VolcanoSection)),  # pyright: ignore[reportArgumentType]
)


def test_steps_are_judged_by_pyright() -> None:
    assert {step.name for step in (*RIGHT, *WRONG)} == {"nfd", "gpus", "kueue"}
