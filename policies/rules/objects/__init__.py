"""OBJ-9xx: what an API server refuses of any object."""

from bedplate.policies.rules.objects import fields, pods, versions

__all__ = ["fields", "pods", "versions"]
