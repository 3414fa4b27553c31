"""Scheduling: queues, quota, gangs and the namespaces of teams."""
