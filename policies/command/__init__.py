"""`bedplate check` and `bedplate rules`."""
