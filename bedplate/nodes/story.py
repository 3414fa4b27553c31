"""What the API server still knows of a node, in the order of time, and what keeps jobs off it now. Pure."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from bedplate.cluster.objects import Object, annotations, conditions, message, part
from bedplate.components.facts import Facts, NodePool
from bedplate.components.verification.judge import node_faults
from bedplate.components.verification.pools import on_a_node, required_of
from bedplate.live.checks.nodes import CORDONED, PRESSURE, described, is_fault, more_faults
from bedplate.verify import gate

REASON, SINCE = "bedplate/maintenance", "bedplate/maintenance-since"
"""Annotations of a node that a person has taken out: why, and when (RFC 3339)."""


class Moment(NamedTuple):
    """Something that happened to the node."""

    at: datetime
    text: str


def story(node: Object, events: Iterable[Object]) -> list[Moment]:
    """Everything with a time, oldest first. Events are kept for an hour unless the API server is told otherwise."""
    metadata = part(node, "metadata")
    moments = [
        *_moments([(metadata.get("creationTimestamp"), "joined the cluster")]),
        *_moments((one.get("lastTransitionTime"), described(one)) for one in conditions(node).values() if _tells(one)),
        *_moments(
            [(annotations(node).get(SINCE), f"taken out by hand: {annotations(node).get(REASON, 'no reason given')}")]
        ),
        *_moments((_last(event), _event(event)) for event in events),
    ]
    return sorted(set(moments))


def faults(facts: Facts, pool: NodePool, node: Object) -> list[str]:
    """What is not as the profile says, and what somebody's detector has found: to be mended before it comes back."""
    required = required_of(facts, pool) if on_a_node(facts, pool) else None
    own = [*(node_faults(required, node) if required else ()), *more_faults(pool, node)]
    return [fault for fault in dict.fromkeys(own) if fault != CORDONED]


def closed(pool: NodePool, node: Object) -> list[str]:
    """What keeps jobs off however well the node is: a cordon, and a test that it has not passed."""
    reason = annotations(node).get(REASON) or "not by `bedplate node drain`"
    cordon = [f"{CORDONED}: {reason}"] if gate.is_cordoned(node) else []
    return [*cordon, *([gate.state(node).text] if pool.gate and not gate.is_in(node) and not cordon else ())]


def _tells(condition: Object) -> bool:
    return condition.get("type") == "Ready" or is_fault(condition) or _presses(condition)


def _presses(condition: Object) -> bool:
    return condition.get("type") in PRESSURE and condition.get("status") == "True"


def _event(event: Object) -> str:
    times = int(part(event, "series").get("count") or event.get("count") or 1)
    many = f" ({times} times)" if times > 1 else ""
    return f"{event.get('reason', 'Event')}: {message(event)}{many}"


def _last(event: Object) -> str | None:
    """When it was last seen; an event of the newer API has no `lastTimestamp`."""
    return part(event, "series").get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")


def _moments(timed: Iterable[tuple[str | None, str]]) -> Iterator[Moment]:
    for at, text in timed:
        if at:
            yield Moment(datetime.fromisoformat(at).astimezone(UTC).replace(microsecond=0), text)


def is_ours(node: Object) -> bool:
    """A person has taken it out by `bedplate node drain`, and no operator or autoscaler for reasons of its own."""
    return REASON in annotations(node)
