"""What proves, and keeps proving, that the cluster works and is used as it must be."""
