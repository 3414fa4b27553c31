"""SCH-4xx: gangs, queues, quotas, placement."""
