"""NET-2xx: network operator, secondary networks, RDMA devices."""

from bedplate.policies.rules.network import addresses, attached, chains, host, nics, pods, reach, routes

__all__ = ["addresses", "attached", "chains", "host", "nics", "pods", "reach", "routes"]
