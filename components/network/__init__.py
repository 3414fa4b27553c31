"""Secondary networks: Multus, IPAM and the rails that pods attach to."""
