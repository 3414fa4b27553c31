"""What judging costs: the pack over the reference stack, and over graphs of growing size.

Two figures with a target: all rules over the reference graph, and the time per resource from 200 to 2,000 resources.
"""

import statistics
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from bench.plan import STACK, seconds
from plan.capture import PROJECT_ROOT, capture
from plan.verdicts import resource
from policies.facts import Facts
from policies.judge import judge
from policies.model import Resource
from stacks.facts.policies import policy_facts
from stacks.load import load

RUNS = 7
WHOLE_TARGET = 0.1
GROWTH_TARGET = 1.5


def main() -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    graph = capture(STACK, PROJECT_ROOT)
    facts = Facts.from_mapping(policy_facts(load(graph.profile or {})))
    resources = [resource(node) for node in graph.resources]
    whole = judged(resources, facts)
    few, many = (judged(grown(resources, count), facts) / count for count in (200, 2000))
    table = Table("figure", "measured", "target")
    table.add_row(f"all rules over {STACK}, {len(resources)} resources", f"{whole * 1000:.0f} ms", "at most 100 ms")
    table.add_row("200 resources", f"{few * 1e6:.0f} µs each", "")
    table.add_row("2,000 resources", f"{many * 1e6:.0f} µs each", "")
    table.add_row("growth per resource", f"{many / few:.2f}", f"at most {GROWTH_TARGET}")
    Console().print(table)
    return 0 if whole <= WHOLE_TARGET and many / few <= GROWTH_TARGET else 1


def judged(resources: list[Resource], facts: Facts) -> float:
    """Median seconds; fresh resources each time, since views are cached in them."""
    return statistics.median(seconds(lambda: judge([replace(each) for each in resources], facts)) for _ in range(RUNS))


def grown(resources: list[Resource], count: int) -> list[Resource]:
    """As many resources, copies of the stack's own under other names."""
    copies = (
        replace(each, urn=f"{each.urn}-{number}", name=f"{each.name}-{number}")
        for number in range(count // len(resources) + 1)
        for each in resources
    )
    return [copy for copy, _ in zip(copies, range(count), strict=False)]


if __name__ == "__main__":
    raise SystemExit(main())
