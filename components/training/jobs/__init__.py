"""The renderers of jobs: `kind(job, contract)` gives the objects of a job of that kind."""
