"""What proves, and keeps proving, that the cluster is used as it must be."""
