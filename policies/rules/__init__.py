"""Every rule, by subject. A new module of rules goes into its subject's `__init__`."""

from bedplate.policies.rule import Rule, in_order
from bedplate.policies.rules import cloud, driver, nccl, network, objects, scheduling, serving, storage, training

__all__ = ["RULES", "cloud", "driver", "nccl", "network", "objects", "scheduling", "serving", "storage", "training"]

RULES: tuple[Rule, ...] = in_order()
"""In the order of their ids."""
