"""All alerts of a cluster: those whose exporters it has."""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Group
from bedplate.components.observability.alerts.devices import devices
from bedplate.components.observability.alerts.efa import EFA
from bedplate.components.observability.alerts.fabric import fabric
from bedplate.components.observability.alerts.gpu import gpu
from bedplate.components.observability.alerts.ledger import ledger
from bedplate.components.observability.alerts.nodes import nodes
from bedplate.components.observability.alerts.operators import operators
from bedplate.components.observability.alerts.queues import KUEUE, VOLCANO
from bedplate.components.observability.alerts.serving import SCALING, TRITON, TRITON_SCALING, VLLM
from bedplate.components.observability.alerts.storage import storage


def groups(facts: Facts) -> Iterator[Group]:
    """Groups that can fire here."""
    scraped = facts.monitoring.exporters if facts.monitoring else frozenset[str]()
    yield from (group for group in every_group(facts) if group.exporters <= scraped)


def every_group(facts: Facts) -> Iterator[Group]:
    """All of them, for this cluster's pools and fabric, whatever is scraped."""
    yield gpu(facts)
    yield from nodes(facts)
    yield from fabric(facts)
    yield from devices(facts)
    yield EFA
    yield from storage(facts)
    yield from operators(facts)
    yield from ledger(facts)
    yield from (KUEUE, VOLCANO, VLLM, SCALING, TRITON, TRITON_SCALING)
