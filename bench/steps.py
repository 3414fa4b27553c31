"""What an engine did or would do, read from what the CLI prints for machines. Pure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

PROVIDER = "pulumi:providers:"


def planned(preview_json: str) -> dict[str, str]:
    """Operation by resource, of `pulumi preview --json`; what stays the same is left out."""
    steps = json.loads(preview_json)["steps"]
    return {label(step["urn"]): step["op"] for step in steps if step["op"] not in {"same", "read"}}


def label(urn: str) -> str:
    """A resource as one would say it: `Release gpu-operator`."""
    kind, name = urn.split("::")[2:4]
    return f"{kind.rsplit('$', 1)[-1].rsplit(':', 1)[-1]} {name}"


def edges(resources: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, frozenset[str]]]:
    """Parent and dependencies by URN, of a deployment's resources; providers that the engine makes itself aside."""
    return {
        resource["urn"]: (resource.get("parent", ""), frozenset(resource.get("dependencies", [])))
        for resource in resources
        if not (resource["type"].startswith(PROVIDER) and resource["urn"].rsplit("::", 1)[-1].startswith("default"))
    }


def seconds(events: Iterable[str]) -> dict[str, float]:
    """How long each resource took, of the lines of a `--event-log` file."""
    began: dict[str, float] = {}
    took: dict[str, float] = {}
    for line in events:
        event = json.loads(line)
        if started := event.get("resourcePreEvent"):
            began[started["metadata"]["urn"]] = event["timestamp"]
        elif ended := event.get("resOutputsEvent"):
            urn = ended["metadata"]["urn"]
            took[urn] = float(event["timestamp"] - began.get(urn, event["timestamp"]))
    return took


def critical_path(edges: Mapping[str, Iterable[str]], took: Mapping[str, float]) -> tuple[float, list[str]]:
    """The chain of resources that the whole had to wait for: its length and its members, first to last."""
    best: dict[str, tuple[float, list[str]]] = {}

    def longest(urn: str) -> tuple[float, list[str]]:
        if urn not in best:
            before = max((longest(wait) for wait in edges.get(urn, ())), default=(0.0, list[str]()))
            best[urn] = (before[0] + took.get(urn, 0.0), [*before[1], urn])
        return best[urn]

    return max((longest(urn) for urn in edges), default=(0.0, list[str]()))
