"""The tolerance of a pool is within the pool."""

from collections.abc import Iterator

from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile


def check_readiness(profile: Profile) -> Iterator[Problem]:
    """No pool waits for more nodes than it is sure to have."""
    for index, pool in enumerate(profile.pools):
        sure = pool.autoscale.min if pool.autoscale else pool.nodes
        if pool.min_ready is not None and pool.min_ready > sure:
            reason = (
                f"the pool has {'at least ' if pool.autoscale else ''}{sure} nodes, so no deployment would ever go on"
            )
            yield Problem(f"pools[{index}].minReady", pool.min_ready, reason, f"use {sure} or fewer, or remove it")
