"""Every rule, by subject. A new module of rules goes into its subject's `__init__`."""

from bedplate.policies.rule import REGISTRY, Rule
from bedplate.policies.rules import cloud, driver, nccl, network, scheduling, serving, storage, training

__all__ = ["RULES", "cloud", "driver", "nccl", "network", "scheduling", "serving", "storage", "training"]

ORDER = ("GPU", "NET", "NCCL", "SCH", "TRN", "INF", "STO", "CLD")


def _place(rule: Rule) -> tuple[int, int]:
    prefix, number = rule.id.split("-")
    return ORDER.index(prefix), int(number)


RULES: tuple[Rule, ...] = tuple(sorted(REGISTRY.values(), key=_place))
"""In the order of their ids."""
