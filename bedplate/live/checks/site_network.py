"""The cluster's own network: whether its CNI keeps NetworkPolicies, rails reach pods, and pods resolve names."""

from collections.abc import Iterator
from ipaddress import ip_network
from itertools import chain

from bedplate.cluster.objects import Object, entries, part, place
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import DAEMON_SET, EC2_NODE_CLASS, SERVICE
from bedplate.live.network import PLUGINS, exclusive, names
from bedplate.live.reading import Observed

VPC_CNI, SWITCH = "aws-node", "--enable-network-policy=true"
"""Amazon's keeps them with this argument of its second container (aws/amazon-vpc-cni-k8s, charts/aws-vpc-cni)."""


def borders(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """NetworkPolicies of teams that the API server takes and the CNI passes over.

    It names only CNIs that are known for it: another one may keep policies under any name.
    """
    agents = {place(obj)[1]: obj for obj in observed.of(DAEMON_SET)} if desired.teams else {}
    there = [row for name, row in PLUGINS.items() if name in agents]
    if any(row.get("keeps") for row in there):
        return
    without = {row["without"] for row in there if "without" in row}
    if VPC_CNI in agents and SWITCH not in _arguments(agents[VPC_CNI]):
        without.add("the VPC CNI without enableNetworkPolicy")
    if without:
        yield finding("teams.open", "NetworkPolicies", agents=" and ".join(sorted(without)))


def metadata(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Karpenter's classes of nodes whose metadata service answers pods; of other nodes the cluster does not say it.

    By default it asks for tokens and answers at one hop (aws/karpenter-provider-aws, pkg/apis/v1/ec2nodeclass.go).
    """
    for obj in observed.of(EC2_NODE_CLASS) if desired.teams else ():
        stated = part(obj, "spec", "metadataOptions")
        opened = stated.get("httpTokens") == "optional" or stated.get("httpPutResponseHopLimit", 1) > 1
        if opened and stated.get("httpEndpoint") != "disabled":
            yield finding("teams.metadata", EC2_NODE_CLASS.title(obj))


def _arguments(obj: Object) -> list[str]:
    containers = entries(obj, "spec", "template", "spec", "containers")
    return [argument for container in containers for argument in container.get("args", [])]


def site_network(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """What of `clusterNetwork` the cluster contradicts, as far as it may be read."""
    yield from chain(_exclusive(desired, observed), _name_servers(desired, observed), _domain(desired, observed))


def _exclusive(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Cilium renames what Multus wrote (docs.cilium.io, Helm reference, `cni.exclusive`)."""
    if exclusive(observed) and desired.facts.fabric.attaches_networks:
        yield finding("networks.exclusive", "ConfigMap kube-system/cilium-config")


def _name_servers(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Name servers that no team's egress opens.

    A Service's address stands for its pods; a cache on the nodes is no pod that a policy could select.
    """
    specs = [part(obj, "spec") for obj in observed.of(SERVICE)]
    services = {str(ip) for spec in specs for ip in (spec.get("clusterIP"), *(spec.get("clusterIPs") or ()))}
    for server in names(observed).servers if desired.teams else ():
        is_open = any(server in ip_network(network) for network in desired.facts.name_servers)
        if not is_open and str(server) not in services:
            yield finding("networks.name-server", "clusterNetwork.nameServers", server=server)


def _domain(desired: Desired, observed: Observed) -> Iterator[Finding]:
    domain, ours = names(observed).domain, desired.facts.cluster_domain
    if domain and domain != ours:
        yield finding("networks.domain", "clusterNetwork.domain", ours=ours, domain=domain)
