"""The cluster's own network: whether its CNI keeps NetworkPolicies, rails reach pods, and pods resolve names."""

from collections.abc import Iterator
from ipaddress import ip_network
from itertools import chain

from bedplate.cluster.objects import Object, entries, part, place
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding
from bedplate.live.kinds import DAEMON_SET, SERVICE
from bedplate.live.network import exclusive, names
from bedplate.live.reading import Observed

KEEPERS = ("calico-node", "canal", "rke2-canal", "cilium", "anetd", "antrea-agent", "azure-npm", "kube-ovn-cni")
"""DaemonSets of CNIs, or of what stands beside one, that keep policies; `anetd` is GKE's Dataplane V2."""
WITHOUT = {
    "kube-flannel-ds": "Flannel",
    "kube-flannel": "Flannel",
    "vcn-native-ip-cni": "OCI's VCN-native CNI",
    "azure-cns": "Azure CNI",
    "netd": "GKE's first data plane",
}
"""DaemonSets of CNIs that keep none by themselves."""
VPC_CNI, SWITCH = "aws-node", "--enable-network-policy=true"
"""Amazon's keeps them with this argument of its second container (aws/amazon-vpc-cni-k8s, charts/aws-vpc-cni)."""
OPEN = "teams' pods reach each other, the cluster's agents and the node's own services"


def borders(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """NetworkPolicies of teams that the API server takes and the CNI passes over.

    It names only CNIs that are known for it: another one may keep policies under any name.
    """
    agents = {place(obj)[1]: obj for obj in observed.of(DAEMON_SET)} if desired.teams else {}
    if any(name in agents for name in KEEPERS):
        return
    without = {WITHOUT[name] for name in agents if name in WITHOUT}
    if VPC_CNI in agents and SWITCH not in _arguments(agents[VPC_CNI]):
        without.add("the VPC CNI without enableNetworkPolicy")
    if without:
        yield Finding("teams", "NetworkPolicies", f"nobody keeps them: {' and '.join(sorted(without))}", OPEN)


def _arguments(obj: Object) -> list[str]:
    containers = entries(obj, "spec", "template", "spec", "containers")
    return [argument for container in containers for argument in container.get("args", [])]


def site_network(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """What of `clusterNetwork` the cluster contradicts, as far as it may be read."""
    yield from chain(_exclusive(desired, observed), _name_servers(desired, observed), _domain(desired, observed))


def _exclusive(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Cilium renames what Multus wrote (docs.cilium.io, Helm reference, `cni.exclusive`)."""
    if exclusive(observed) and desired.facts.fabric.attaches_networks:
        what = 'cni-exclusive is "true": set `cni.exclusive=false` in Cilium\'s chart'
        why = "Cilium renames Multus' configuration to *.cilium_bak, and pods start without rails"
        yield Finding("networks", "ConfigMap kube-system/cilium-config", what, why)


def _name_servers(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Name servers that no team's egress opens.

    A Service's address stands for its pods; a cache on the nodes is no pod that a policy could select.
    """
    specs = [part(obj, "spec") for obj in observed.of(SERVICE)]
    services = {str(ip) for spec in specs for ip in (spec.get("clusterIP"), *(spec.get("clusterIPs") or ()))}
    for server in names(observed).servers if desired.teams else ():
        is_open = any(server in ip_network(network) for network in desired.facts.name_servers)
        if not is_open and str(server) not in services:
            what = f"pods ask {server} for names, which is not among them: add it"
            yield Finding("networks", "clusterNetwork.nameServers", what, "no pod of a team resolves any name")


def _domain(desired: Desired, observed: Observed) -> Iterator[Finding]:
    domain, ours = names(observed).domain, desired.facts.cluster_domain
    if domain and domain != ours:
        what = f"is {ours}, and kubelets say {domain}"
        yield Finding("networks", "clusterNetwork.domain", what, "names that we write are nobody's")
