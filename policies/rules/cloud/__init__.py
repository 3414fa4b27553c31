"""CLD-8xx: nodes, networks and images of the clouds."""

from bedplate.policies.rules.cloud import aws, others, pools

__all__ = ["aws", "others", "pools"]
