"""Every check over one look at a cluster, in the order of what usually breaks what."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bedplate.cluster.objects import Object, place
from bedplate.live import kinds
from bedplate.live.checks.agents import WORKLOADS, agents, missing_pods, ours, releases
from bedplate.live.checks.drift import drift
from bedplate.live.checks.gates import gates
from bedplate.live.checks.kinds import served, versions
from bedplate.live.checks.ledger import COUNTED_BY, held, ledger
from bedplate.live.checks.nodes import nodes
from bedplate.live.checks.queues import queues
from bedplate.live.checks.site_network import borders, metadata, site_network
from bedplate.live.checks.states import networks, scaling, teams
from bedplate.live.checks.storage import KINDS, storage
from bedplate.live.checks.webhooks import webhooks
from bedplate.live.desired import Desired
from bedplate.live.finding import SUBJECTS, Finding
from bedplate.live.kinds import Kind
from bedplate.live.network import network
from bedplate.live.reading import Get, Observed, look, version

Check = Callable[[Desired, Observed], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    *(nodes, gates, releases, agents, queues, ledger, webhooks, served, storage, teams, borders),
    *(metadata, networks, site_network, drift, versions, scaling),
)
ALWAYS = (
    *(kinds.NODE, kinds.NAMESPACE, *WORKLOADS, kinds.SERVICE, kinds.ENDPOINT_SLICE, kinds.CLAIM),
    *(kinds.STORAGE_CLASS, kinds.CSI_DRIVER, kinds.VALIDATING, kinds.MUTATING, kinds.DEFINITION, kinds.API_SERVICE),
)
ALSO: Mapping[str, tuple[Kind, ...]] = {
    "gpuOperator": (kinds.CLUSTER_POLICY,),
    "networkOperator": (kinds.NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY, kinds.ATTACHMENT),
    "autoscaling": (kinds.AUTOSCALER,),
}
"""By section of the profile: kinds that others make."""


def listed_kinds(desired: Desired) -> list[Kind]:
    """Kinds that are listed: what the plan declares, and what that stands on."""
    facts = desired.facts
    also = [kind for section, more in ALSO.items() if section in facts.has for kind in more]
    if facts.fabric.exposure == "sriov" and "networkOperator" in facts.has:
        also.append(kinds.SRIOV_STATE)
    if facts.scheduler.kind == "volcano":
        also.append(kinds.HYPER_NODE)
    if facts.platform == "eks":
        also.append(kinds.EC2_NODE_CLASS)
    also += (KINDS[existing.kind] for existing in facts.existing)
    return list(dict.fromkeys((*ALWAYS, *also, *sorted(desired.kinds))))


def observe(desired: Desired, get: Get) -> Observed:
    """Look at everything but pods, and at the pods of teams with a queue and of namespaces where some are missing.

    A cluster of a thousand nodes has tens of thousands of pods, and where all is settled few need be shown.
    """
    now, teams = version(get), counted(desired)
    pods = look(get, [kinds.POD], teams)
    observed = look(get, listed_kinds(desired))
    if kind := COUNTED_BY.get(desired.facts.scheduler.kind):
        observed = observed.with_more(look(get, [kind], teams))
    homes = sorted({place(obj)[0] for kind, obj in ours(desired, observed) if missing_pods(kind, obj)} - {*teams})
    pods = pods.with_more(look(get, [kinds.POD], homes))
    return _steady(desired, network(get, Observed(version=now).with_more(observed).with_more(pods)), get)


def counted(desired: Desired) -> list[str]:
    """Namespaces of teams whose pods a queue counts."""
    return sorted(desired.teams) if desired.facts.scheduler.kind in COUNTED_BY else []


def _steady(desired: Desired, observed: Observed, get: Get) -> Observed:
    """Without pods that have gone meanwhile: a pod that ran before and after was counted in between, or never."""
    if not any(ledger(desired, observed)):
        return observed
    later = map(_uid, held(desired, look(get, [kinds.POD], counted(desired))))
    gone = {*map(_uid, held(desired, observed))} - {*later}
    pods = [pod for pod in observed.of(kinds.POD) if _uid(pod) not in gone]
    return replace(observed, objects={**observed.objects, kinds.POD: pods})


def _uid(obj: Object) -> str:
    return obj["metadata"]["uid"]


def examine(desired: Desired, observed: Observed) -> list[Finding]:
    """Everything that is wrong, by subject."""
    order = list(SUBJECTS)
    findings = dict.fromkeys(finding for check in CHECKS for finding in check(desired, observed))
    return sorted(findings, key=lambda finding: order.index(finding.check))
