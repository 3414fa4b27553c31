"""What the policies say about a plan: the same rules as in `pulumi preview` and in the check of job manifests."""

from collections.abc import Mapping
from typing import Any, cast

from bedplate.policies.command.own import of_repository
from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.resources.model import Resource
from bedplate.policies.values import UNKNOWN as NOT_KNOWN
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.load import load

from .graph import Graph, Node
from .wire import MASK, UNKNOWN, Json


def verdicts(graph: Graph, profile: Mapping[str, Any]) -> list[dict[str, str]]:
    """Every complaint, sorted, as the summary shows it."""
    facts = Facts.from_mapping(policy_facts(load(profile)))
    with of_repository() as levels:
        found = judge([resource(node) for node in graph.resources], facts, levels)
    return [verdict.as_json() for verdict in found]


def resource(node: Node) -> Resource:
    """A recorded resource as the rules see it."""
    inputs = {key: _known(value) for key, value in node.inputs.items()}
    options = {"protect": node.options.protect, "customTimeouts": dict(node.options.timeouts)}
    return Resource(node.type, node.name, node.urn, inputs, node.parent, node.dependencies, options)


def _known(value: Json) -> Json:
    """What is masked or not known yet is no value: no rule may fire on it."""
    if isinstance(value, dict):
        return {key: _known(item) for key, item in cast("dict[str, Json]", value).items()}
    if isinstance(value, list):
        return [_known(item) for item in cast("list[Json]", value)]
    return NOT_KNOWN if value in (MASK, UNKNOWN) else value
