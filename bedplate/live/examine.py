"""Every check over one look at a cluster, in the order of what usually breaks what."""

from collections.abc import Callable, Iterator, Mapping

from bedplate.live import kinds
from bedplate.live.checks.agents import WORKLOADS, agents, ours, releases, short
from bedplate.live.checks.borders import borders
from bedplate.live.checks.drift import drift
from bedplate.live.checks.gates import gates
from bedplate.live.checks.kinds import served, versions
from bedplate.live.checks.networks import networks
from bedplate.live.checks.nodes import nodes
from bedplate.live.checks.queues import queues
from bedplate.live.checks.scaling import scaling
from bedplate.live.checks.site_network import site_network
from bedplate.live.checks.storage import storage
from bedplate.live.checks.teams import teams
from bedplate.live.checks.webhooks import webhooks
from bedplate.live.finding import PAGES, Finding
from bedplate.live.kinds import Kind
from bedplate.live.network import network
from bedplate.live.reading import Get, Seen, look, place, version
from bedplate.live.wanted import Wanted

Check = Callable[[Wanted, Seen], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    nodes,
    gates,
    releases,
    agents,
    queues,
    webhooks,
    served,
    storage,
    teams,
    borders,
    networks,
    site_network,
    drift,
    versions,
    scaling,
)
ALWAYS = (
    kinds.NODE,
    kinds.NAMESPACE,
    *WORKLOADS,
    kinds.SERVICE,
    kinds.ENDPOINT_SLICE,
    kinds.CLAIM,
    kinds.STORAGE_CLASS,
    kinds.CSI_DRIVER,
    kinds.VALIDATING,
    kinds.MUTATING,
    kinds.DEFINITION,
    kinds.API_SERVICE,
)
ALSO: Mapping[str, tuple[Kind, ...]] = {
    "gpuOperator": (kinds.CLUSTER_POLICY,),
    "networkOperator": (kinds.NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY, kinds.ATTACHMENT),
    "autoscaling": (kinds.AUTOSCALER,),
}
"""By section of the profile: kinds that others make."""


def asked(wanted: Wanted) -> list[Kind]:
    """What is listed: what the plan declares, and what that stands on."""
    also = [kind for section, more in ALSO.items() if section in wanted.facts.has for kind in more]
    ports = (
        [kinds.SRIOV_STATE] if wanted.facts.fabric.exposure == "sriov" and "networkOperator" in wanted.facts.has else []
    )
    domains = [kinds.HYPER_NODE] if wanted.facts.scheduler.kind == "volcano" else []
    return list(dict.fromkeys((*ALWAYS, *also, *ports, *domains, *sorted(wanted.kinds))))


def observe(wanted: Wanted, get: Get) -> Seen:
    """Two looks: at everything but pods, and at the pods of namespaces where some are missing.

    A cluster of a thousand nodes has tens of thousands of pods, and one that is settled need not show any.
    """
    now = version(get)
    seen = look(get, asked(wanted))
    homes = sorted({place(one)[0] for kind, one in ours(wanted, seen) if short(kind, one)})
    pods = look(get, [kinds.POD], homes) if homes else Seen()
    return network(get, Seen(version=now).with_more(seen).with_more(pods))


def examine(wanted: Wanted, seen: Seen) -> list[Finding]:
    """Everything that is wrong, by subject."""
    order = list(PAGES)
    found = dict.fromkeys(finding for check in CHECKS for finding in check(wanted, seen))
    return sorted(found, key=lambda one: order.index(one.check))
