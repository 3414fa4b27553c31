"""TRN-5xx: training jobs."""

from bedplate.policies.rules.training import checkpoints, launch, lifecycle, mesh, operators, rendezvous

__all__ = ["checkpoints", "launch", "lifecycle", "mesh", "operators", "rendezvous"]
