"""INF-6xx: model servers."""

from bedplate.policies.rules.serving import availability, probes, scaling, servers

__all__ = ["availability", "probes", "scaling", "servers"]
