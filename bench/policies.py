"""What judging costs: the pack over the reference stack, over graphs of growing size, and over a large repository.

Figures with a target: all rules over the reference graph, the growth of the time per resource from 200 to 2,000
resources, and `bedplate check` over 5,000 documents. All are time of the processor, so that a busy machine slows none
of them much; copies of resources have names of their own, so that what is looked up by name has much to look through.
"""

import io
import statistics
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from bedplate.folders import PROJECT
from bedplate.plan.capture import capture
from bedplate.plan.graph import Graph
from bedplate.plan.manifests import manifests
from bedplate.plan.to_yaml import to_yaml
from bedplate.plan.verdicts import resource
from bedplate.policies.command.cli import main as command
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.resources.model import Resource
from bedplate.policies.values import is_list, is_map
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load
from bench.measured import seconds, show
from bench.plan import STACK

RUNS = 7
WHOLE_TARGET = 0.1
GROWTH_TARGET = 1.5
DOCUMENTS, CHECK_TARGET = 5_000, 10.0


def main() -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    graph = capture(STACK, PROJECT)
    facts = Facts.from_mapping(policy_facts(load(graph.profile or {})))
    resources = [resource(node) for node in graph.resources]
    whole = judged(resources, facts)
    few, many = (judged(grown(resources, count), facts) / count for count in (200, 2000))
    read = checked(graph, DOCUMENTS)
    rows = (
        (f"all rules over {STACK}, {len(resources)} resources", f"{whole * 1000:.0f} ms", "at most 100 ms"),
        ("200 resources", f"{few * 1e6:.0f} µs each", ""),
        ("2,000 resources", f"{many * 1e6:.0f} µs each", ""),
        ("growth per resource", f"{many / few:.2f}", f"at most {GROWTH_TARGET}"),
        (f"check of {DOCUMENTS:,} documents", f"{read:.1f} s", f"at most {CHECK_TARGET:.0f} s"),
    )
    show(("figure", "measured", "target"), rows)
    return 0 if whole <= WHOLE_TARGET and many / few <= GROWTH_TARGET and read <= CHECK_TARGET else 1


def judged(resources: list[Resource], facts: Facts) -> float:
    """Median seconds; fresh resources each time, since views are cached in them."""
    runs = ([replace(each) for each in resources] for _ in range(RUNS))
    return statistics.median(seconds(lambda fresh=fresh: judge(fresh, facts), process_time) for fresh in runs)


def grown(resources: list[Resource], count: int) -> list[Resource]:
    """As many resources: copies of the stack's own, each a cluster of its own names."""
    names = {name for each in resources for name in (each.object_name, each.namespace) if name}
    copies = (
        replace(
            each, urn=f"{each.urn}-{number}", name=f"{each.name}-{number}", props=renamed(each.props, names, number)
        )
        for number in range(count // len(resources) + 1)
        for each in resources
    )
    return [copy for copy, _ in zip(copies, range(count), strict=False)]


def renamed(value: object, names: set[str], number: int) -> dict[str, object]:
    """A section in which every name of the stack has a number behind it."""
    return {key: _renamed(below, names, number) for key, below in value.items()} if is_map(value) else {}


def _renamed(value: object, names: set[str], number: int) -> object:
    if is_map(value):
        return renamed(value, names, number)
    if is_list(value):
        return [_renamed(item, names, number) for item in value]
    return f"{value}-{number}" if number and value in names else value


def checked(graph: Graph, count: int) -> float:
    """Seconds that the command takes for as many documents, fifty in a file."""
    documents = [dict(each.document) for each in manifests(graph)]
    names = {str(each["metadata"]["name"]) for each in documents}
    copies = [
        renamed(document, names, number) for number in range(count // len(documents) + 1) for document in documents
    ]
    with TemporaryDirectory() as folder:
        for start in range(0, count, 50):
            text = "---\n".join(map(to_yaml, copies[start : min(start + 50, count)]))
            (Path(folder) / f"{start:05}.yaml").write_text(text, encoding="utf-8")
        with redirect_stdout(io.StringIO()), redirect_stderr(sys.stderr):
            return seconds(lambda: command(["check", folder]), process_time)


if __name__ == "__main__":
    raise SystemExit(main())
