"""One file per kind of job: `manifests(job, contract)` gives its objects."""
