"""Alerts on the conditions of nodes, by what ends each of them."""

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Group, read
from bedplate.components.observability.conditions import Condition, conditions


def health(facts: Facts) -> tuple[Group, ...]:
    """Nothing where nobody sets them."""
    if facts.health is None:
        return ()
    every = list(conditions(facts))
    actions = {one.action: _types([each for each in every if each.action == one.action]) for one in every}
    most = facts.health.most_unhealthy(sum(pool.bounds[0] for pool in facts.pools))
    texts = {f"{action}_types": types for action, types in actions.items()}
    return read("health", tuple(actions), types=_types(every), most=str(most), **texts)


def _types(some: list[Condition]) -> str:
    return "|".join(one.type for one in some)
