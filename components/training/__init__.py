"""Controllers of distributed jobs."""
