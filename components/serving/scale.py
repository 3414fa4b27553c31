"""When replicas of a server come and go, as a profile says it."""

from typing import Annotated, Literal

from pydantic import Field

from bedplate.components.section import Seconds, Section

MetricName = Literal["requests", "requests-waiting", "kv-cache", "requests-pending", "gpu-utilisation"]


class Goal(Section):
    """One measure of how busy a server is."""

    metric: MetricName = "requests"
    """requests (running and waiting), requests-waiting and kv-cache are vLLM's, requests-pending Triton's.

    Waiting alone is zero as soon as there is one replica too many, so that replicas come and go for ever.
    gpu-utilisation is near 100 for a busy server at any load, so it scales to the maximum and stays there (INF-604)."""
    target: Annotated[float, Field(gt=0)]
    """What one replica may have: requests, a part of the cache (0 to 1), or percent."""


class Scaling(Goal):
    """When replicas come and go, between `replicas` and `maxReplicas`."""

    further: tuple[Goal, ...] = ()
    """Further measures; the one that asks for most replicas wins."""
    wake: str | None = Field(default=None, min_length=1)
    """With `replicas: 0` a PromQL query that is above 0 while requests come, such as the gateway's: a server's own
    metrics are gone with its last replica."""
    up_window: Seconds = 120
    """How long the need must last before replicas are added."""
    down_window: Seconds = 300
    """And before they are removed: loading weights again is expensive."""

    @property
    def goals(self) -> tuple[Goal, ...]:
        """All measures."""
        return (self, *self.further)
