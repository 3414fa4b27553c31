"""All alerts of a cluster: those whose exporters it has."""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Group, read
from bedplate.components.observability.alerts.fabric import devices, fabric
from bedplate.components.observability.alerts.health import health
from bedplate.components.observability.alerts.ledger import ledger
from bedplate.components.observability.alerts.nodes import nodes
from bedplate.components.observability.operator_states import operator_states

OWN_ETCD = ("kubeadm", "rke2", "k3s", "talos")
ETCD, CLOUDS_ETCD = "1.5 * 1024 ^ 3", "6 * 1024 ^ 3"
"""Of 2 GiB, etcd's own `--quota-backend-bytes` unless it is told more, and of 8 GiB, which clouds and OpenShift tell it
(etcd.io, System limits; EKS Best Practices, etcd)."""


def groups(facts: Facts) -> Iterator[Group]:
    """Groups that can fire here."""
    scraped = facts.monitoring.exporters if facts.monitoring else frozenset[str]()
    yield from (group for group in every_group(facts) if group.exporters <= scraped)


def every_group(facts: Facts) -> Iterator[Group]:
    """All of them, for this cluster's pools and fabric, whatever is scraped."""
    monitoring = facts.monitoring
    yield from read("gpu", ("nvlink5",) if monitoring and monitoring.nvlink5 else ())
    yield from nodes(facts)
    yield from health(facts)
    yield from fabric(facts)
    yield from devices(facts)
    yield from read("efa")
    if monitoring and monitoring.volumes:
        yield from read("storage", claims="|".join(monitoring.volumes))
    yield from read("operators", [state.kind for state in operator_states(facts)])
    yield from ledger(facts)
    yield from read("api_server", most=ETCD if facts.platform in OWN_ETCD else CLOUDS_ETCD)
    yield from read("queues")
    yield from read("serving")
