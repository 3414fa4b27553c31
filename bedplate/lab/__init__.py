"""A GPU datacenter on one machine: a real control plane, simulated nodes."""
