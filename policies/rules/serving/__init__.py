"""INF-6xx: model servers."""

from bedplate.policies.rules.serving import availability, probes, scaling, servers, targets

__all__ = ["availability", "probes", "scaling", "servers", "targets"]
