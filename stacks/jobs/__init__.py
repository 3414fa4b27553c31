"""A team's job on this cluster: read, checked, placed."""
