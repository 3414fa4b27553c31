"""SCH-4xx: gangs, queues, quotas, placement."""

from bedplate.policies.rules.scheduling import deadlocks, disruption, gang, kueue, placement, quota, room

__all__ = ["deadlocks", "disruption", "gang", "kueue", "placement", "quota", "room"]
