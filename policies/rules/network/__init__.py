"""NET-2xx: network operator, secondary networks, RDMA devices."""

from policies.rules.network import addresses, attached, chains, host, nics, pods

__all__ = ["addresses", "attached", "chains", "host", "nics", "pods"]
