"""SCH-4xx: gangs, queues, quotas, placement."""

from policies.rules.scheduling import disruption, gang, kueue, placement, quota

__all__ = ["disruption", "gang", "kueue", "placement", "quota"]
