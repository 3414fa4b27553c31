"""TRN-5xx: training jobs."""
