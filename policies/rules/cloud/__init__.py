"""CLD-8xx: nodes, networks and images of the clouds."""

from policies.rules.cloud import aws, others, pools

__all__ = ["aws", "others", "pools"]
