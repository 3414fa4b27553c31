"""What a pod of a team is: the workload contract, its gang, its launcher, and what the cloud wants of it."""
