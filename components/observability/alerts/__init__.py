"""What is worth waking somebody, or a line in a report: alerts by subject."""
