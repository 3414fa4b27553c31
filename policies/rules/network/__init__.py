"""NET-2xx: network operator, secondary networks, RDMA devices."""
