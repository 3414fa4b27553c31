"""The cluster's own network against `clusterNetwork`: whether rails reach pods, and pods their name service."""

from collections.abc import Iterator
from ipaddress import ip_network
from itertools import chain

from bedplate.live.finding import Finding
from bedplate.live.kinds import SERVICE
from bedplate.live.network import exclusive, names
from bedplate.live.reading import Seen, part
from bedplate.live.wanted import Wanted


def site_network(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Only of what may be read."""
    yield from chain(_taken_away(wanted, seen), _unheard(wanted, seen), _called_otherwise(wanted, seen))


def _taken_away(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Cilium renames what Multus wrote (docs.cilium.io, Helm reference, `cni.exclusive`)."""
    if exclusive(seen) and wanted.facts.fabric.attaches_networks:
        what = 'cni-exclusive is "true": set `cni.exclusive=false` in Cilium\'s chart'
        why = "Cilium renames Multus' configuration to *.cilium_bak, and pods start without rails"
        yield Finding("networks", "ConfigMap kube-system/cilium-config", what, why)


def _unheard(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """A cache on the nodes is no pod that a policy could select; the address of a Service stands for its pods."""
    services = {str(part(one, "spec").get("clusterIP")) for one in seen.of(SERVICE)}
    services |= {str(address) for one in seen.of(SERVICE) for address in part(one, "spec").get("clusterIPs") or ()}
    for server in names(seen).servers if wanted.teams else ():
        known = any(server in ip_network(each) for each in wanted.facts.name_servers)
        if not known and str(server) not in services:
            what = f"pods ask {server} for names, which is not among them: add it"
            yield Finding("networks", "clusterNetwork.nameServers", what, "no pod of a team resolves any name")


def _called_otherwise(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    domain, ours = names(seen).domain, wanted.facts.cluster_domain
    if domain and domain != ours:
        what = f"is {ours}, and kubelets say {domain}"
        yield Finding("networks", "clusterNetwork.domain", what, "names that we write are nobody's")
