"""The offline plan: what a stack would declare, without the Pulumi CLI, a cluster or a cloud account."""
