"""CLD-8xx: nodes, networks and images of the clouds."""
