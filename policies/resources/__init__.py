"""What is judged: a resource, and what it is to a rule: a pod, a workload, a release, the whole stack."""
